#!/usr/bin/env python3
"""Measures what motion over the cycle is worth on real sequences: its drift, and volumes against an expert's labels.

    tools/cycle_table.py PROGRAM DATA [DEMO]

DATA holds acdc_cinemri and itksnap_4d, as SYSTOLE_DATA_DIR does; DEMO is the bundled sequence.
Drift: the mean length in mm of what remains when the cycle is closed, of the pairs composed and of
`motion --lagrangian`; in the expert's wall at end diastole (ACDC), in the wall that `segment` finds from
three points (DEMO), in the labels of the first frame (itksnap_4d). Volumes: `motion` between the whole
frames of end diastole and end systole, and `strain` with the labels of end diastole, against the labels of
both; and the same along the sequence, in the slices that it has. Needs numpy, scipy and SimpleITK.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import numpy
import SimpleITK
from scipy import ndimage

DEMO_POINTS = "49,-24,-39;21,13,27;27,-33,5"
WALL, CAVITY = 2, 3  # of ACDC
SEQUENCE_AT = (50, 85, 1)  # voxel of the whole frames where the sequences of acdc_cinemri begin
WAYS = ("midwall", "surface", "voxels")


class Refused(Exception):
    """The program ended with an error, which is its sentence."""


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(done.stderr.strip().splitlines()[-1])


def motion(program, images, out, *more):
    run(program, "motion", *images, "-o", out, "--backend", "cpu", *more)


def composed(folder, frames):
    """The displacement, LPS mm, from the first frame through all pairs back to it; (z, y, x, 3)"""
    total = None
    for t in [*range(1, frames), 0]:
        image = SimpleITK.ReadImage(str(folder / f"displacement_{t:04d}.mha"))
        step = SimpleITK.GetArrayFromImage(image).astype(float)
        if total is None:
            total = step
            places = numpy.stack(numpy.meshgrid(*map(numpy.arange, step.shape[:3]), indexing="ij"))
            turned = numpy.array(image.GetDirection()).reshape(3, 3) * image.GetSpacing()
            to_index = numpy.linalg.inv(turned)
            continue
        index = (total @ to_index.T)[..., ::-1].transpose(3, 0, 1, 2) + places
        total = total + numpy.stack([ndimage.map_coordinates(step[..., a], index, order=1, mode="nearest")
                                     for a in range(3)], -1)
    return total


def on_grid_of(labels, field):
    """The label map in the part of the grid that the sequence of the same patient has"""
    grid = SimpleITK.ReadImage(str(field))
    size = grid.GetSize()
    part = labels if labels.GetSize() == size else SimpleITK.RegionOfInterest(labels, size, SEQUENCE_AT)
    part.CopyInformation(grid)
    return part


def drift(program, name, sequence, folder, wall_of):
    out = folder / "cycle"
    motion(program, [sequence], out, "--lagrangian", "--close-cycle", "--overwrite")
    frames = len(list(out.glob("displacement_*.mha")))
    wall = SimpleITK.GetArrayFromImage(wall_of(out / "lagrangian_0000.mha")) > 0
    closed = SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(out / "lagrangian_0000.mha")))
    figures = [numpy.linalg.norm(field, axis=-1)[wall].mean() for field in (composed(out, frames), closed)]
    print(f"| {name} | {frames} | " + " | ".join(f"{figure:.2f}" for figure in figures) + " |", flush=True)


def milliliters(labels, label):
    return (SimpleITK.GetArrayFromImage(labels) == label).sum() * numpy.prod(labels.GetSpacing()) / 1000


def volumes(program, name, fields, labels, late, folder):
    """One row: the expert's volumes, and those by each way; returns a list of the errors by way, empty if refused"""
    path = folder / "labels.nii.gz"
    SimpleITK.WriteImage(labels, str(path))
    try:
        run(program, "strain", *fields, "--labels", path, "--cavity-label", CAVITY, "--wall-label", WALL,
            "-o", folder / "strain", "--overwrite", "--end-systole", 1)
    except Refused as sentence:
        print(f"| {name} | {sentence} |", flush=True)
        return []
    found = json.loads((folder / "strain/summary.json").read_text())
    early, expert = milliliters(labels, CAVITY), milliliters(late, CAVITY)
    ejection = 100 * (1 - expert / early)
    cells = [f"{early:.1f}, {expert:.1f}", f"{ejection:.1f}"]
    errors = []
    for way in WAYS:
        volume, share = found["end_systolic_ml"][way], found["ejection_fraction_percent"][way]
        cells.append(f"{volume:.1f}, {share:.1f}")
        errors.append((volume - expert, share - ejection))
    print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    return [errors]


