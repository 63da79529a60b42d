#!/usr/bin/env python3
"""Ejection fractions of real hearts: what a motion carries, in three measures, and what an expert's labels hold.

    tools/ejection_table.py PROGRAM DATA [--methods clg,ffd] [--only labels|pairs|sequences] [--slices]

DATA holds acdc_cinemri, as SYSTOLE_DATA_DIR does. `labels` keeps account of the muscle that the labels of
end diastole (ED) and end systole (ES) hold; `pairs` estimates the motion between the whole frames, both
ways; `sequences` carries ED along the sequence, and estimates it from the first frame. Motion is of the
CPU. Needs numpy, scipy and SimpleITK.
"""

import argparse
import tempfile
from pathlib import Path

import numpy
import SimpleITK
from scipy import ndimage, sparse
from scipy.sparse.linalg import splu

from cycle_table import CAVITY, WALL, frame_number, motion, on_grid_of

METHODS = ("clg", "ffd", "demons", "unbiased")


def array(image):
    return SimpleITK.GetArrayFromImage(image)


def displacement(path):
    """The field in voxels, (axis z, y, x; z; y; x), and the spacing, mm, in the same order"""
    image = SimpleITK.ReadImage(str(path))
    to_index = numpy.linalg.inv(numpy.array(image.GetDirection()).reshape(3, 3) * image.GetSpacing())
    field = (array(image).astype(float) @ to_index.T)[..., ::-1].transpose(3, 0, 1, 2)
    return field, numpy.array(image.GetSpacing())[::-1]


def determinant(field):
    """Volume after the motion for each volume before it, by central differences"""
    gradient = numpy.stack([numpy.stack(numpy.gradient(part), -1) for part in field], -2)
    return numpy.linalg.det(gradient + numpy.eye(3))


def by_rim(field, cavity):
    """The field with the cavity's motion in each slice spanned by the wall around it (Laplace's equation)"""
    spanned = field.copy()
    width = cavity.shape[2]
    for z in numpy.flatnonzero(cavity.any((1, 2))):
        inside = numpy.flatnonzero(cavity[z])
        beside = (inside[:, None] + (1, -1, width, -width)).ravel()
        rows = numpy.repeat(numpy.arange(inside.size), 4)
        links = sparse.csc_matrix((numpy.ones(rows.size), (rows, beside)), (inside.size, cavity[z].size))
        system = splu(sparse.csc_matrix(4 * sparse.eye(inside.size) - links[:, inside]))
        for part in spanned[:, z]:
            part.flat[inside] = system.solve(links @ numpy.where(cavity[z], 0, part).ravel())
    return spanned


def distances(mask):
    """Signed distance in each slice, voxels, positive inside"""
    found = numpy.empty(mask.shape)
    for z, inside in enumerate(mask):
        found[z] = ndimage.distance_transform_edt(inside) - ndimage.distance_transform_edt(~inside)
    return found - numpy.sign(found) / 2


def areas(cavity, field, slices):
    """Voxels in each slice of the field's grid that it takes into the cavity, which goes on beyond its ends"""
    first, last = slices[0], slices[-1]
    at = numpy.stack(numpy.meshgrid(*map(numpy.arange, cavity.shape), indexing="ij")) + field
    at[0] -= first
    signed = ndimage.map_coordinates(distances(cavity[first:last + 1]), at, order=1, mode="nearest")
    return numpy.clip(signed + 0.5, 0, 1).sum((1, 2))[slices]


def ejected(before, after):
    return 100 * (1 - numpy.sum(after) / numpy.sum(before))


