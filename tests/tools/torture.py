#!/usr/bin/env python3
"""Makes every call to the system fail, one after the other, and says what the program made of it.

    tests/tools/torture.py --program PROGRAM --shim SHIM [--sample [N]] [--only COMMAND] [--jobs N]

SHIM is tests/support/failing_calls.cpp, built as failing_calls. Every command of COMMANDS, on small inputs, runs
once undisturbed and once counted; then for each class of calls in ERRORS and every error there it runs again
with the first, the second, ... call of the class failing, and with the first and all later ones.
Of the allocations, some seventy thousand a run, K are chosen (--allocations K; `all` takes each, for days), all
of at least 16 kB, and some of each with all later ones. --sample does N of all that, evenly over commands and classes.
For each run:
  - it ends in time, and by no signal;
  - it ends with 0 and the undisturbed run's bytes, or with a note about what is missing, or with 1 and one sentence;
  - a short or interrupted read or write, and an interrupted close, change nothing;
  - no file under a final name is anything but whole;
  - the command, run again, gives the undisturbed run's bytes and leaves no partial file.
The table counts these; findings follow, each with the words of the shim that repeat it. Ends with 1 if anything
was found but what OTHERS lists: libraries that draw don't check their memory."""
import argparse
import collections
import concurrent.futures
import errno
import hashlib
import json
import math
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading

CLASSES = ("alloc", "open", "system", "write", "read", "close", "sync", "rename", "mkdir", "thread", "mmap",
           "stat", "remove", "readdir", "fork")  # order of the shim's report
SHORT = 0
ERRORS = {  # errors that the system may return, by class
    "alloc": (errno.ENOMEM,), "open": (errno.EMFILE, errno.EIO), "system": (errno.EMFILE,),
    "write": (errno.ENOSPC, errno.EIO, SHORT, errno.EINTR), "read": (errno.EIO, SHORT, errno.EINTR),
    "close": (errno.EIO, errno.EINTR), "sync": (errno.EIO, errno.ENOSPC), "rename": (errno.EIO, errno.ENOSPC),
    "mkdir": (errno.ENOSPC,), "thread": (errno.EAGAIN,), "mmap": (errno.ENOMEM,), "stat": (errno.EIO,),
    "remove": (errno.EIO,), "readdir": (errno.EIO,), "fork": (errno.EAGAIN,),
}
SURVIVED = {("write", SHORT), ("write", errno.EINTR), ("read", SHORT), ("read", errno.EINTR),
            ("close", errno.EINTR)}
LARGE = 16384  # bytes of an allocation that may fail while small ones don't
SECONDS = 120  # longer is for ever
# Mesa's and VTK's own: a command, and the classes whose failures end it in their code.
OTHERS = {"snapshot": {"alloc", "mmap", "thread", "system"}}
# The processor is "unknown" where /proc/cpuinfo can't be opened, which the record says by that.
VOLATILE = re.compile(r"processor|second|finished|started|memory|rss|date|_ms$|bytes_free|created", re.IGNORECASE)
RAW = re.compile(r"bad_alloc|std::|exception|basic_|itk::|ERROR|pthread")
SAID = re.compile(r"note|can't|cannot|isn't")