def bias(rows):
    """Bias and limits of agreement of each way: bias ± 1.96 standard deviations"""
    if len(rows) < 2:
        return
    text = []
    for way in range(len(WAYS)):
        values = numpy.array([row[way] for row in rows])
        mean, spread = values.mean(0), 1.96 * values.std(0, ddof=1)
        text.append(f"{mean[0]:+.1f} ± {spread[0]:.1f}, {mean[1]:+.1f} ± {spread[1]:.1f}")
    print(f"| bias ± 1.96 SD, n = {len(rows)} | | | " + " | ".join(text) + " |")


def frame_number(path):
    return int(path.name.split("_frame")[1][:2])


HEADER = "| | EDV, ESV of the expert, ml | EF, % |" + "".join(f" ESV, EF: {way} |" for way in WAYS)


def pairs(asked, folder):
    """Volumes by the motion between the whole frames"""
    print(HEADER)
    rows = []
    for patient in asked.patients:
        images = (path.with_name(path.name.replace("_gt", "")) for path in asked.expert[patient])
        motion(asked.program, images, folder / "pair", "--overwrite")
        rows += volumes(asked.program, patient.name, [folder / "pair/displacement_0001.mha"],
                        *map(asked.read, asked.expert[patient]), folder)
    bias(rows)


def sequences(asked, folder):
    """Volumes by the motion along the sequence"""
    print(HEADER)
    rows = []
    for patient in asked.patients:
        last = frame_number(asked.expert[patient][1]) - 1
        motion(asked.program, [next(patient.glob("*_4d.nii.gz"))], folder / "whole", "--lagrangian", "--frames",
               f"0:{last}", "--overwrite")
        field = folder / f"whole/lagrangian_{last:04d}.mha"
        rows += volumes(asked.program, patient.name + ", its slices", [field],
                        *(on_grid_of(asked.read(path), field) for path in asked.expert[patient]), folder)
    bias(rows)


def drifts(asked, folder):
    """What remains after a cycle"""
    print("| | frames | pairs composed | estimated from the first frame |")
    for patient in asked.patients:
        early = asked.read(asked.expert[patient][0])
        drift(asked.program, patient.name, next(patient.glob("*_4d.nii.gz")), folder,
              lambda field, early=early: on_grid_of(early, field) == WALL)
    for image in sorted((asked.data / "itksnap_4d").glob("img4d*.nii.gz")):
        labels = asked.read(image.with_name(image.name.replace("img", "seg")))[:, :, :, 0]
        drift(asked.program, "itksnap_4d", image, folder, lambda field, labels=labels: on_grid_of(labels, field))
    if asked.demo:
        found = folder / "demo.nii.gz"
        run(asked.program, "segment", asked.demo, "--frame", 0, f"--points={DEMO_POINTS}", "--wall", "-o", found)
        drift(asked.program, "bundled cine MR", asked.demo, folder,
              lambda field: on_grid_of(asked.read(found), field) == 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("data", type=Path)
    parser.add_argument("demo", nargs="?")
    parser.add_argument("--only", choices=("pairs", "sequences", "drift"), help="this table alone")
    asked = parser.parse_args()
    patients = sorted((asked.data / "acdc_cinemri").glob("patient*"))
    expert = {p: sorted(p.glob("*_gt.nii.gz")) for p in patients}
    read = lambda path: SimpleITK.ReadImage(str(path))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        asked.read, asked.patients, asked.expert = read, patients, expert
        for name, table in (("pairs", pairs), ("sequences", sequences), ("drift", drifts)):
            if asked.only in (None, name):
                table(asked, folder)


if __name__ == "__main__":
    main()
