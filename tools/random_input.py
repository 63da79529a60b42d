#!/usr/bin/env python3
"""Random keys, clicks, drags, turns of the wheel and sizes for the viewer, from a seed.

    tools/random_input.py [PROGRAM] [--seed N] [--minutes M | --events N] [--size 1000x700]

Starts its own Xvfb; input comes from xdotool. The viewer has a home, settings and a copy of the sequence of its
own, and a file dialog gets Escape at once: random input doesn't reach a file of the user. The same seed gives the same
input; what it meets depends on how fast the viewer is. From time to time everything is closed by Escape, and
the key sheet must open and close: a viewer that doesn't do that within two minutes hangs. At the end it is
told to quit and must end with 0. For AddressSanitizer give a program that is built with it:
`ninja -C build/release sanitized_viewer`. Leaks aren't looked for: OpenGL's drivers, fontconfig and VTK keep
memory until the process ends.

Ends with code 77 if Xvfb or xdotool isn't installed, 1 after a crash or a hang, of which it prints seed, last
input and what the viewer wrote; of a hang also the visible windows and, with gdb, what the main thread does, and
the screen is kept as random-input-SEED.xwd.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from virtual_viewer import PATIENCE, ROOT, SEQUENCE, Display

# Each key of the menus, and some that a text field or list takes. None that leaves the program or empties a
# field for files: "Delete", "BackSpace", "ctrl+q".
KEYS = ("space", "period", "comma", "Right", "Left", "Home", "End", "plus", "minus", "d", "e", "shift+d", "shift+e",
        "ctrl+e", "m", "v", "o", "g", "n", "j", "s", "c", "x", "a", "p", "u", "k", "f", "b", "i", "w", "z", "r", "t",
        "shift+t", "l", "shift+l", "1", "3", "7", "ctrl+1", "ctrl+2", "ctrl+3", "ctrl+4", "Prior", "Next", "ctrl+z",
        "ctrl+shift+z", "F9", "F11", "F1", "shift+F1", "F12", "shift+F12", "ctrl+c", "ctrl+o", "h", "question",
        "Escape", "Tab", "Return", "Up", "Down", "alt+f", "alt+e", "alt+v", "alt+p", "alt+t", "alt+h")
BURSTS = (("h", "Escape", "Escape", "Escape"), ("h", "h", "h", "Escape"), ("F1", "Escape", "Escape"),
          ("shift+F1", "Escape", "Escape"), ("alt+h", "m", "Escape", "Escape"), ("alt+h", "a", "Escape", "Escape"),
          ("t", "Escape", "t", "Escape"), ("F11", "F11"), ("F9", "F9", "F9"), ("ctrl+4", "ctrl+3", "ctrl+4"))
# Windows that get random input; lists, menus and tooltips are called as the program.
OURS = ("systole", "Keys", "Lessons", "Manual", "Messages")
BATCH = 8
BATCHES_PER_LOOK = 60


class Hang(Exception):
    pass


class Run:
    """One run of the viewer."""

    def __init__(self, program, display, size, sequence):
        self.size = size
        self.home = Path(tempfile.mkdtemp(prefix="systole-random-"))
        (self.home / "bin").mkdir()
        opener = self.home / "bin" / "xdg-open"  # links of the manual open nothing
        opener.write_text("#!/bin/sh\n")
        opener.chmod(0o755)
        self.errors = open(self.home / "errors.txt", "w+", encoding="utf-8", errors="replace")
        self.environment = dict(os.environ, DISPLAY=display.name, HOME=str(self.home),
                                XDG_CONFIG_HOME=str(self.home / "config"), XDG_CACHE_HOME=str(self.home / "cache"),
                                PATH="%s:%s" % (self.home / "bin", os.environ["PATH"]))
        self.environment.setdefault("ASAN_OPTIONS", "detect_leaks=0:abort_on_error=0")
        # A file dialog that opens amid a batch may be answered: it starts in the folder of the sequence.
        self.sequence = shutil.copy(sequence, self.home)
        self.process = subprocess.Popen([os.path.abspath(program), "view", self.sequence], env=self.environment, cwd=self.home,
                                        stdout=subprocess.DEVNULL, stderr=self.errors)
        self.window = None
        self.events, self.last = 0, []

    def begin(self):
        """Waits for the window."""
        self.until(lambda: self.search("^%s – Systole$" % Path(self.sequence).name), "the first picture")
        self.window = self.search("– Systole$")[-1]
        self.xdotool("windowmove", self.window, "0", "0", "windowsize", self.window, *map(str, self.size),
                     "windowfocus", self.window)

    def xdotool(self, *words):
        return subprocess.run(["xdotool", *words], env=self.environment, text=True, timeout=PATIENCE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.split("\n")

    def search(self, title):
        return [window for window in self.xdotool("search", "--onlyvisible", "--name", title) if window]

    def windows(self):
        """(window, title) of those that are visible."""
        return [(window, " ".join(self.xdotool("getwindowname", window)).strip()) for window in self.search(".")]

    def alive(self):
        return self.process.poll() is None

    def until(self, holds, what):
        end = time.monotonic() + PATIENCE
        while self.alive():
            if holds():
                return
            if time.monotonic() > end:
                raise Hang(what)
            time.sleep(0.05)

    def close_dialogs(self):
        """Every window but ours gets Escape, also one that opens meanwhile."""
        for _ in range(20):
            others = [window for window, name in self.windows()
                      if name and name not in OURS and not name.endswith(" – Systole")]
            if not others or not self.alive():
                return
            # Without a window manager a click on the window behind has taken the keyboard from it.
            self.xdotool("windowfocus", others[-1], "key", "--delay", "0", "Escape")

    def look(self):
        """The window answers: the key sheet opens, and closes."""
        sheet = lambda: bool(self.search("^Keys$"))

        def press(key, wanted):
            def tried():
                if sheet() == wanted:
                    return True
                self.close_dialogs()
                self.xdotool("keyup", "shift", "keyup", "ctrl", "keyup", "alt", "mouseup", "1", "mouseup", "2",
                             "mouseup", "3", "key", "--delay", "0", "Escape", "Escape",
                             "windowfocus", self.window, "key", "--delay", "0", "Escape", key)
                end = time.monotonic() + 5  # of an answer that is on its way
                while time.monotonic() < end and self.alive() and sheet() != wanted:
                    time.sleep(0.05)
                return sheet() == wanted
            self.until(tried, "the key sheet to %s" % ("open" if wanted else "close"))
        press("Escape", False)
        press("h", True)
        press("Escape", False)

    def memory(self):
        """MB of resident memory, now and at most."""
        kilobytes = {}
        try:
            for line in Path("/proc/%d/status" % self.process.pid).read_text().splitlines():
                if line.startswith(("VmRSS:", "VmHWM:")):
                    kilobytes[line[:5]] = int(line.split()[1])
        except OSError:
            return 0, 0
        return kilobytes.get("VmRSS", 0) // 1024, kilobytes.get("VmHWM", 0) // 1024

    def end(self):
        """Quits by key; work that isn't saved is left to go. The exit code."""
        for attempt in range(40):
            if not self.alive():
                break
            self.xdotool("key", "--delay", "0", "Escape", "Escape", "windowfocus", self.window, "key", "ctrl+q")
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                # Asked about unsaved work: one of the buttons leaves it.
                self.xdotool("key", "--delay", "0", *["Tab"] * (attempt % 3 + 1), "Return")
        if self.alive():
            raise Hang("the end")
        return self.process.returncode

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def close(self):
        if self.alive():
            self.process.kill()
            self.process.wait()
        self.errors.close()
        shutil.rmtree(self.home, ignore_errors=True)