CPU = " --threads 1 --backend cpu"
# Name and arguments; IN is the folder of inputs, the outputs lie below out/. After | what a second run adds.
COMMANDS = {
    "info": "info IN/heart/sequence.nii.gz --json --statistics",
    "phantom": "phantom -o out/heart --size 16 --frames 2 --threads 1|--overwrite",
    "affine": "register IN/a.nii IN/b.nii -o out/run --method affine --warp IN/b.nii" + CPU + "|--overwrite",
    "warp": "register IN/a.nii IN/b.nii -o out/run --transform IN/field/displacement.mha --warp-labels IN/labels.nii"
            + CPU + "|--overwrite",
    "register": "register IN/a.nii IN/b.nii -o out/run --method ffd" + CPU + "|--overwrite",
    "segment": "segment IN/ventricle.nii --seed=-5,5,20 --wall -o out/labels.nii.gz --threads 1|--overwrite",
    "denoise": "denoise IN/labels.nii --label 1 -o out/s.stl --json out/s.json --distance out/d.nii.gz" + CPU
               + "|--overwrite",
    "surface": "denoise IN/labels.nii --label 1 -o out/s.vtp" + CPU + "|--overwrite",
    "detect": "landmarks detect IN/a.nii -o out/p.csv --json out/p.json --number 20" + CPU + "|--overwrite",
    "track": "landmarks track IN/sequence.nii --points IN/points.csv -o out/t.csv --json out/t.json" + CPU
             + "|--overwrite",
    "convert": "landmarks convert IN/points.csv -o out/p.mrk.json|--overwrite",
    "tre": "landmarks tre IN/field/displacement.mha --fixed IN/points.csv --moving IN/points.csv -o out/tre.csv"
           "|--overwrite",
    "spgemm": "spgemm IN/m.mtx -o out/c.mtx.gz --json out/c.json" + CPU + "|--overwrite",
    "strain": "strain IN/motion --labels IN/heart/labels.nii.gz --cavity-label 2 --wall-label 1 -o out/strain"
              " --threads 1|--overwrite",
    "cohort": "cohort IN/study out/study --plan --backend cpu",
    "snapshot": "snapshot IN/sequence.nii -o out/s.png --size 160x120" + CPU + "|--overwrite",
    "two": "motion IN/heart/sequence.nii.gz -o out/motion --threads 2 --backend cpu|--overwrite",
}
for method in ("clg", "demons", "ffd", "unbiased", "landmarks"):
    COMMANDS[method] = (f"motion IN/heart/sequence.nii.gz -o out/motion --method {method} --lagrangian" + CPU
                        + "|--overwrite")
# Commands that fork the process that is meant.
CHILDREN = {"report": COMMANDS["strain"]}


def nifti(path, size, values, code=16, spacing=(1.25, 1.5, 2.0, 0.04)):
    """float32 (16) or uint8 (2), x fastest."""
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, len(size), *size, *[1] * (7 - len(size)))
    struct.pack_into("<2h", header, 70, code, {16: 32, 2: 8}[code])
    struct.pack_into("<8f", header, 76, 1, *spacing, 0, 0, 0)
    struct.pack_into("<2f", header, 108, 352, 1)
    header[123] = 10  # mm, s
    struct.pack_into("<h", header, 254, 1)
    rows = [[spacing[0], 0, 0, -10], [0, spacing[1], 0, -20], [0, 0, spacing[2], 5]]
    struct.pack_into("<12f", header, 280, *sum(rows, []))
    header[344:348] = b"n+1\0"
    path.write_bytes(bytes(header) + struct.pack(f"<{len(values)}{ {16: 'f', 2: 'B'}[code] }", *values))


def make_inputs(program, folder):
    run = lambda line: subprocess.run([program, *line.replace("IN/", f"{folder}/").split()], check=True,
                                      stdout=subprocess.DEVNULL)
    grid = lambda size, f: [f(x, y, z) for z in range(size[2]) for y in range(size[1]) for x in range(size[0])]
    small = (12, 10, 8)
    image = lambda shift: grid(small, lambda x, y, z: 100 * math.exp(
        -((x - 6 - shift) ** 2 / 9 + (y - 5 - shift) ** 2 / 8 + (z - 4) ** 2 / 6)) + 10 * math.sin(x + shift) * math.cos(y))
    nifti(folder / "a.nii", small, image(0))
    nifti(folder / "b.nii", small, image(0.7))
    nifti(folder / "sequence.nii", (*small, 3), image(0) + image(0.5) + image(1))
    ball = grid(small, lambda x, y, z: int((x - 6) ** 2 + (y - 5) ** 2 + (z - 4) ** 2 < 9))
    nifti(folder / "labels.nii", small, ball, 2)

    def ventricle(x, y, z):
        r = math.dist((x, y, z), (10, 10, 10))
        return (200 if r < 4 else 60 if r < 7 else 130) + 5 * math.sin(7 * x + 3 * y + 5 * z)
    nifti(folder / "ventricle.nii", (20, 20, 20), grid((20, 20, 20), ventricle), spacing=(1.5, 1.5, 1.5, 0))
    (folder / "points.csv").write_text("name,x,y,z\nA,3,13,13\nB,1,12,11\nC,5,14,9\n")
    (folder / "m.mtx").write_text("%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1.5\n2 3 2\n3 2 -1\n")
    run("phantom -o IN/heart --size 24 --frames 3 --seed 3")
    run("motion IN/heart/sequence.nii.gz -o IN/motion --lagrangian" + CPU)
    run("register IN/a.nii IN/b.nii -o IN/field --method ffd" + CPU)
    case = folder / "study/sub-01/anat"
    case.mkdir(parents=True)
    shutil.copy(folder / "heart/sequence.nii.gz", case / "sub-01_cine.nii.gz")
    shutil.copy(folder / "heart/labels.nii.gz", case / "sub-01_cine_dseg.nii.gz")
    (folder / "study/dataset_description.json").write_text('{"Name": "small", "BIDSVersion": "1.8.0"}')
    (folder / "study/participants.tsv").write_text("participant_id\tgroup\nsub-01\tA\n")


