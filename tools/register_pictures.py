#!/usr/bin/env python3
"""Makes the pictures of the Register panel in docs/pictures: a real window under Xvfb, driven by
clicks as tools/real_keys.py does it.

    tools/register_pictures.py PROGRAM [FOLDER]

FOLDER is docs/pictures unless it is given. The pictures are of the bundled sequence, its frames 0 and 8,
affine first, then ffd, without arrows; and of the letter C and the ball of `phantom --c-to-ball`,
by the unbiased method. Needs Xvfb and xdotool.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from virtual_viewer import COLUMN, ROOT, Display, Viewer, write_png

SIZE = (1280, 800)
OPTIONS = ("--panel", "Register", "--layout", "three")
METHOD, UNBIASED = 228, 322  # lines of the panel and of its open list, pixels from the window's upper edge
START, VIEW, SLIDER = 335, 361, 401
RIGHT = SIZE[0] - 110  # in its widgets
SLIDER_FROM, SLIDER_TO = SIZE[0] - 192, SIZE[0] - 26
ENTRY = 18  # height of an entry of a list
VIEWS = {"fixed": 0, "warped": 1, "difference": 2, "checkerboard": 3, "flicker": 4, "grid": 5, "jacobian": 6, "log": 7}


def still(viewer, seconds=2.0):
    """Waits until the window hasn't changed for so long; then what it shows."""
    last, since = None, time.monotonic()
    while time.monotonic() - since < seconds:
        now = viewer.display.screen()[2][:SIZE[1]]
        if now != last:
            last, since = now, time.monotonic()
        time.sleep(0.1)
    return [row[:3 * SIZE[0]] for row in last]


def choose(viewer, view):
    viewer.click(RIGHT, VIEW)
    time.sleep(0.5)
    viewer.click(RIGHT, VIEW + 22 + ENTRY * VIEWS[view])
    viewer.xdotool("mousemove", "20", str(SIZE[1] - 20))


def rewind(viewer, part):
    """Drags the slider to a part of its way, from 0 to 1."""
    to = round(SLIDER_FROM + part * (SLIDER_TO - SLIDER_FROM))
    viewer.xdotool("mousemove", str(SLIDER_TO - 4), str(SLIDER), "mousedown", "1")
    time.sleep(0.3)
    viewer.xdotool("mousemove", str(to), str(SLIDER))
    time.sleep(0.3)
    viewer.xdotool("mouseup", "1", "mousemove", "20", str(SIZE[1] - 20))


def crop(rows, left, top, width, height):
    return [row[3 * left:3 * (left + width)] for row in rows[top:top + height]]


def beside(pictures):
    gap = bytes((60, 60, 66)) * 4
    return [gap.join(rows) for rows in zip(*pictures)]


def slices(rows):
    """The image in the coronal slice, the middle one of the three."""
    width = (SIZE[0] - COLUMN) // 3
    return crop(rows, width + 2, 130, width - 4, 500)


def axial(rows):
    """The image in the axial slice, a square of the window."""
    return crop(rows, 20, 238, 284, 284)


def letter(program, folder, screen):
    """The letter C to the ball: the window at the end, and how it forms."""
    made = Path(screen) / "letter"
    subprocess.run([program, "phantom", "--c-to-ball", "--size", "64", "--field-of-view", "64", "-o", str(made)],
                   check=True, stdout=subprocess.DEVNULL)
    display = Display(screen)
    viewer = Viewer(program, display, SIZE, (*OPTIONS, "--overlay", "bare"), made / "sequence.nii.gz")
    try:
        still(viewer)
        viewer.keys("g")  # no arrows
        viewer.click(RIGHT, METHOD)
        time.sleep(0.5)
        viewer.click(RIGHT, UNBIASED)
        time.sleep(0.5)
        viewer.click(SIZE[0] - COLUMN + 27, START)
        viewer.xdotool("mousemove", "20", str(SIZE[1] - 20))
        still(viewer, 4)
        choose(viewer, "fixed")
        moments = [axial(still(viewer))]
        choose(viewer, "grid")
        for part in (0.0, 0.4, 1.0):
            rewind(viewer, part)
            moments.append(axial(still(viewer)))
        choose(viewer, "log")
        rows = still(viewer)
        write_png(folder / "letter_panel.png", rows)
        write_png(folder / "letter_forming.png", beside(moments + [axial(rows)]))
    finally:
        viewer.close()
        display.close()


def main():
    program = sys.argv[1]
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs" / "pictures"
    with tempfile.TemporaryDirectory() as screen:
        letter(program, folder, screen)
    with tempfile.TemporaryDirectory() as screen:
        display = Display(screen)
        viewer = Viewer(program, display, SIZE, OPTIONS)
        try:
            still(viewer)
            viewer.keys("g")  # no arrows
            viewer.click(SIZE[0] - COLUMN + 27, START)
            viewer.xdotool("mousemove", "20", str(SIZE[1] - 20))
            write_png(folder / "register_panel.png", still(viewer, 4))
            choose(viewer, "grid")
            grid = slices(still(viewer))
            choose(viewer, "jacobian")
            write_png(folder / "register_grid_jacobian.png", beside([grid, slices(still(viewer))]))
            choose(viewer, "difference")
            moments = []
            for part in (0.0, 0.17, 1.0):
                rewind(viewer, part)
                rows = still(viewer)
                moments.append(slices(rows))
                if part == 0.17:
                    write_png(folder / "register_rewind.png", rows)
            write_png(folder / "register_forming.png", beside(moments))
        finally:
            viewer.close()
            display.close()


if __name__ == "__main__":
    main()