def account(name, frames, labels):
    """Muscle by labels: the wall's voxels, and in the cavity the share of each voxel that isn't bright blood"""
    walls, dark = [], []
    for gray, label in zip(frames, labels):
        held = numpy.zeros(len(gray))
        for z in numpy.flatnonzero((label == CAVITY).any((1, 2))):
            cavity = gray[z][label[z] == CAVITY]
            muscle, blood = numpy.median(gray[z][label[z] == WALL]), numpy.percentile(cavity, 80)
            held[z] = numpy.clip((blood - cavity) / (blood - muscle), 0, 1).sum()
        walls.append((label == WALL).sum())
        dark.append(held.sum())
    early, late = ((label == CAVITY).sum() for label in labels)
    crossed = 100 * (dark[0] - dark[1]) / early
    kept = ejected(early, late + dark[0] - dark[1])
    grown = walls[1] / walls[0], (walls[1] + dark[1]) / (walls[0] + dark[0])
    longest, likely = (100 - (100 - share) / by for share, by in zip((ejected(early, late), kept), grown))
    print(f"| {name} | {ejected(early, late):.1f} | {100 * (grown[0] - 1):.1f} | {crossed:.1f} | "
          f"{100 * (grown[1] - 1):.1f} | {kept:.1f} | {longest:.1f} | {likely:.1f} |", flush=True)


def common_slices(early, late):
    return numpy.flatnonzero(early.any((1, 2)) & late.any((1, 2)))


def pair(asked, name, method, images, labels, folder):
    """One row of the motion between two whole frames, and with --slices the areas behind it"""
    fields = []
    for way, files in (("there", images), ("back", images[::-1])):
        motion(asked.program, files, folder / way, "--overwrite", "--method", method)
        fields.append(displacement(folder / way / "displacement_0001.mha")[0])
    early, late = (label == CAVITY for label in labels)
    slices = common_slices(early, late)
    changes = [1 - determinant(field)[early].mean() for field in (fields[0], by_rim(fields[0], early))]
    carried, brought = areas(early, fields[1], slices), areas(late, fields[0], slices)
    cells = [*(100 * change for change in changes), ejected(early.sum(), carried), ejected(brought, late.sum())]
    print(f"| {name} | {method} | " + " | ".join(f"{cell:.1f}" for cell in cells) + " |", flush=True)
    if asked.slices:
        for text, counts in (("expert, ED", early.sum((1, 2))[slices]), ("expert, ES", late.sum((1, 2))[slices]),
                             (method + ", ES", carried)):
            print(f"  {text}: " + " ".join(f"{count:.0f}" for count in counts), flush=True)


def sequence(asked, name, method, file, labels, last, folder):
    """One row of the motion along the sequence, and estimated from its first frame"""
    cells = []
    for way, more, stem in (("chain", ["--lagrangian"], "lagrangian"), ("first", ["--reference", "first"], "displacement")):
        motion(asked.program, [file], folder / way, "--overwrite", "--method", method, "--frames", f"0:{last}", *more)
        path = folder / way / f"{stem}_{last:04d}.mha"
        field, spacing = displacement(path)
        early, late = (array(on_grid_of(label, path)) for label in labels)
        cavity, later = early == CAVITY, late == CAVITY
        length = numpy.sqrt(((field * spacing[:, None, None, None]) ** 2).sum(0))[early == WALL].mean()
        brought = areas(later, field, common_slices(cavity, later))
        cells.append(f"{100 * (1 - determinant(field)[cavity].mean()):.1f}, {ejected(brought, later.sum()):.1f}, {length:.2f}")
    print(f"| {name} | {method} | {ejected(cavity.sum(), later.sum()):.1f} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("data", type=Path)
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--only", choices=("labels", "pairs", "sequences"), help="this table alone")
    parser.add_argument("--slices", action="store_true", help="print the areas in each slice, voxels")
    asked = parser.parse_args()
    patients = sorted((asked.data / "acdc_cinemri").glob("patient*"))
    methods = asked.methods.split(",")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for table in (asked.only,) if asked.only else ("labels", "pairs", "sequences"):
            for patient in patients:
                maps = sorted(patient.glob("*_gt.nii.gz"))
                images = [path.with_name(path.name.replace("_gt", "")) for path in maps]
                labels = [SimpleITK.ReadImage(str(path)) for path in maps]
                voxels = [array(label) for label in labels]
                if table == "labels":
                    account(patient.name, [array(SimpleITK.ReadImage(str(path))).astype(float) for path in images], voxels)
                    continue
                for method in methods:
                    if table == "pairs":
                        pair(asked, patient.name, method, images, voxels, folder)
                    else:
                        sequence(asked, patient.name, method, next(patient.glob("*_4d.nii.gz")), labels,
                                 frame_number(maps[1]) - 1, folder)


if __name__ == "__main__":
    main()