def without_volatile(value):
    if isinstance(value, dict):
        return {k: without_volatile(v) for k, v in value.items() if not VOLATILE.search(k)}
    return [without_volatile(v) for v in value] if isinstance(value, list) else value


def digest(path):
    """Of what doesn't depend on the moment; also of a file that isn't whole."""
    data = path.read_bytes()
    if path.suffix == ".json" and ".mrk" not in path.name:
        try:
            data = json.dumps(without_volatile(json.loads(data)), sort_keys=True).encode()
        except ValueError:
            data = b"no JSON" + data
    if path.suffix == ".png":  # the record inside has durations
        return "a picture" if data[:4] == b"\x89PNG" and data[-8:-4] == b"IEND" else "no picture"
    if path.suffix in (".html", ".pdf"):
        data = re.sub(rb"\d{4}-\d\d-\d\d[T ]?[\d:]*Z?", b"", data)
    return hashlib.sha256(data).hexdigest()


def contents(folder):
    """Path and digest of final files; paths of partial ones; what says that a run isn't finished is neither."""
    final, partial = {}, []
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.name.endswith(".unfinished.json"):
            continue
        if path.name.startswith(".partial"):
            partial.append(str(path.relative_to(folder)))
        else:
            final[str(path.relative_to(folder))] = digest(path)
    return final, partial


Fault = collections.namedtuple("Fault", "command kind error at later least")
Ended = collections.namedtuple("Ended", "code output errors")  # code: None if it was for ever


class Tried:
    """A command with its undisturbed run, in folders of this thread."""

    def __init__(self, torture, name):
        self.torture, self.name = torture, name
        line, _, again = {**COMMANDS, **CHILDREN}[name].partition("|")
        self.args = line.replace("IN/", f"{torture.inputs}/").split()
        self.again = again.split()
        work = torture.work()
        torture.fresh(work)
        first = torture.run(self.args, work)
        self.whole, partial = contents(work)
        self.lines = set(first.output.splitlines())
        self.printed = None if self.whole else first.output  # all that there is
        if first.code != 0 or partial:
            raise SystemExit(f"torture: {name} ends undisturbed with {first.code}: {first.errors}")
        torture.fresh(work)
        torture.run(self.args, work, self.words("alloc", 0, 0))
        self.calls = torture.counts(work)
        torture.fresh(work)
        torture.run(self.args, work, self.words("alloc", 0, 0, least=LARGE))
        self.large = torture.counts(work)["alloc"]
        second, _ = contents(work)
        self.unsteady = {n for n in self.whole if second.get(n) != self.whole[n]}

    def words(self, kind, at, error, later=False, least=0):
        return (f"class={kind};at={at};error={error};later={int(later)};least={least};"
                f"child={int(self.name in CHILDREN)}")