def event(choice, size):
    """Words for xdotool."""
    width, height = size
    spot = lambda: (str(choice.randrange(width)), str(choice.randrange(height)))
    # The column of panels and the menus are hit as often as the views.
    target = choice.random()
    if target < 0.3:
        spot = lambda: (str(width - 1 - choice.randrange(304)), str(choice.randrange(24, height - 60)))
    elif target < 0.4:
        spot = lambda: (str(choice.randrange(min(400, width))), str(choice.randrange(24)))
    elif target < 0.5:
        spot = lambda: (str(choice.randrange(width)), str(height - 1 - choice.randrange(62)))
    kind = choice.random()
    if kind < 0.40:
        return ["key", "--delay", "0", choice.choice(KEYS)]
    if kind < 0.48:
        return ["key", "--delay", "0", *choice.choice(BURSTS)]
    if kind < 0.68:
        return ["mousemove", *spot(), "click", choice.choice("1111123")]
    if kind < 0.72:
        return ["mousemove", *spot(), "keydown", "ctrl", "click", "1", "keyup", "ctrl", "key", "--delay", "0",
                *choice.choices("0123456789.-", k=3), choice.choice(("Return", "Escape", "Tab"))]
    if kind < 0.88:
        words = ["mousemove", *spot(), "mousedown", button := choice.choice("1112223")]
        for _ in range(choice.randrange(1, 5)):
            words += ["mousemove", *spot()]
        return [*words, *(["key", "Escape"] if choice.random() < 0.2 else []), "mouseup", button]
    if kind < 0.97:
        return ["mousemove", *spot(), "click", "--repeat", str(choice.randrange(1, 6)), "--delay", "0",
                choice.choice("45")]
    return ["sleep", "%.2f" % (0.3 * choice.random())]


