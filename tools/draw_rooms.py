#!/usr/bin/env python3
"""Draws a tree's folders and the includes between them, from the sources alone: independent of the rules in
check_layers.py.

    tools/draw_rooms.py [--one FOLDER]... [--dot FILE] [ROOT [FOLDER]]

    FOLDER          draw what lies in it; default: app
    --one FOLDER    everything below this folder counts as one room
    --dot FILE      also write the drawing for Graphviz

Prints a line per floor (a room stands above all that it includes), then rooms, floors, arrows, arrows within
--one folders, and circles.
"""

import argparse
import re
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}


def arrows_of(root, top):
    """(folder, folder that one of its files includes) below the folder `top`."""
    folder = lambda path: path.rsplit("/", 1)[0]  # noqa: E731
    return {(folder(file.relative_to(root).as_posix()), folder(target))
            for file in (root / top).rglob("*") if file.suffix in SUFFIXES
            for target in INCLUDE.findall(file.read_text(encoding="utf-8")) if target.startswith(top + "/")
            if folder(target) != folder(file.relative_to(root).as_posix())}


def floors_of(rooms, arrows):
    """(list of floors, the lowest first; rooms in circles or above one)."""
    floors, left = [], set(rooms)
    while left:
        ready = {room for room in left if not any(a == room and b in left for a, b in arrows)}
        if not ready:
            break
        floors.append(sorted(ready))
        left -= ready
    return floors, left


def in_circles(rooms, arrows):
    """Rooms that reach themselves."""
    reach = {room: {b for a, b in arrows if a == room} for room in rooms}
    for _ in rooms:
        reach = {room: found.union(*(reach[other] for other in found)) for room, found in reach.items()}
    return sorted(room for room in rooms if room in reach[room])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--one", action="append", default=[])
    parser.add_argument("--dot", type=Path)
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("folder", nargs="?", default="app")
    options = parser.parse_args()
    merged = lambda room: next((one for one in options.one if room.startswith(one + "/")), room)  # noqa: E731
    fine = arrows_of(options.root, options.folder)
    arrows = {(merged(a), merged(b)) for a, b in fine if merged(a) != merged(b)}
    inner = sorted((a, b) for a, b in fine if merged(a) == merged(b) != a and merged(b) != b)
    rooms = sorted({room for arrow in arrows for room in arrow})
    floors, above = floors_of(rooms, arrows)
    for number, floor in enumerate(floors, 1):
        print(f"{number:2} {', '.join(floor)}")
    circles = in_circles(rooms, arrows)
    print(f"{len(rooms)} rooms, {len(floors) + bool(above)} floors, {len(arrows)} arrows, "
          f"{len(inner)} arrows inside {', '.join(options.one) or 'no folder'}, "
          f"in circles: {', '.join(circles) or 'none'}")
    if options.dot:
        lines = [f'  "{a}" -> "{b}";' for a, b in sorted(arrows)]
        options.dot.write_text("digraph rooms {\n  rankdir=BT;\n" + "\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
