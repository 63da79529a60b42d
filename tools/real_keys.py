#!/usr/bin/env python3
"""Drives the viewer by real key presses and clicks, as fast as the X server takes them, and checks
what they did.

    tools/real_keys.py [PROGRAM] [--pictures DIR] [--only WORD]

Starts its own Xvfb; keys and clicks come from xdotool. Nothing waits for a duration: a window is
driven when its title says that the file is open, keys are handled in their order, and after Ctrl+Q
the viewer writes its state (view --report). Ends with code 77 if Xvfb or xdotool isn't installed, 1
if a check fails. With --pictures it writes pictures of the screen at 1400x900 and 900x600.

A check is a function with @check(point, what): it gets a Viewer and returns nothing, or a sentence
about what is wrong. Points: 1 a picture never lies, 2 scales that mean something, 3 nothing deleted
unasked, 4 no lost keys, 5 nothing in the menus that does not exist, 6 messages, 7 whole cycle,
8 undo and reset.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from virtual_viewer import COLUMN, FIRST_PARAMETER, PARAMETERS, ROOT, SEQUENCE, SIZES, Display, Viewer, differs, pixels

CHECKS = []


def check(point, what, size=SIZES[0], options=()):
    def add(function):
        CHECKS.append((point, what, size, options, function))
        return function
    return add


def typed(viewer, text, end):
    x, y = viewer.panel_row(FIRST_PARAMETER)
    viewer.click(x, y + 5, "ctrl")
    viewer.keys(*text, end, "space")


# --- 1: a picture never lies


@check(1, "a saved picture says what it shows, and is made again from that")
def remade(viewer):
    viewer.keys("period", "F12")
    viewer.state()
    saved = next(viewer.home.glob("systole_*.png"), None)
    if saved is None or b"systole\0" not in saved.read_bytes():
        return "there is no picture with its parameters"
    again = viewer.home / "again.png"
    code = viewer.command("snapshot", "--like", str(saved), "-o", str(again))
    if code != 0:
        return "snapshot --like ended with code %d" % code
    return None if pixels(saved) == pixels(again) else "the picture made again differs"


# --- 2: scales that mean something


@check(2, "playing and another parameter leave the scale as it is", options=PARAMETERS)
def scale(viewer):
    viewer.keys(*["period"] * 9)
    typed(viewer, "3", "Return")
    viewer.keys("Home", "ctrl+1", "ctrl+4")
    state = viewer.state()
    if "3" not in state["parameters"].values():
        return "no parameter became 3: %s" % state["parameters"]
    fresh = Viewer(viewer.program, viewer.display, viewer.size, ())
    try:
        fresh.column_top()
        return differs(state, scale=fresh.state()["scale"])
    finally:
        fresh.close()


# --- 3: nothing deleted unasked


@check(3, "an output file that exists is refused and stays")
def refused(viewer):
    viewer.state()
    precious = viewer.home / "precious.png"
    precious.write_text("mine")
    if viewer.command("snapshot", str(SEQUENCE), "-o", str(precious)) == 0:
        return "it was accepted"
    return None if precious.read_text() == "mine" else "it was replaced"


# --- 4: no lost keys


@check(4, "every step of a fast series counts")
def steps(viewer):
    viewer.keys("Home", *["period"] * 7, *["comma"] * 2, "Right", "Left")
    return differs(viewer.state(), frame=5, playing=False)


@check(4, "space plays and pauses")
def space(viewer):
    viewer.keys("space", "space", "space")
    return differs(viewer.state(), playing=True)


@check(4, "the same in a small window", size=SIZES[1], options=PARAMETERS)
@check(4, "a number typed into a panel, Return, and space plays", options=PARAMETERS)
def number(viewer):
    typed(viewer, "17", "Return")
    state = viewer.state()
    if "17" not in state["parameters"].values():
        return "no parameter became 17: %s" % state["parameters"]
    return differs(state, playing=True)


@check(4, "Escape leaves the field and its value, and space plays", options=PARAMETERS)
def escape(viewer):
    typed(viewer, "17", "Escape")
    state = viewer.state()
    if "17" in state["parameters"].values():
        return "a parameter became 17"
    return differs(state, playing=True)


@check(4, "a press and release between two pictures is a click", options=PARAMETERS)
def clicks(viewer):
    x, y = viewer.panel_row(1)  # the switch that estimates motion
    viewer.click(viewer.size[0] - COLUMN + 18, y)
    return differs(viewer.state(), estimating=False)


# --- 5: what menus and keys promise


@check(5, "the switches' keys switch")
def switches(viewer):
    viewer.keys("v", "o", "g", "ctrl+2", "d", "period", "e", "m")
    state = viewer.state()
    display = {name: state["display"][name] for name in ("volume", "layout")}
    if display != {"volume": "off", "layout": "three"}:
        return "the display is %s" % display
    return differs(state, endDiastole=0, endSystole=1, estimating=False)


@check(5, "a menu is reached by the keyboard")
def menu(viewer):
    viewer.keys("alt+p", "n")  # Playback, Next frame
    return differs(viewer.state(), frame=1)


# --- 6: messages


@check(6, "a screenshot is where the message says")
def screenshot(viewer):
    viewer.keys("F12")
    viewer.state()
    files = list(viewer.home.glob("systole_*.png"))
    return None if len(files) == 1 else "there are %d pictures" % len(files)


# --- 8: undo


@check(8, "undo and redo by keys")
def undo(viewer):
    viewer.keys("v", "ctrl+2", "ctrl+z", "ctrl+z", "ctrl+shift+z")
    state = viewer.state()
    return None if (state["display"]["volume"], state["display"]["layout"]) == ("off", "four") \
        else "the display is %s" % state["display"]


def pictures(program, display, folder):
    """The window as it is, with its menus, key sheet and messages, in each size."""
    folder.mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        name = "%dx%d" % size
        viewer = Viewer(program, display, size, PARAMETERS)

        def save(what):
            display.save(folder / ("%s_%s.png" % (name, what)), size)
        try:
            viewer.column_top()
            save("window")
            alone = viewer.windows()
            viewer.keys_until(alone + 1, "h")
            save("keys")
            viewer.keys_until(alone, "h")
            viewer.xdotool("windowfocus", "--sync", viewer.window)
            viewer.keys("F12", "v")
            for key, menu_name in (("alt+e", "edit"), ("alt+v", "view"), ("alt+p", "playback")):
                viewer.keys_until(alone + 1, key)
                save(menu_name)
                viewer.keys_until(alone, "Escape", "Escape")
            viewer.keys_until(alone + 1, "alt+h", "m")
            viewer.find("^Messages$")
            save("messages")
            viewer.state()
        finally:
            viewer.close()


def main():
    parser = argparse.ArgumentParser(description="Drives the viewer by real keys and clicks.")
    parser.add_argument("program", nargs="?", default=str(ROOT / "build" / "release" / "systole"))
    parser.add_argument("--pictures", type=Path, help="folder for pictures of the screen")
    parser.add_argument("--only", default="", help="only checks whose name contains this")
    options = parser.parse_args()
    missing = [tool for tool in ("Xvfb", "xdotool") if not shutil.which(tool)]
    if missing:
        print("skipped: %s isn't installed (apt-get install xvfb xdotool)" % " and ".join(missing))
        return 77
    failures = 0
    with tempfile.TemporaryDirectory(prefix="systole-screen-") as folder:
        display = Display(folder)
        try:
            for point, what, size, extra, function in CHECKS:
                if options.only not in function.__name__:
                    continue
                viewer = None
                try:
                    viewer = Viewer(options.program, display, size, extra)
                    wrong = function(viewer)
                except (RuntimeError, OSError, subprocess.SubprocessError) as error:
                    wrong = str(error)
                finally:
                    if viewer:
                        viewer.close()
                failures += wrong is not None
                print("%-6s %d  %s%s" % ("failed" if wrong else "ok", point, what,
                                         ": " + wrong if wrong else ""), flush=True)
            if options.pictures:
                pictures(options.program, display, options.pictures)
        finally:
            display.close()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
