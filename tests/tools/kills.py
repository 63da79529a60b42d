#!/usr/bin/env python3
"""Ends the commands that write at any moment, and says what they left.

    tests/tools/kills.py [--program PROGRAM] [--kills N] [--only COMMAND] [--seed N]

Every command of COMMANDS runs once undisturbed; then it is ended again and again, in a new folder,
in turn
  - by SIGKILL or SIGTERM at a random moment of its duration;
  - by SIGKILL at a random call of one of CALLS (with strace, which must be installed);
  - by an error of that call instead: a full disk.
After each: no file under a final name is anything but whole, files of others are as they were, and
the command, run again, gives the undisturbed run's bytes and leaves no partial file. In JSON what
depends on the moment (VOLATILE) is left out, and of pictures, whose record has durations, only that they
are whole is seen. Ends with status 1 if anything was found."""
import argparse
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CALLS = ("rename", "renameat2", "link", "fsync", "write", "openat", "unlink", "mkdir")
VOLATILE = re.compile(r"second|time|date|started|finished|when|memory|bytes_|host|threads|_ms|processor")
# No device is visible: records name its free memory, and a kill changes that.
ENVIRONMENT = dict(os.environ, CUDA_VISIBLE_DEVICES="")
FOREIGN = {  # files that aren't the command's, in its folder
    "notes.txt": b"not yours\n",
    ".partial-1-picture.png": b"of another program\n",
    "out/.partial-another.host-17-3-labels.nii.gz": b"of another computer\n",
}

# Name, arguments after the program; IN is the folder of inputs, the outputs lie below out/.
COMMANDS = [
    ("motion", "motion IN/heart/sequence.nii.gz -o out/fields --frames 0:1 --levels 2"),
    ("register", "register IN/heart/sequence.nii.gz@0 IN/heart/sequence.nii.gz@1 -o out/run"
                 " --method demons --no-affine --levels 2 --warp IN/heart/sequence.nii.gz@1"),
    ("denoise", "denoise IN/heart/labels.nii.gz --label 1 -o out/surface.vtp --json out/record.json"),
    ("segment", "segment IN/heart/sequence.nii.gz --seed 0,0,0 --frame 0 -o out/labels.nii.gz"),
    ("detect", "landmarks detect IN/heart/sequence.nii.gz -o out/points.csv --json out/record.json"),
    ("convert", "landmarks convert IN/points.csv -o out/points.mrk.json"),
    ("track", "landmarks track IN/heart/sequence.nii.gz --points IN/points.csv -o out/tracks.csv"
              " --json out/record.json"),
    ("phantom", "phantom -o out/heart --size 24 --frames 2"),
    ("spgemm", "spgemm IN/a.mtx IN/a.mtx -o out/product.mtx --json out/record.json"),
    ("snapshot", "snapshot IN/heart/sequence.nii.gz -o out/picture.png --size 300x200 --backend cpu"),
    ("strain", "strain IN/heart/truth_0001.mha IN/heart/truth_0002.mha --labels IN/heart/labels.nii.gz"
               " -o out/strain"),
    ("bias", "bias IN/heart/sequence.nii.gz --repetitions 2 --json out/record.json"),
]


def make_inputs(program, folder):
    run = lambda *args: subprocess.run([program, *args], check=True, stdout=subprocess.DEVNULL)
    run("phantom", "-o", str(folder / "heart"), "--size", "40", "--frames", "3")
    run("landmarks", "detect", str(folder / "heart/sequence.nii.gz"), "-o",
        str(folder / "points.csv"), "--number", "30")
    numbers = random.Random(3)
    entries = [f"{1 + numbers.randrange(300)} {1 + numbers.randrange(300)} {numbers.random()}"
               for _ in range(2000)]
    entries = list({tuple(e.split()[:2]): e for e in entries}.values())
    (folder / "a.mtx").write_text("%%MatrixMarket matrix coordinate real general\n300 300 "
                                  f"{len(entries)}\n" + "\n".join(entries) + "\n")


def without_volatile(value):
    if isinstance(value, dict):
        return {k: without_volatile(v) for k, v in value.items() if not VOLATILE.search(k)}
    if isinstance(value, list):
        return [without_volatile(v) for v in value]
    return value


def digest(path):
    data = path.read_bytes()
    if path.suffix == ".json":
        data = json.dumps(without_volatile(json.loads(data)), sort_keys=True).encode()
    if path.suffix == ".png":  # the record inside has durations
        return "a picture" if data[:4] == b"\x89PNG" and data[-8:-4] == b"IEND" else "not whole"
    return hashlib.sha256(data).hexdigest()


