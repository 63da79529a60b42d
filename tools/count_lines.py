#!/usr/bin/env python3
"""Counts the lines of production code that are neither blank nor only a comment.

    tools/count_lines.py [ROOT [FOLDER...]]

Prints a line per folder, by default the layers, and their sum.
"""

import sys
from pathlib import Path

LAYERS = ("app", "bench", "compute", "io", "render")
SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}


def code_lines(text):
    """How many lines of a file are neither blank nor only a comment."""
    count, in_comment = 0, False
    for line in text.splitlines():
        rest = line.strip()
        if in_comment or rest.startswith("/*"):
            in_comment = "*/" not in rest
            rest = "" if in_comment else rest.split("*/", 1)[1].strip()
        count += bool(rest) and not rest.startswith("//")
    return count


def count(folder):
    return sum(code_lines(file.read_text(encoding="utf-8"))
               for file in folder.rglob("*") if file.suffix in SUFFIXES)


def main(root, folders):
    for folder in folders or LAYERS:
        print(f"{folder:12} {count(root / folder):7}")
    if not folders:
        print(f"{'together':12} {sum(count(root / layer) for layer in LAYERS):7}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent, sys.argv[2:])
