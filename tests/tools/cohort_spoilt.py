#!/usr/bin/env python3
"""The report of a cohort of which three cases are spoilt: they come first, with the reason.

    tests/tools/cohort_spoilt.py [--program PROGRAM] [--cases N] [--keep FOLDER] [-- OPTIONS OF THE COMMAND]

Of N hearts drawn from the phantom's family one has a wrong spacing, one a frame of noise, and one two frames in
the other's place. With --keep the study and its results stay in FOLDER. Ends with 77 if Snakemake isn't
installed."""
import argparse
import gzip
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

# Case, and a clause that its row of the report must have.
SPOILT = {3: "voxel width", 11: "largest change between frames", 17: "largest change between frames"}


class Nifti:
    """Bytes of a file: a header of 348 and from vox_offset on the voxels, frame by frame."""

    def __init__(self, path):
        self.path, self.data = path, bytearray(gzip.decompress(path.read_bytes()))
        self.begin = int(struct.unpack_from("<f", self.data, 108)[0])
        self.frames = max(1, struct.unpack_from("<h", self.data, 48)[0])
        self.length = (len(self.data) - self.begin) // self.frames

    def frame(self, number):
        at = self.begin + number * self.length
        return slice(at, at + self.length)

    def scale(self, factor):
        for at in [76 + 4 * axis for axis in (1, 2, 3)] + [268 + 4 * k for k in range(3)] + [280 + 4 * k for k in range(12)]:
            struct.pack_into("<f", self.data, at, struct.unpack_from("<f", self.data, at)[0] * factor)

    def save(self):
        self.path.write_bytes(gzip.compress(bytes(self.data), 1, mtime=0))


def spoil(study):
    for name in ("sequence", "labels"):
        image = Nifti(study / f"h3/{name}.nii.gz")
        image.scale(2.5)
        image.save()
    image = Nifti(study / "h11/sequence.nii.gz")
    size = struct.unpack_from("<h", image.data, 72)[0] // 8
    voxels = [image.data[image.frame(3)][k:k + size] for k in range(0, image.length, size)]
    random.Random(1).shuffle(voxels)
    image.data[image.frame(3)] = b"".join(voxels)
    image.save()
    image = Nifti(study / "h17/sequence.nii.gz")
    first, second = (bytes(image.data[image.frame(number)]) for number in (2, 5))
    image.data[image.frame(2)], image.data[image.frame(5)] = second, first
    image.save()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/systole")
    parser.add_argument("--cases", type=int, default=24)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("words", nargs="*", help="more options of the command, after --")
    options = parser.parse_args()
    if not shutil.which("snakemake"):
        print("cohort_spoilt: skipped: Snakemake isn't installed (tools/deps.sh cohort)")
        return 77
    program = str(pathlib.Path(options.program).resolve())
    with tempfile.TemporaryDirectory() as folder:
        top = (options.keep or pathlib.Path(folder)).resolve()
        study = top / "study"
        rows = ["file,id,labels,group,reference_ef"]
        for case in range(1, options.cases + 1):
            subprocess.run([program, "phantom", "-o", str(study / f"h{case}"), "--family", "echo", "--size", "32",
                            "--frames", "8", "--seed", str(case)], check=True, stdout=subprocess.DEVNULL)
            rows.append(f"h{case}/sequence.nii.gz,{case:02},h{case}/labels.nii.gz,{'ab'[case % 2]},{50 + case % 7}")
        spoil(study)
        (study / "cases.csv").write_text("\n".join(rows) + "\n")
        subprocess.run([program, "cohort", str(study / "cases.csv"), str(top / "results"), "--backend", "cpu",
                        *options.words], check=True)
        page = (top / "results/report.html").read_text()
        found = re.findall(r'<tr class="outlier"><td><a[^>]*>sub-(\d+)</a>(.*?)</tr>', page, re.DOTALL)
        print("outliers:", ", ".join(case for case, _ in found))
        first = {int(case): row for case, row in found[:3]}
        wrong = [case for case, clause in SPOILT.items() if clause not in first.get(case, "")]
    print(f"{options.cases} cases, {len(found)} outliers; spoilt and not among the first three with the reason: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
