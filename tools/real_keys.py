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
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SEQUENCE = ROOT / "assets" / "demo_cine_mr.nii.gz"
PATIENCE = 120  # seconds until something counts as hanging
COLUMN = 304  # width of the panels
SIZES = ((1400, 900), (900, 600))
CHECKS = []


def check(point, what, size=SIZES[0], options=()):
    def add(function):
        CHECKS.append((point, what, size, options, function))
        return function
    return add


def write_png(path, rows):
    """Rows of RGB bytes as a PNG file; each as its difference from the one above, which is smaller."""
    above = [bytes(len(rows[0])), *rows]
    raw = b"".join(b"\2" + bytes((a - b) & 255 for a, b in zip(row, before)) for row, before in zip(rows, above))

    def chunk(kind, body):
        return (struct.pack(">I", len(body)) + kind + body +
                struct.pack(">I", zlib.crc32(kind + body)))
    header = struct.pack(">2I5B", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
                     chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))


class Display:
    """An X server whose screen lies in a file."""

    def __init__(self, folder):
        ready, theirs = os.pipe()
        self.folder = Path(folder)
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(theirs), "-screen", "0", "1500x1000x24", "-fbdir", folder,
             "-noreset", "-nolisten", "tcp"], pass_fds=[theirs], stderr=subprocess.DEVNULL)
        os.close(theirs)
        with os.fdopen(ready) as number:
            self.name = ":" + number.readline().strip()

    def close(self):
        self.server.terminate()
        self.server.wait()

    def screen(self):
        """(width, height, rows of RGB bytes) of the screen, from its file in the XWD format."""
        data = (self.folder / "Xvfb_screen0").read_bytes()
        header = struct.unpack(">25I", data[:100])
        width, height, stride, colors = header[4], header[5], header[12], header[19]
        start = header[0] + 12 * colors
        rows = []
        for y in range(height):
            row = data[start + y * stride:start + y * stride + 4 * width]
            rgb = bytearray(3 * width)
            rgb[0::3], rgb[1::3], rgb[2::3] = row[2::4], row[1::4], row[0::4]
            rows.append(bytes(rgb))
        return width, height, rows

    def save(self, path, size):
        _, _, rows = self.screen()
        width, height = size
        write_png(path, [row[:3 * width] for row in rows[:height]])


class Viewer:
    """One run of the viewer, with the screen to itself."""

    def __init__(self, program, display, size, options, sequence=SEQUENCE):
        self.program, self.display, self.size = program, display, size
        self.home = Path(tempfile.mkdtemp(prefix="systole-keys-"))
        self.report = self.home / "report.json"
        self.environment = dict(os.environ, DISPLAY=display.name, HOME=str(self.home),
                                XDG_CONFIG_HOME=str(self.home / "config"),
                                XDG_CACHE_HOME=str(self.home / "cache"))
        self.process = subprocess.Popen(
            [program, "view", str(sequence), "--no-play", "--size", "%dx%d" % size,
             "--report", str(self.report), *options],
            env=self.environment, stderr=subprocess.PIPE, text=True)
        self.window = self.find("^%s – Systole$" % Path(sequence).name)
        self.xdotool("windowmove", "--sync", self.window, "0", "0", "windowfocus", "--sync", self.window)

    def xdotool(self, *words):
        return subprocess.run(["xdotool", *words], env=self.environment, check=True, text=True,
                              timeout=PATIENCE, stdout=subprocess.PIPE).stdout.split()

    def search(self, *words):
        """The ids of the visible windows found; none also while another window just goes away."""
        found = subprocess.run(["xdotool", "search", "--onlyvisible", *words], text=True,
                               env=self.environment, timeout=PATIENCE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
        return found.stdout.split() if found.returncode == 0 else []

    def find(self, title):
        """The id of a visible window, waited for."""
        while self.process.poll() is None:
            found = self.search("--name", title)
            if found:
                return found[-1]
        raise RuntimeError("the viewer ended before it showed '%s'" % title)

    def windows(self):
        """How many windows and menus of the viewer are on the screen."""
        return len(self.search("--class", "systole"))

    def keys_until(self, windows, *names):
        """Presses keys that open or close something, and waits until so many windows are there."""
        self.keys(*names)
        while self.windows() != windows:
            pass

    def keys(self, *names):
        self.xdotool("key", "--delay", "0", *names)

    def click(self, x, y, modifier=None, times=1):
        words = ["mousemove", str(x), str(y)]
        if modifier:
            words += ["keydown", modifier]
        words += ["click", "--repeat", str(times), "--delay", "0", "1"]
        if modifier:
            words += ["keyup", modifier]
        self.xdotool(*words)

    def column_top(self):
        """The first line of the panels' column, known by its ground, once an image is drawn: before
        that a bar that shows the loading may lie above it."""
        ground = bytes((27, 28, 32))
        x = 3 * (self.size[0] - COLUMN + 3)
        while self.process.poll() is None:
            rows = self.display.screen()[2][40:self.size[1] - 80]
            image = any(max(row[:x // 2]) > 200 and row[x:x + 3] == ground for row in rows[::10])
            if image:
                rows = self.display.screen()[2]
                return next(y for y, row in enumerate(rows) if row[x:x + 3] == ground)
        raise RuntimeError("the viewer ended before it drew an image")

    def settled_column(self):
        """The first line of the panels' column, once the column looks the same several times in a
        row: panels find their sizes while they are drawn for the first times."""
        seen = []
        while len(seen) < 5:
            top = self.column_top()
            self.xdotool("getmouselocation")  # the X server has handled what came before
            column = [row[3 * (self.size[0] - COLUMN):3 * self.size[0]]
                      for row in self.display.screen()[2][:self.size[1] - 80]]
            if seen and seen[-1] != (top, column):
                seen = []
            seen.append((top, column))
        return top

    def panel_row(self, row):
        """A point in a line of the panels' column, counted from its first heading; in the column of
        sliders."""
        return self.size[0] - 80, self.settled_column() + 15 + 22 * row

    def state(self):
        """Quits; what the user set and what was shown at the end."""
        if self.process.poll() is None:
            self.xdotool("windowfocus", "--sync", self.window)
            self.keys("ctrl+q")
        _, errors = self.process.communicate(timeout=PATIENCE)
        if self.process.returncode != 0:
            raise RuntimeError("the viewer ended with code %d: %s" % (self.process.returncode, errors))
        return json.loads(self.report.read_text(encoding="utf-8"))["state"]

    def command(self, *words):
        """Another command of the program: its exit code."""
        return subprocess.run([self.program, *words], env=self.environment, timeout=PATIENCE,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)


def pixels(path):
    """What decides the pixels of a PNG file: its header and its unpacked image data."""
    data, at, header, packed = path.read_bytes(), 8, b"", b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        header += body if kind == b"IHDR" else b""
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    return header, zlib.decompress(packed)


def differs(state, **wanted):
    """A sentence about the first value that isn't as wanted."""
    for name, value in wanted.items():
        if state[name] != value:
            return "%s is %r instead of %r" % (name, state[name], value)
    return None


# "Motion parameters": the column is scrolled to its heading; then its switch, method and title, preset,
# backend, reference, a line.
FIRST_PARAMETER = 7
PARAMETERS = ("--panel", "Motion parameters")


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