def contents(folder):
    """Of the command's own files: path and digest. Those with a partial name apart."""
    final, partial = {}, []
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if not path.is_file() or name in FOREIGN:
            continue
        if ".partial" in path.name:
            partial.append(name)
        else:
            try:
                final[name] = digest(path)
            except ValueError:
                final[name] = "not whole"
    return final, partial


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in FOREIGN.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


class Kills:
    def __init__(self, program, inputs, work, name, line):
        self.name, self.work = name, work
        self.args = [program, *line.replace("IN/", f"{inputs}/").split()]
        begin = time.monotonic()
        fresh(work)
        self.run(self.args)
        self.duration = time.monotonic() - begin
        self.whole, partial = contents(work)
        if not self.whole or partial:
            raise SystemExit(f"kills: {name} left {sorted(self.whole)} and {partial} undisturbed")
        self.calls = self.count_calls() if shutil.which("strace") else {}
        self.found, self.done, self.ended = [], 0, 0

    def run(self, args, check=True):
        result = subprocess.run(args, cwd=self.work, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        if check and result.returncode != 0:
            raise SystemExit(f"kills: {self.name}: {result.stderr}")
        return result.returncode

    def count_calls(self):
        """How often an undisturbed run makes each of CALLS, by strace."""
        counts = {}
        for call in CALLS:
            fresh(self.work)
            log = self.work.parent / "strace.log"
            self.run(["strace", "-f", "-qq", "-o", str(log), "-e", f"trace={call}", *self.args])
            counts[call] = sum(f" {call}(" in line for line in log.read_text(errors="replace").splitlines())
        return {call: n for call, n in counts.items() if n}

    def disturb(self, random_numbers, how):
        fresh(self.work)
        if how == "moment" or not self.calls:
            process = subprocess.Popen(self.args, cwd=self.work, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, env=ENVIRONMENT)
            sent = random_numbers.choice((signal.SIGKILL, signal.SIGTERM))
            moment = random_numbers.uniform(0, 1.05 * self.duration)
            try:
                process.wait(moment)
            except subprocess.TimeoutExpired:
                process.send_signal(sent)
            code = process.wait()
            what = f"{sent.name} after {moment:.3f} s"
        else:
            call = random_numbers.choice(sorted(self.calls))
            # The last calls are those of the outputs; the first ones are the loader's.
            count = self.calls[call]
            when = count - min(int(random_numbers.expovariate(1 / 12)), count - 1)
            fault = "signal=SIGKILL" if how == "call" else "error=ENOSPC"
            code = self.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                             f"inject={call}:{fault}:when={when}", *self.args], check=False)
            what = f"{fault} at {call} {when} of {count}"
        self.done += 1
        self.ended += code != 0
        self.check(what)

    def check(self, what):
        report = lambda text: self.found.append(f"{self.name}, {what}: {text}")
        final, _ = contents(self.work)
        for name, data in FOREIGN.items():
            path = self.work / name
            if not path.is_file() or path.read_bytes() != data:
                report(f"{name}, of another, was touched")
        for name, value in final.items():
            # A folder that says that its run was begun and not finished.
            if not name.endswith(".unfinished.json") and self.whole.get(name) != value:
                report(f"{name} isn't what an undisturbed run writes")
        again = self.run([*self.args, "--overwrite"], check=False)
        final, partial = contents(self.work)
        if again != 0:
            report(f"the next run ended with status {again}")
        elif final != self.whole:
            report(f"the next run left {sorted(set(final.items()) ^ set(self.whole.items()))}")
        if partial:
            report(f"the next run left {partial}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/systole")
    parser.add_argument("--kills", type=int, default=1000, help="of all commands together [1000]")
    parser.add_argument("--only", help="this command")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    chosen = [c for c in COMMANDS if options.only in (None, c[0])]
    numbers = random.Random(options.seed)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "in").mkdir()
        make_inputs(program, root / "in")
        print(f"{'command':10} {'kills':>6} {'ended':>6} {'seconds':>8}  calls")
        for name, line in chosen:
            kills = Kills(program, root / "in", root / "work", name, line)
            for n in range(options.kills // len(chosen)):
                kills.disturb(numbers, ("moment", "call", "error")[n % 3])
            print(f"{name:10} {kills.done:6} {kills.ended:6} {kills.duration:8.2f}  {kills.calls}",
                  flush=True)
            found += kills.found
    print(*found, sep="\n")
    print(f"{len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
