#!/usr/bin/env python3
"""Kills 'systole cohort' and what it starts at random moments, and says what is wrong afterwards.

    tests/tools/cohort_kills.py [--program PROGRAM] [--kills N] [--cases N] [--seed N] [--fields KEPT] [-- OPTIONS OF THE COMMAND]

A small cohort is done once undisturbed. Then it is done again while SIGKILL hits, after a random number of
steps and a random moment, a random process of it: the command, Snakemake, a step, or what a step runs;
sometimes all at once. After each kill every result under its final name must be that of the undisturbed run, byte for byte (JSON without
durations and dates, pages without cells of cost, pictures without the texts in them), and so must all be
when the command is called until it ends by itself. With --fields the command gets that option: fields that it
removes must be those of the undisturbed run while they are there, and gone at the end. Ends with status 1 if anything is wrong, and with 77 if
Snakemake isn't installed."""
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from kills import without_volatile  # noqa: E402

COST = re.compile(rb'<td class="cost(?: technical)?">[^<]*</td>')


def bare_png(data):
    chunks, at = data[:8], 8
    while at < len(data):
        end = at + 12 + int.from_bytes(data[at:at + 4], "big")
        if data[at + 4:at + 5].isupper():
            chunks += data[at:end]
        at = end
    return chunks


def digest(path):
    data = path.read_bytes()
    if path.suffix == ".json":
        data = json.dumps(without_volatile(json.loads(data)), sort_keys=True).encode()
    elif path.suffix == ".html":
        data = COST.sub(b"", data)
    elif path.suffix == ".png":
        data = bare_png(data)
    return hashlib.sha256(data).hexdigest()


def entries(folder):
    """All below a folder, while steps that go on without their parent may rename folders in it."""
    while True:
        try:
            return sorted(folder.rglob("*"))
        except FileNotFoundError:
            pass


def results(output):
    """Digests by name of all under final names, but the engine's own and the table of costs."""
    found = {}
    for path in entries(output):
        name = path.relative_to(output)
        hidden = any(part.startswith(".") for part in name.parts)
        if path.is_file() and name.parts[0] != "work" and not hidden and name.name != "group_costs.tsv":
            try:
                found[str(name)] = digest(path)
            except FileNotFoundError:
                continue  # removed since it was listed
            except (ValueError, OSError) as error:
                found[str(name)] = f"not whole: {error}"
    return found


def family(root):
    """The process and its descendants, and steps of this cohort that have lost their parent."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            parents[int(entry.name)] = int(stat.rsplit(")", 1)[1].split()[1])
    members = {root}
    while True:
        more = {pid for pid, parent in parents.items() if parent in members} - members
        if not more:
            return sorted(members)
        members |= more


class Cohort:
    def __init__(self, program, work, cases, words):
        self.program, self.work, self.output = program, work, work / "out"
        for case in range(cases):
            subprocess.run([program, "phantom", "-o", str(work / f"in/h{case}"), "--size", "24", "--frames",
                            "3", "--seed", str(case + 1)], check=True, stdout=subprocess.DEVNULL)
        table = "file,id,labels\n" + "".join(
            f"in/h{case}/sequence.nii.gz,{case},in/h{case}/labels.nii.gz\n" for case in range(cases))
        (work / "cases.csv").write_text(table)
        self.words = [program, "cohort", str(work / "cases.csv"), str(self.output), "--backend", "cpu",
                      "--set", "levels=2", *words]

    def start(self):
        return subprocess.Popen(self.words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self):
        """Calls the command until it ends by itself; another run may still be letting go."""
        for _ in range(100):
            process = self.start()
            said, errors = process.communicate()
            if process.returncode == 0:
                return
            if "another run" not in errors:
                log = self.output / "work/snakemake.log"
                raise SystemExit(f"cohort_kills: the command ended with {process.returncode}: {said}{errors}"
                                 f"{log.read_text()[-2000:] if log.exists() else ''}")
            time.sleep(0.2)
        raise SystemExit("cohort_kills: another run stays at work")

    def steps_done(self):
        return len(list((self.output / "work/records").rglob("*.json")))

    def wait_for_orphans(self):
        """Steps that have lost their parents go on until they see that their work is done."""
        while any(str(self.output).encode() in command for command in commands()):
            time.sleep(0.05)


def commands():
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                yield (entry / "cmdline").read_bytes()
            except OSError:
                pass


def kill(process, numbers):
    members = family(process.pid)
    everybody = numbers.random() < 0.3
    for pid in members if everybody else [numbers.choice(members)]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return f"{len(members) if everybody else 1} of {len(members)} processes"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/systole")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--cases", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fields", choices=["all", "first", "none"], default="all")
    parser.add_argument("words", nargs="*", help="more options of the command, after --")
    options = parser.parse_args()
    if not shutil.which("snakemake"):
        print("cohort_kills: skipped: Snakemake isn't installed (tools/deps.sh cohort)")
        return 77
    numbers = random.Random(options.seed)
    wrong, kills = [], 0
    with tempfile.TemporaryDirectory() as folder:
        cohort = Cohort(str(pathlib.Path(options.program).resolve()), pathlib.Path(folder), options.cases,
                        ["--jobs", "2", *options.words])
        cohort.finish()
        steps, made = cohort.steps_done(), results(cohort.output)
        cohort.words += ["--fields", options.fields]
        cohort.finish()  # removes what doesn't stay
        whole = results(cohort.output)
        if any(made.get(name) != value for name, value in whole.items()):
            wrong.append("the undisturbed run isn't the same with --fields")
        while kills < options.kills:
            cohort.wait_for_orphans()
            shutil.rmtree(cohort.output)
            # As far as it comes in a few kills; then to its end.
            for _ in range(min(numbers.randint(1, 6), options.kills - kills)):
                process = cohort.start()
                done = numbers.randrange(steps)
                while process.poll() is None and cohort.steps_done() < done:
                    time.sleep(0.01)
                try:
                    process.communicate(timeout=numbers.uniform(0, 0.5))
                    break
                except subprocess.TimeoutExpired:
                    what = kill(process, numbers)
                    process.communicate()
                kills += 1
                now = results(cohort.output) if cohort.output.exists() else {}
                for name, value in now.items():
                    # The group's files are those of the cases that were done when it began.
                    if name.startswith("sub-") and made.get(name) != value:
                        wrong.append(f"kill {kills}, {done} of {steps} steps done, {what}: {name} isn't the "
                                     "undisturbed one")
            cohort.finish()
            now = results(cohort.output)
            if now != whole:
                wrong.append(f"after {kills} kills: {sorted(set(now.items()) ^ set(whole.items()))}")
    for line in wrong:
        print(line)
    print(f"{kills} kills, {steps} steps, {len(whole)} files: {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
