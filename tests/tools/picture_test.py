#!/usr/bin/env python3
"""Draws pictures by `systole snapshot` and compares them with those in tests/pictures/.

    tests/tools/picture_test.py --program SYSTOLE [--only NAME]... [--update] [--output FOLDER] [--jobs N]

A line of tests/pictures/views.txt is a picture:

    name | data | arguments | tolerance

data is a file of the tree, or `phantom` with its arguments: that phantom is made first. {data} in the arguments
is the folder of the data. The tolerance is two numbers, the greatest mean and the greatest single absolute
difference of gray or color values (0 to 255) from tests/pictures/NAME.png.

A picture that differs is written to FOLDER, with NAME_difference.png: baseline, picture and four times their
difference, side by side. --update writes the baselines instead; look at each of them before it is committed.

Ends with code 1 if a picture differs, and with code 77 where Mesa's llvmpipe doesn't draw: another renderer sets
other pixels.
"""

import argparse
import os
import shlex
import struct
import subprocess
import sys
import tempfile
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PICTURES = ROOT / "tests" / "pictures"
sys.path.insert(0, str(ROOT / "tools"))

from virtual_viewer import write_png

# All of it decides pixels, or saves time on a computer that does something else as well.
ALWAYS = ["--no-caption", "--backend", "cpu", "--upload", "host", "--threads", "2"]
SKIPPED = 77


class Skip(Exception):
    """The picture can't be compared on this machine."""


