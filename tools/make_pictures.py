#!/usr/bin/env python3
"""Makes the pictures of docs/ that need no GPU again, by the commands below.

    tools/make_pictures.py SYSTOLE [--output FOLDER] [NAME...]

SYSTOLE is the program; NAMEs are of pictures below, without ending; all if none is given. Those of the
window need Xvfb. The records of the pictures are left out, for they name files of the machine that made them.
What shows times wants an idle machine.
"""

import argparse
import glob
import shlex
import struct
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEMO = "assets/demo_cine_mr.nii.gz"
POINTS = "0,0,-31;0,0,41;29,0,29"

# What the pictures below are made from, in a folder of their own: {work}.
DATA = {
    "echo": ["phantom -o {work}/echo --size 64 --frames 20"],
    "heart": ["phantom -o {work}/heart --size 64 --frames 10",
              "landmarks detect {work}/heart/sequence.nii.gz --mask {work}/heart/labels.nii.gz --spacing 6 "
              "-o {work}/heart.csv"],
    "small": ["phantom -o {work}/small --size 48 --frames 8"],
    "chest": ["phantom --lungs --frames 10 --size 100 --breath 20 -o {work}/chest"],
    "lungs": ["phantom --lungs --frames 2 --dirlab-case case3 -o {work}/lungs"],
}

# Picture: what it is made from, and the command without its output.
PICTURES = {
    "viewer": ("", f"view {DEMO} --frame 5 --size 1400x900"),
    "timing": ("", f"view {DEMO} --layout three --play --keep-estimating --size 1400x900 --panel Timing --after 15"),
    "side_by_side_cpu": ("", f"snapshot {DEMO} --frame 4 --layout side --overlay arrows,magnitude --backend cpu "
                             "--compare-backend cpu-reference --panel 'Side by side' --live 3 --size 1600x900 --no-caption"),
    "laboratory": ("", f"snapshot {DEMO} --panel Laboratory --lesson 1 --overlay magnitude --size 1600x1000 --no-caption"),
    "lesson": ("", "view --lesson 1 --backend cpu"),
    "lesson_bias": ("", "view --lesson 14 --backend cpu --bias-repetitions 3"),
    "landmarks_demo": ("", f"snapshot {DEMO} --frame 8 --landmarks-detect --landmarks-frame 0 --overlay landmarks "
                           "--panel Landmarks --size 1100x720"),
    "landmarks_lungs": ("chest", "snapshot {work}/chest/case1_T*.mhd --frame 5 --landmarks {work}/chest/case1_300_T00_xyz.txt "
                                 "--landmark-reference {work}/chest/case1_tracks.csv --landmarks-set reach=24 "
                                 "--landmarks-set levels=3 --overlay landmarks --landmark-color error "
                                 "--crosshair=62,123,-116 --panel Landmarks --size 1100x720"),
    "landmarks_wall": ("heart", "snapshot {work}/heart/sequence.nii.gz --frame 5 --landmarks {work}/heart.csv "
                                "--landmark-wall {work}/heart/labels.nii.gz --overlay landmarks --landmark-radius 2 "
                                "--landmark-slab 6 --volume-opacity 0.02 --crosshair=0,-5,-39 --panel Landmarks --size 1200x760"),
    "segment_points_demo": ("", f"snapshot {DEMO} --segment-points '49,-24,-39;21,13,27;27,-33,5' --segment-wall "
                                "--panel Segment --crosshair=35,-4,-2 --size 1100x720"),
    "segment_points_echo": ("echo", f"snapshot {{work}}/echo/sequence.nii.gz --segment-points '{POINTS}' --segment-wall "
                                    "--panel Segment --modality echo --crosshair=0,0,9 "
                                    "--volume-opacity 0.1 --size 1100x720"),
    "segment_curve": ("echo", f"snapshot {{work}}/echo/sequence.nii.gz --segment-points '{POINTS}' --segment-all "
                              "--surface-denoise --panel Surface --modality echo --layout single "
                              "--volume-opacity 0.1 --size 760x620"),
    "surface_curve": ("small", "snapshot {work}/small/sequence.nii.gz --surface {work}/small/labels.nii.gz:2 --surface-denoise "
                               "--volume-opacity 0.12 --frame 4 --panel Surface --layout single "
                               "--surface-color displacement --size 760x620 --no-caption"),
    "lungs": ("lungs", "snapshot {work}/lungs --size 1280x800"),
}


def without_text(png):
    """A PNG without the chunks that hold text."""
    kept, place = [png[:8]], 8
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place:place + 8])
        if kind not in (b"tEXt", b"zTXt", b"iTXt"):
            kept.append(png[place:place + 12 + length])
        place += 12 + length
    return b"".join(kept)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("systole", type=Path)
    arguments.add_argument("names", nargs="*", metavar="NAME")
    arguments.add_argument("--output", type=Path, default=ROOT / "docs/pictures")
    chosen = arguments.parse_intermixed_args()
    unknown = set(chosen.names) - set(PICTURES)
    if unknown:
        arguments.error(f"there is no picture {', '.join(sorted(unknown))}; there are {', '.join(PICTURES)}")
    with tempfile.TemporaryDirectory() as work:

        def run(command, more=()):
            words = [found for word in shlex.split(command.format(work=work))
                     for found in (sorted(glob.glob(word)) if "*" in word else [word])]
            display = ["xvfb-run", "-a", "-s", "-screen 0 1920x1200x24"] if words[0] == "view" else []
            subprocess.run([*display, chosen.systole.resolve(), *words, *more], cwd=ROOT, check=True)

        made = set()
        for name in chosen.names or PICTURES:
            data, command = PICTURES[name]
            if data and data not in made:
                made.add(data)
                for step in DATA[data]:
                    run(step)
            picture = Path(work) / f"{name}.png"
            run(command, ["--screenshot" if command.startswith("view") else "-o", str(picture)])
            (chosen.output / picture.name).write_bytes(without_text(picture.read_bytes()))


if __name__ == "__main__":
    main()
