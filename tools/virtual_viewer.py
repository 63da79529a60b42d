"""The viewer on an X server of its own, driven by xdotool; tools/real_keys.py drives it.

Nothing waits for a duration: a window is driven when its title says that the file is open, and keys are
handled in their order."""

import json
import os
import shutil
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SEQUENCE = ROOT / "assets" / "demo_cine_mr.nii.gz"
PATIENCE = 120  # seconds until something counts as hanging
COLUMN = 304  # width of the panels
SIZES = ((1400, 900), (900, 600))


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
