#!/usr/bin/env python3
"""Folders and tables that somebody made to do harm, or by mistake, given to 'systole cohort'.

    tests/tools/cohort_hostile.py [--program PROGRAM] [--files N]

Each must end by itself with one line that says what is wrong, or name what is no case and do the others; no
file outside OUTPUT may have appeared, gone or changed, wherever links and names lead. With --files a folder of so many
files is planned, too. Ends with status 1 if anything is wrong, and with 77 if Snakemake isn't installed."""
import argparse
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

NOBODY = 65534

# Name, bytes of the table, and what the line about it says.
TABLES = [
    ("empty.csv", b"", "is empty"),
    ("nul.csv", b"file\na\0b.nii\n", "line 2: has a control character"),
    ("escape.csv", b"file\n\x1b[2Jx.nii\n", "line 2: has a control character"),
    ("no_file.csv", b"id,group\n1,a\n", "no column 'file'"),
    ("short.csv", b"file,id\na.nii\n", "line 2: has 1 cells"),
    ("open_quote.csv", b'file\n"a.nii\n', "a quote isn't closed"),
    ("utf16.csv", "file\na.nii\n".encode("utf-16"), "is UTF-16"),
    ("latin1.csv", "file\nMüller.nii\n".encode("latin-1"), "line 2: isn't UTF-8"),
    ("wide.csv", b"," * 2000000 + b"\n", "has more than 1000 cells"),
    ("long.csv", b"file\n" + b"a.nii\n" * 100001, "has more than 100000 rows"),
    ("huge.csv", None, "is larger than any table"),
    ("nothing.csv", b"file\n", "no rows"),
]
# Columns file, id, session, frames, labels; none may lead out of OUTPUT.
ROWS = """file,id,session,frames,labels
h1/sequence.nii.gz,../escaped,../../s,,h1/labels.nii.gz
h1/sequence.nii.gz,/etc/absolute,,,
h1/sequence.nii.gz,option,,--overwrite,h1/labels.nii.gz
h1/sequence.nii.gz,write,,-o,h1/labels.nii.gz
../study/../study/h1/sequence.nii.gz,dots,,0:1,../study/h1/labels.nii.gz
/dev/zero,device,,,
pipe.nii,pipe,,,
h1/sequence.nii.gz,pipelabels,,,pipe.nii
h1/sequence.nii.gz,nolabels,,,none.nii
unreadable.nii,unreadable,,,
"""


def snapshot(folder, output):
    """Kind, bytes and dates of all below, links not followed, but what is in `output`."""
    found = {}
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if pathlib.Path(parent, name) != output]
        for path in [pathlib.Path(parent, name) for name in folders + files]:
            state = path.lstat()
            whole = path.is_file() and not path.is_symlink() and state.st_size < 1 << 30
            found[str(path)] = (state.st_mode, state.st_size, state.st_mtime_ns if path.is_file() else 0,
                                hashlib.sha256(path.read_bytes()).hexdigest() if whole else "")
    return found


def make_study(program, study):
    subprocess.run([program, "phantom", "-o", str(study / "h1"), "--size", "24", "--frames", "3"], check=True,
                   stdout=subprocess.DEVNULL)
    (study / "cut.nii.gz").write_bytes((study / "h1/sequence.nii.gz").read_bytes()[:2000])
    (study / "again").symlink_to(study, target_is_directory=True)
    (study / "one").symlink_to("other")
    (study / "other").symlink_to("one")
    (study / "dead.nii").symlink_to("nowhere")
    (study / "new\nline.nii").write_bytes(b"x")
    pathlib.Path(os.fsdecode(os.fsencode(study) + b"/latin\xfc.nii")).write_bytes(b"x")
    (study / ("n" * 200 + ".nii")).write_bytes(b"x")
    (study / "--.nii").write_bytes(b"x")
    os.mkfifo(study / "pipe.nii")
    deep = study.joinpath(*["deep"] * 14)
    deep.mkdir(parents=True)
    (study / "closed").mkdir()
    (study / "unreadable.nii").write_bytes(b"x")
    for path in (study / "closed", study / "unreadable.nii"):
        path.chmod(0)