def drive(run, choice, finished):
    """Random input until `finished(events)` or the end of the viewer."""
    batches = 0
    while run.alive() and not finished(run.events):
        # Without a window manager the keyboard is nobody's once a window has gone.
        words, size = ["windowfocus", run.window] if choice.random() < 0.5 else [], run.size
        for _ in range(BATCH):
            words += event(choice, size)
            run.events += 1
        if choice.random() < 0.03:
            run.size = (choice.randrange(640, 1480), choice.randrange(420, 980))
            words += ["windowsize", run.window, str(run.size[0]), str(run.size[1])]
        run.last = (run.last + [words])[-6:]
        run.xdotool(*words)
        run.close_dialogs()
        batches += 1
        if batches % BATCHES_PER_LOOK == 0:
            run.look()
            print("%6d events, %d MB (at most %d)" % (run.events, *run.memory()), flush=True)


def main():
    parser = argparse.ArgumentParser(description="Random input for the viewer.")
    parser.add_argument("program", nargs="?", default=str(ROOT / "build" / "release" / "systole"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--events", type=int, default=0, help="so many instead of minutes")
    parser.add_argument("--size", default="1000x700")
    parser.add_argument("--sequence", default=str(SEQUENCE))
    options = parser.parse_args()
    missing = [tool for tool in ("Xvfb", "xdotool") if not shutil.which(tool)]
    if missing:
        print("skipped: %s isn't installed (apt-get install xvfb xdotool)" % " and ".join(missing))
        return 77
    choice = random.Random(options.seed)
    size = tuple(int(side) for side in options.size.split("x"))
    end = time.monotonic() + 60 * options.minutes
    total, starts = 0, 0

    def finished(events):
        done = total + events
        return done >= options.events if options.events else time.monotonic() >= end

    with tempfile.TemporaryDirectory() as folder:
        display = Display(folder)
        run = None
        try:
            while not finished(0):
                run = Run(options.program, display, size, options.sequence)
                starts += 1
                run.begin()
                drive(run, choice, finished)
                total += run.events
                if run.alive():
                    run.look()
                    print("%6d events, %d MB (at most %d)" % (run.events, *run.memory()), flush=True)
                code = run.end()  # also of one that a click in the File menu ended
                if code != 0:
                    what = "signal %s" % signal.Signals(-code).name if code < 0 else "code %d" % code
                    return failed("ended with " + what, run, options, total)
                run.close()
        except Hang as hang:
            shutil.copy(Path(folder) / "Xvfb_screen0", "random-input-%d.xwd" % options.seed)
            print("windows: " + ", ".join(name for _, name in run.windows()))
            if shutil.which("gdb"):
                subprocess.run(["gdb", "-p", str(run.process.pid), "-batch", "-ex", "thread 1", "-ex", "bt 40"],
                               stderr=subprocess.DEVNULL, timeout=PATIENCE)
            return failed("hangs: waited for %s" % hang, run, options, total + run.events)
        finally:
            if run:
                run.close()
            display.close()
    print("seed %d: %d events in %d starts, no crash, no hang" % (options.seed, total, starts))
    return 0


def failed(what, run, options, total):
    print("seed %d, after %d events: the viewer %s" % (options.seed, total, what))
    for words in run.last:
        print("  xdotool " + " ".join(words))
    print(run.said())
    return 1


if __name__ == "__main__":
    sys.exit(main())