class Torture:
    def __init__(self, program, shim, inputs, folder):
        self.program, self.shim, self.inputs, self.folder = program, shim, inputs, folder
        self.local, self.lock = threading.local(), threading.Lock()
        self.known, self.again = {}, set()  # states of the folder from which the next run was tried

    def work(self):
        if not hasattr(self.local, "work"):
            self.local.work = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        return self.local.work

    def fresh(self, work):
        shutil.rmtree(work / "out", ignore_errors=True)
        (work / "out").mkdir(parents=True)
        (work / "report").write_bytes(bytes(4096))

    def run(self, args, work, words=None):
        environment = dict(os.environ, CUDA_VISIBLE_DEVICES="")
        environment.pop("DISPLAY", None)
        if words:
            environment.update(LD_PRELOAD=self.shim, SYSTOLE_TEST_FAULT=words,
                               SYSTOLE_TEST_FAULT_REPORT=str(work / "report"))
        process = subprocess.Popen([self.program, *args], cwd=work, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        try:
            output, errors = process.communicate(timeout=SECONDS)
            code = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            (output, errors), code = process.communicate(), None
        return Ended(code, output.decode(errors="replace"), errors.decode(errors="replace"))

    def counts(self, work):
        report = (work / "report").read_bytes()
        return dict(zip(CLASSES, struct.unpack_from(f"<{len(CLASSES)}q", report)))

    def failed(self, work):
        """How many calls failed, and the first of them in words."""
        report, at = (work / "report").read_bytes(), 8 * len(CLASSES)
        text = lambda begin, size: report[begin:begin + size].split(b"\0")[0].decode(errors="replace")
        path = text(at + 72, 1024)
        return struct.unpack_from("<q", report, at)[0], f"{text(at + 8, 64)} {pathlib.Path(path).name}".strip()

    def tried(self, name):
        if name not in self.known:
            self.known[name] = Tried(self, name)
        return self.known[name]

    def judge(self, fault):
        """What the run came to, a word; and what is wrong, sentences."""
        tried, work = self.tried(fault.command), self.work()
        self.fresh(work)
        words = tried.words(fault.kind, fault.at, fault.error, fault.later, fault.least)
        ended = self.run(tried.args, work, words)
        failed, call = self.failed(work)
        final, partial = contents(work)
        wrong = self.wrong_in(tried, ended, failed, final)
        if partial and ended.code is not None and ended.code >= 0 and fault.kind not in ("remove", "alloc"):
            wrong.append(("left", f"leaves {partial}"))
        survived = ended.code == 0 and not wrong
        if failed and (fault.kind, fault.error) in SURVIVED and not fault.later and not survived:
            wrong.append(("fragile", f"doesn't survive it: {ended.errors.strip()[-200:]}"))
        if ended.code != 0:
            wrong += self.wrong_in_next(tried, work, final, partial)
        return survived, [(kind, f"{fault.command}, {words} ({call}): {text}") for kind, text in wrong]

    def wrong_in(self, tried, ended, failed, final):
        wrong = []
        if ended.code is None:
            wrong.append(("hang", f"is still there after {SECONDS} s"))
        elif ended.code < 0:
            wrong.append(("signal", f"ends with signal {-ended.code}: {ended.errors.strip()[-200:]}"))
        differ = sorted(n for n in final if n in tried.whole and n not in tried.unsteady and final[n] != tried.whole[n])
        missing = sorted(set(tried.whole) - set(final))
        if ended.code == 0:
            said = [line for line in (ended.output + ended.errors).splitlines() if line not in tried.lines]
            if tried.printed is not None and ended.output != tried.printed:
                wrong.append(("silent", "prints something else"))
            if failed and (differ or missing) and not any(SAID.search(line) for line in said):
                wrong.append(("silent", f"ends with 0, without a word: {differ + missing} aren't as they should be"))
        elif differ and tried.name != "cohort":  # its table and plan name what couldn't be read
            wrong.append(("half", f"{differ} aren't whole"))
        if ended.code is not None and ended.code > 0:
            lines = [line for line in ended.errors.splitlines() if line.startswith("systole: ")]
            if len(lines) != 1 or len(lines[0]) > 500 or RAW.search(lines[0]):
                wrong.append(("sentence", f"says {ended.errors.strip()[-300:]!r}"))
        return wrong

    def wrong_in_next(self, tried, work, final, partial):
        state = (tried.name, tuple(sorted(final.items())), len(partial))
        with self.lock:
            if state in self.again:
                return []
            self.again.add(state)
        ended = self.run([*tried.args, *tried.again], work)
        final, partial = contents(work)
        differ = sorted(n for n in set(final) | set(tried.whole)
                        if n not in tried.unsteady and final.get(n) != tried.whole.get(n))
        if ended.code == 0 and not differ and not partial:
            return []
        return [("next", f"the next run ends with {ended.code}, {differ + partial} differ: {ended.errors.strip()[-200:]}")]


def faults_of(tried, allocations, numbers, idle):
    """All that are to be tried of a command; `idle`: allocations before any command begins."""
    faults = []
    for kind, errors in ERRORS.items():
        calls = tried.calls[kind]
        for error in errors:
            one = lambda at, later=False, least=0: faults.append(
                Fault(tried.name, kind, error, at, later, least))
            if kind != "alloc":
                for at in range(1, calls + 1):
                    one(at)
                if calls and (kind, error) not in SURVIVED:
                    one(1, True)
                continue
            chosen = range(1, calls + 1)
            if allocations != "all" and calls > int(allocations):
                k, begin = int(allocations), min(idle, calls)
                chosen = sorted({numbers.randint(1, calls) for _ in range(k // 4)}
                                | {numbers.randint(begin, calls) for _ in range(k - k // 4)})
            for at in chosen:
                one(at)
            for _ in range(min(8, calls)):
                one(numbers.randint(1, calls), True)
            for at in range(1, tried.large + 1):
                one(at, False, LARGE)
                one(at, True, LARGE)
    return faults


def sampled(faults, count, numbers):
    """Evenly over commands and classes, in turn."""
    groups = collections.defaultdict(list)
    for fault in faults:
        groups[fault.command, fault.kind].append(fault)
    for group in groups.values():
        numbers.shuffle(group)
    order = [fault for turn in range(max(map(len, groups.values()))) for group in groups.values()
             for fault in group[turn:turn + 1]]
    return order[:count]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/systole")
    parser.add_argument("--shim", default="build/release/tests/libfailing_calls.so")
    parser.add_argument("--sample", nargs="?", type=int, const=290, help="only so many runs [290]")
    parser.add_argument("--only", help="these commands and no other, separated by commas")
    parser.add_argument("--classes", help="these classes and no other, separated by commas")
    parser.add_argument("--allocations", default="200", help="of each command, or all [200]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", help="file that gets every finding, a line each")
    options = parser.parse_args()
    program, shim = (str(pathlib.Path(p).resolve()) for p in (options.program, options.shim))
    numbers = random.Random(options.seed)
    names = options.only.split(",") if options.only else [*COMMANDS, *CHILDREN]
    kinds = options.classes.split(",") if options.classes else CLASSES
    table = collections.defaultdict(collections.Counter)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "in").mkdir()
        make_inputs(program, root / "in")
        torture = Torture(program, shim, root / "in", root)
        torture.fresh(torture.work())
        torture.run(["--version"], torture.work(), "class=alloc;at=0")
        idle = torture.counts(torture.work())["alloc"]
        faults = [f for name in names for f in faults_of(torture.tried(name), options.allocations, numbers, idle)
                  if f.kind in kinds and (not options.sample or f.kind not in OTHERS.get(name, ()))]
        if options.sample:
            faults = sampled(faults, options.sample, numbers)
        print(f"{len(faults)} runs", flush=True)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for fault, (survived, wrong) in zip(faults, pool.map(torture.judge, faults)):
                row = table[fault.command]
                row["runs"] += 1
                row["survived"] += survived
                row.update(kind for kind, _ in wrong)
                others = fault.kind in OTHERS.get(fault.command, ())
                found += [(others, text) for _, text in wrong]
    columns = ("runs", "survived", "signal", "hang", "silent", "half", "sentence", "fragile", "left", "next")
    print(f"{'command':10}" + "".join(f"{c:>10}" for c in columns))
    for name, row in [*table.items(), ("all", sum(table.values(), collections.Counter()))]:
        print(f"{name:10}" + "".join(f"{row[c]:10}" for c in columns))
    for others, text in found:
        print(f"{'(of a library that draws) ' if others else ''}{text}")
    if options.results:
        pathlib.Path(options.results).write_text("".join(text + "\n" for _, text in found))
    ours = sum(not others for others, _ in found)
    print(f"{ours} findings, {len(found) - ours} of libraries that draw")
    return 1 if ours else 0


if __name__ == "__main__":
    sys.exit(main())