class Checks:
    def __init__(self, program, top):
        self.program, self.top = program, top
        self.output = top / "out"
        self.wrong, self.count = [], 0

    def run(self, source, output, *words):
        """As a user who may not read everything, where root runs this."""
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
        environment = dict(os.environ, HOME=str(self.top / "home"), TMPDIR=str(self.top / "home"))
        return subprocess.run([self.program, "cohort", str(source), str(output), *words], cwd=self.top,
                              capture_output=True, text=True, errors="replace", timeout=500, env=environment, **user)

    def check(self, name, holds, outcome):
        self.count += 1
        if not holds:
            self.wrong.append(f"{name}: ended with {outcome.returncode}: {outcome.stdout[-1500:]}{outcome.stderr[-1500:]}")

    def refused(self, name, source, output, says):
        before = snapshot(self.top, None)
        outcome = self.run(source, output, "--plan")
        one_line = outcome.stderr.count("\n") == 1 and "\x1b" not in outcome.stderr
        self.check(name, outcome.returncode in (1, 2) and one_line and says in outcome.stderr, outcome)
        self.check(f"{name} wrote", snapshot(self.top, None) == before, outcome)

    def done(self, name, source, says):
        """The case h1 or more is done, and each of `says` is said; nothing is written outside the output."""
        shutil.rmtree(self.output, ignore_errors=True)
        before = snapshot(self.top, self.output)
        outcome = self.run(source, self.output, "--no-pictures", "--set", "levels=1", "--backend", "cpu")
        for sentence in says:
            self.check(f"{name}, '{sentence}'", sentence in outcome.stdout, outcome)
        self.check(f"{name} wrote outside", snapshot(self.top, self.output) == before, outcome)
        return outcome

    def links_in_the_output(self, source):
        """Links that somebody has planted in the results lead nowhere."""
        precious = self.top / "precious"
        (precious / "folder").mkdir(parents=True)
        for name in ("file", "folder/file"):
            (precious / name).write_text("mine")
        give(precious)
        for name in ("report.html", "group_costs.tsv", "participants.tsv", ".bidsignore", "work/Snakefile",
                     "work/plan.json", "work/snakemake.log"):
            path = self.output / name
            path.unlink(missing_ok=True)
            path.symlink_to(precious / "file")
        for name in ("work/done", "work/.snakemake", "phenotype"):
            shutil.rmtree(self.output / name)
            (self.output / name).symlink_to(precious / "folder", target_is_directory=True)
            before = snapshot(self.top, self.output)
            outcome = self.run(source, self.output, "--no-pictures", "--set", "levels=2", "--backend", "cpu")
            self.check(f"a link {name}", "isn't a folder" in outcome.stderr or outcome.returncode == 0, outcome)
            self.check(f"a link {name} was followed", snapshot(self.top, self.output) == before, outcome)
            (self.output / name).unlink(missing_ok=True)


def give(folder):
    if os.getuid() == 0:
        subprocess.run(["chown", "--recursive", "--no-dereference", f"{NOBODY}:{NOBODY}", str(folder)], check=True)


def many_files(checks, count):
    folder = checks.top / "many"
    folder.mkdir()
    for number in range(count):
        (folder / f"h{number}.nii").touch()
    began = time.monotonic()
    shutil.rmtree(checks.output, ignore_errors=True)
    outcome = checks.run(folder, checks.output, "--plan")
    seconds = time.monotonic() - began
    checks.check("many files", outcome.stdout.count("the file is empty") == count, outcome)
    print(f"{count} files planned in {seconds:.1f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/systole")
    parser.add_argument("--files", type=int, default=0)
    options = parser.parse_args()
    if not shutil.which("snakemake"):
        print("cohort_hostile: skipped: Snakemake isn't installed (tools/deps.sh cohort)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder)
        study = top / "study"
        (top / "home").mkdir()
        study.mkdir()
        checks = Checks(str(pathlib.Path(options.program).resolve()), top)
        for name, data, _ in TABLES:
            (top / name).write_bytes(data or b"")
        os.truncate(top / "huge.csv", 100 << 30)
        (top / "a file").write_text("mine")
        (top / "loop").symlink_to("loop")
        make_study(checks.program, study)
        (study / "rows.csv").write_text(ROWS)
        give(top)
        for name, _, says in TABLES:
            checks.refused(name, top / name, checks.output, says)
        for name, output, says in (("a loop", "loop/out", "Too many levels"), ("no name", "", "no name"),
                                   ("a long name", "n" * 300, "too long"), ("a file", "a file", "isn't empty"),
                                   ("no rights", "/proc/out", "can't be created")):
            checks.refused(f"output: {name}", study / "h1", output, says)
        checks.refused("a loop as input", top / "loop", checks.output, "Too many levels")
        os.truncate(top / "huge.csv", 0)
        checks.done("a hostile folder", study, [
            "closed: can't be read", "unreadable.nii: ", "cut.nii.gz", "new?line.nii: its name has a control",
            "its name isn't UTF-8", "characters, more than 150", "no letter or digit", "too deep", "1 of "])
        checks.done("hostile rows", study / "rows.csv", [
            "sub-option, plan: frames: ", "sub-write, plan: frames: ", "sub-device, plan: ", "sub-pipe, plan: ",
            "sub-pipelabels, plan: ", "sub-nolabels, plan: ", "sub-unreadable, plan: ", "3 of 10 cases done"])
        checks.links_in_the_output(study / "rows.csv")
        if options.files:
            many_files(checks, options.files)
        subprocess.run(["chmod", "-R", "u+rwX", str(study)], check=True)
    for line in checks.wrong:
        print(line)
    print(f"{checks.count} checks: {len(checks.wrong)} wrong")
    return 1 if checks.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