def read_views():
    views = {}
    for line in (PICTURES / "views.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, data, arguments, tolerance = (part.strip() for part in line.split(" | "))
            if name in views:
                sys.exit(f"views.txt: {name} stands there twice")
            views[name] = (data, shlex.split(arguments), [float(number) for number in tolerance.split()])
    return views


def chunks(data):
    """The chunks of a PNG file: (kind, body)."""
    at = 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        yield kind, data[at + 8:at + 8 + length]
        at += 12 + length


def read_png(data):
    """Rows of RGB bytes of a PNG file with 8 bits per channel and no interlacing."""
    parts = list(chunks(data))
    width, height, bits, color, _, _, interlaced = struct.unpack(">2I5B", dict(parts)[b"IHDR"])
    if bits != 8 or color not in (2, 6) or interlaced:
        raise ValueError(f"PNG of color type {color} with {bits} bits")
    step = 3 if color == 2 else 4
    raw = zlib.decompress(b"".join(body for kind, body in parts if kind == b"IDAT"))
    stride, rows, above = width * step, [], bytearray(width * step)
    for y in range(height):
        start = y * (stride + 1)
        row, kind = bytearray(raw[start + 1:start + 1 + stride]), raw[start]
        if kind == 2:
            row = bytearray((a + b) & 255 for a, b in zip(row, above))
        elif kind:
            for x in range(stride):
                left, up = row[x - step] if x >= step else 0, above[x]
                if kind == 1:
                    guess = left
                elif kind == 3:
                    guess = (left + up) // 2
                else:  # Paeth's predictor
                    corner = above[x - step] if x >= step else 0
                    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
                    guess = left if to_left <= to_up and to_left <= to_corner else up if to_up <= to_corner else corner
                row[x] = (row[x] + guess) & 255
        rows.append(row)
        above = row
    if step == 4:
        for row in rows:
            del row[3::4]
    return rows


def compare(picture, baseline):
    """(mean, greatest) absolute difference of two pictures of the same size, and the rows of differences."""
    rows = [bytes(abs(a - b) for a, b in zip(row, other)) for row, other in zip(picture, baseline)]
    return sum(map(sum, rows)) / sum(map(len, rows)), max(map(max, rows)), rows


class Painter:
    """Draws views in a folder of its own; a phantom that several of them show is made once."""

    def __init__(self, program, folder):
        self.program, self.folder = program, Path(folder)
        # No settings of the user, no graphics card, no other language.
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("XDG_", "QT_", "SYSTOLE_", "LC_", "LANG"))}
        self.environment = {**kept, "HOME": folder, "LC_ALL": "C", "LIBGL_ALWAYS_SOFTWARE": "1",
                            "CUDA_VISIBLE_DEVICES": "", "LP_NUM_THREADS": "1"}
        self.made, self.lock = {}, threading.Lock()

    def run(self, words):
        return subprocess.run([self.program, *map(str, words)], cwd=ROOT, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def data(self, description):
        """File to open."""
        words = shlex.split(description)
        if words[0] != "phantom":
            return ROOT / description
        with self.lock:
            if description not in self.made:
                output = self.folder / f"phantom{len(self.made)}"
                done = self.run([*words, "-o", output, "--threads", 2])
                if done.returncode:
                    raise RuntimeError(done.stderr)
                self.made[description] = output / "sequence.nii.gz"
        return self.made[description]

    def draw(self, name, data, arguments):
        """The file of the picture, in bytes. Throws Skip where Mesa's llvmpipe doesn't draw."""
        sequence, output = self.data(data), self.folder / f"{name}.png"
        done = self.run(["snapshot", sequence, "-o", output, *ALWAYS,
                         *(word.replace("{data}", str(sequence.parent)) for word in arguments)])
        if done.returncode:
            opengl = [line for line in self.run(["doctor"]).stdout.splitlines() if line.startswith("OpenGL")]
            if not any("Mesa" in line or "OpenGL      4" in line for line in opengl):
                raise Skip("there is no OpenGL here")
            raise RuntimeError(done.stderr)
        picture = output.read_bytes()
        record = [body for kind, body in chunks(picture) if kind == b"tEXt" and body.startswith(b"systole\0")]
        if not record or b'"renderer":"llvmpipe' not in record[0]:
            raise Skip("something else than Mesa's llvmpipe draws here")
        return picture


def check(painter, name, view, chosen):
    """A line of the report, and the exit code."""
    data, arguments, (max_mean, max_single) = view
    try:
        picture = read_png(painter.draw(name, data, arguments))
    except Skip as reason:
        return f"{name}: skipped: {reason}", SKIPPED
    except RuntimeError as error:
        return f"{name}: not drawn: {error}", 1
    baseline = PICTURES / f"{name}.png"
    if chosen.update:
        write_png(baseline, picture)
        return f"{name}: written", 0
    if not baseline.exists():
        return f"{name}: there is no {baseline}; --update writes it", 1
    expected = read_png(baseline.read_bytes())
    size, wanted = ((len(rows[0]) // 3, len(rows)) for rows in (picture, expected))
    if size != wanted:
        return f"{name}: {size} pixels instead of {wanted}", 1
    mean, single, rows = compare(picture, expected)
    verdict = f"{name}: mean difference {mean:.4f} (max. {max_mean:g}), greatest {single} (max. {max_single:g})"
    if mean <= max_mean and single <= max_single:
        return verdict, 0
    chosen.output.mkdir(parents=True, exist_ok=True)
    write_png(chosen.output / f"{name}.png", picture)
    beside = chosen.output / f"{name}_difference.png"
    write_png(beside, [bytes(a) + bytes(b) + bytes(min(255, 4 * value) for value in c)
                       for a, b, c in zip(expected, picture, rows)])
    return f"{verdict}\n{name}: differs; see {beside}", 1


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", type=Path, required=True)
    arguments.add_argument("--only", metavar="NAME", action="append", help="name of a view; repeatable")
    arguments.add_argument("--update", action="store_true", help="write the baselines")
    arguments.add_argument("--output", type=Path, default=Path("pictures"), help="folder for pictures that differ")
    arguments.add_argument("--jobs", type=int, default=1, help="pictures to draw at the same time")
    chosen = arguments.parse_args()
    views = read_views()
    unknown = set(chosen.only or ()) - set(views)
    if unknown:
        arguments.error(f"views.txt has no {', '.join(sorted(unknown))}")
    codes = set()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(chosen.jobs) as pool:
        painter = Painter(chosen.program.resolve(), folder)
        for line, code in pool.map(lambda name: check(painter, name, views[name], chosen), chosen.only or views):
            print(line, flush=True)
            codes.add(code)
    sys.exit(1 if 1 in codes else SKIPPED if SKIPPED in codes else 0)


if __name__ == "__main__":
    main()
