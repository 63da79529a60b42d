#!/usr/bin/env python3
"""Measures `systole segment --wall` against labels: Dice, and volumes over the labels' own.

    tools/segment_table.py PROGRAM DATA [PROGRAM_BEFORE] [--seeds N] [--only NAME]

DATA holds acdc_cinemri, fetal_echo and itksnap_4d, as SYSTOLE_DATA_DIR does; what isn't there is skipped. Phantoms
(echo with shadows and dropouts, N seeds) are made by PROGRAM. Sequences without labels of the chamber (the bundled
one, itksnap_4d) have a table of their own: volumes over the frames, and whether the cycle closes. Points follow from the labels by one rule:
the click is the middle of the cavity; the mitral ring and the apex are the middles of the first and last
slice of the cavity in a stack of slices, else the middle of its open face and the voxel farthest from that;
the insertion is where the right ventricle's label, else any direction, meets the wall at half height.
Needs numpy, scipy and nibabel.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import nibabel
import numpy
from scipy import ndimage

CAVITY, WALL = 1, 2


def middle(mask):
    return numpy.argwhere(mask).mean(0)


def points_in_slices(labels, right):
    """Apex, mitral ring and insertion, voxels, of a stack of slices along z."""
    slices = [k for k in range(labels.shape[2]) if (labels[:, :, k] == CAVITY).any()]
    base, apex = slices[0], slices[-1]
    if (labels[:, :, base] == CAVITY).sum() < (labels[:, :, apex] == CAVITY).sum():
        base, apex = apex, base
    center = {k: numpy.append(middle(labels[:, :, k] == CAVITY), k) for k in slices}
    beyond = numpy.sign(base - apex)
    ring = center[base] + [0, 0, 0.45 * beyond]
    tip = center[apex] + [0, 0, -0.25 * beyond]
    tip[2] = numpy.clip(tip[2], 0, labels.shape[2] - 0.55)
    for k in sorted(slices, key=lambda k: abs(k - (base + apex) / 2)):
        joint = (labels[:, :, k] == WALL) & ndimage.binary_dilation(right[:, :, k], iterations=2)
        if joint.any():
            break
    places = numpy.argwhere(joint)
    arms = places - center[k][:2]
    septum = arms.mean(0)
    turn = numpy.arctan2(arms[:, 1] * septum[0] - arms[:, 0] * septum[1], arms @ septum)
    return tip, ring, numpy.append(places[turn.argmax()], k)


def points_in_volume(labels):
    """The same of cubes."""
    cavity = labels == CAVITY
    ring = middle(cavity & ndimage.binary_dilation(labels == 0))
    edge = numpy.argwhere(cavity & ~ndimage.binary_erosion(cavity))
    tip = edge[((edge - ring) ** 2).sum(1).argmax()]
    up = (ring - tip) / numpy.linalg.norm(ring - tip)
    height = tip + 0.6 * (ring - tip)
    aside = numpy.cross(up, [0.0, 0, 1])
    aside = aside / numpy.linalg.norm(aside) if numpy.linalg.norm(aside) > 0.1 else numpy.array([1.0, 0, 0])
    arms = numpy.argwhere(labels == WALL) - height
    along = arms @ aside
    near = numpy.linalg.norm(arms - numpy.outer(along, aside), axis=1) < 1.5
    return tip, ring, height + aside * along[near & (along > 0)].max()


def cases(data, program, folder, seeds):
    """(name, image, labels with 1 cavity and 2 wall, right ventricle or None)"""

    def case(name, image, labels, cavity, wall, right=None):
        truth = numpy.asarray(nibabel.load(labels).dataobj)
        kept = numpy.where(truth == cavity, CAVITY, numpy.where(truth == wall, WALL, 0))
        return name, image, kept, None if right is None else truth == right

    for labels in sorted((data / "acdc_cinemri").glob("*/*_gt.nii.gz")):
        name = labels.name.removesuffix("_gt.nii.gz")
        yield case(name.removeprefix("c_"), labels.with_name(name + ".nii.gz"), labels, 3, 2, 1)
    for labels in sorted((data / "fetal_echo").glob("*_labels.nii.gz")):
        name = labels.name.removesuffix("_labels.nii.gz")
        yield case("fetus " + name, labels.with_name(name + ".nii.gz"), labels, 2, 1)
    for seed in range(1, seeds + 1):
        out = folder / f"shadows{seed}"
        made = [program, "phantom", "-o", str(out), "--size", "64", "--frames", "2", "--sector", "70",
                "--dropout", "0.9", "--seed", str(seed)]
        subprocess.run(made, check=True, capture_output=True)
        image = nibabel.load(out / "sequence.nii.gz")
        first = folder / f"first{seed}.nii.gz"
        nibabel.save(nibabel.Nifti1Image(image.get_fdata()[..., 0], image.affine), first)
        yield case(f"shadows {seed}", first, out / "labels.nii.gz", 2, 1)


def measure(program, image, labels, seeds, folder):
    out = folder / "found.nii.gz"
    done = subprocess.run([program, "segment", str(image), *seeds, "--voxel", "--wall", "-o", str(out), "--overwrite"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.strip().splitlines()[-1]
    found = numpy.asarray(nibabel.load(out).dataobj)
    figures = []
    for label in (CAVITY, WALL):
        a, b = found == label, labels == label
        figures += [2 * (a & b).sum() / (a.sum() + b.sum()), a.sum() / b.sum()]
    return figures + [json.loads((folder / "found.json").read_text())["frames"][0]["seconds"]]


def sequences(data):
    """(name, file, seeds in voxels) of what has no labels of chamber and wall."""
    click, points = (28, 27, 33), ((28, 27, 48), (28, 27, 21), (41, 27, 32))
    fine = data / "itksnap_4d" / "ultrasound_img4d.nii.gz"
    for name in ("ultrasound_img4d", "img4d_11f"):
        file = fine.with_name(name + ".nii.gz")
        if file.exists():
            image = nibabel.load(file)
            # The same heart in both: the fine one's points, where they lie in the other.
            across = numpy.linalg.inv(image.affine) @ nibabel.load(fine).affine
            there = lambda p: tuple(nibabel.affines.apply_affine(across, p))
            yield name, file, there(click), tuple(map(there, points))
    file = Path(__file__).parent.parent / "assets" / "demo_cine_mr.nii.gz"
    image = nibabel.load(file)
    from_lps = lambda p: tuple(nibabel.affines.apply_affine(numpy.linalg.inv(image.affine), (-p[0], -p[1], p[2])))
    yield "bundled", file, from_lps((34, 0, 15)), tuple(map(from_lps, ((49, -24, -39), (21, 13, 27), (27, -33, 5))))


def measure_sequence(program, image, seeds, folder):
    out = folder / "found.nii.gz"
    done = subprocess.run([program, "segment", str(image), *seeds, "--voxel", "--wall", "--all", "-o", str(out),
                           "--overwrite"], capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr.strip().splitlines()[-1]
    frames = json.loads((folder / "found.json").read_text())["frames"]
    chamber, wall = (numpy.array([f[name] for f in frames]) for name in ("chamber_ml", "wall_ml"))
    return "{:.1f} to {:.1f}, last {:+.1f} % of first; {:.1f} to {:.1f}, {:.1f} %".format(
        chamber.max(), chamber.min(), 100 * (chamber[-1] / chamber[0] - 1), wall.min(), wall.max(),
        100 * (wall.max() / wall.min() - 1))


def words(figures):
    """Of measure(): the figures, or why there are none."""
    if isinstance(figures, str):
        return figures
    return "{:.3f} ({:.2f}), {:.3f} ({:.2f}), {:.1f} s".format(*figures)


def seeds_of(click, three):
    text = lambda p: ",".join(f"{v:.3f}" for v in p)
    return (("one click", ["--seed=" + text(click)]), ("three points", ["--points=" + ";".join(map(text, three))]))


def print_means(measured):
    """Of each kind of seeds, over the phantoms: the means, and the least Dice of the wall."""
    for kind in dict.fromkeys(kind for kind, _ in measured):
        columns = zip(*(results for k, results in measured if k == kind))
        cells = []
        for column in columns:
            found = numpy.array([figures for figures in column if not isinstance(figures, str)])
            least = f", wall at least {found[:, 2].min():.3f}" if len(found) else ""
            mean = words(found.mean(0)) if len(found) else "none"
            cells.append(f"{mean}{least}, {len(found)} of {len(column)} found")
        print(f"| mean of shadows | {kind} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("data", type=Path)
    parser.add_argument("before", nargs="?")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    programs = [p for p in (asked.program, asked.before) if p]
    head = lambda what: print("| image | seeds |" + "".join(f" {p}: {what} |" for p in programs))
    head("chamber, wall")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        measured = []
        for name, image, labels, right in cases(asked.data, asked.program, folder, asked.seeds):
            if asked.only not in name:
                continue
            three = points_in_volume(labels) if right is None else points_in_slices(labels, right)
            for kind, seeds in seeds_of(middle(labels == CAVITY), three):
                results = [measure(p, image, labels, seeds, folder) for p in programs]
                print(f"| {name} | {kind} | " + " | ".join(map(words, results)) + " |", flush=True)
                if name.startswith("shadows"):
                    measured.append((kind, results))
        print_means(measured)
        head("ml of the chamber; of the wall, which should be constant")
        for name, image, click, three in sequences(asked.data):
            if asked.only in name:
                for kind, seeds in seeds_of(click, three):
                    cells = [measure_sequence(p, image, seeds, folder) for p in programs]
                    print(f"| {name} | {kind} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
