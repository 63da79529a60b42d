#!/usr/bin/env python3
"""Runs the fuzzer of every reader in io/ and prints what it did; `./dev fuzz` builds it and calls this.

The time is shared among the readers. What they find lies in build/fuzz/found, one file each; the inputs that
reach new code lie in build/fuzz/corpus and are begun with the next time. Exits 1 if anything was found."""
import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/fuzz"
FUZZER = BUILD / "fuzz_readers"
MOST_MEGABYTES = 1024  # resident; a reader takes at most 256 MB for a small file, the sanitizers take the rest
MOST_SECONDS = 10
LONGEST_INPUT = 1 << 16
ENVIRONMENT = dict(os.environ, LLVM_PROFILE_FILE=os.devnull,
                   UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1",
                   # Little is kept after it is freed, so that the largest memory is the reader's.
                   ASAN_OPTIONS="detect_leaks=1:quarantine_size_mb=16:malloc_context_size=8")
KINDS = {"crash": "crashes", "leak": "crashes", "timeout": "hangs", "oom": "memory"}


def last(pattern, text, otherwise=0):
    found = re.findall(pattern, text)
    return int(found[-1]) if found else otherwise


class Reader:
    def __init__(self, name):
        self.name = name
        self.executions = self.edges = self.megabytes = 0
        self.found = {"crashes": 0, "hangs": 0, "memory": 0}
        self.corpus, self.log = BUILD / "corpus" / name, BUILD / "found" / f"{name}.log"
        self.corpus.mkdir(parents=True, exist_ok=True)

    def command(self, *options):
        return [FUZZER, f"--reader={self.name}", "-print_final_stats=1", f"-rss_limit_mb={MOST_MEGABYTES}",
                f"-timeout={MOST_SECONDS}", f"-max_len={LONGEST_INPUT}", *options]

    def dictionary(self):
        words = BUILD / "seeds" / f"{self.name}.dict"
        return [f"-dict={words}"] if words.stat().st_size else []

    def run(self, seconds):
        """Goes on after a finding until the time is over. Gives itself."""
        end = time.monotonic() + seconds
        self.log.write_text("")
        while (left := end - time.monotonic()) > 0.5:
            command = self.command(f"-max_total_time={max(1, round(left))}", *self.dictionary(),
                                   f"-artifact_prefix={BUILD / 'found' / self.name}-", self.corpus,
                                   BUILD / "seeds" / self.name)
            done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, errors="replace")
            said = done.stderr
            with self.log.open("a") as log:
                log.write(said)
            self.executions += last(r"stat::number_of_executed_units: (\d+)", said) or last(r"^#(\d+)\s", said)
            self.edges = max(self.edges, last(r" cov: (\d+)", said))
            self.megabytes = max(self.megabytes, last(r"stat::peak_rss_mb:\s+(\d+)", said))
            if done.returncode == 0:
                continue
            kind = re.search(r"Test unit written to \S*-(crash|leak|timeout|oom)-", said)
            self.found[KINDS[kind[1]] if kind else "crashes"] += 1
            if not kind:  # it doesn't even begin
                print(f"fuzz: {self.name}: {said[-2000:]}", file=sys.stderr)
                break
        return self

    def cover(self):
        """Reads the corpus once more, and gives the file with the lines that this reached."""
        profile = BUILD / "profiles" / f"{self.name}.profraw"
        profile.parent.mkdir(exist_ok=True)
        profile.unlink(missing_ok=True)
        environment = dict(ENVIRONMENT, LLVM_PROFILE_FILE=str(profile))
        subprocess.run(self.command("-runs=0", self.corpus, BUILD / "seeds" / self.name), env=environment,
                       capture_output=True)
        return profile


def print_coverage(profiles):
    merged = BUILD / "profiles/all.profdata"
    profiles = [profile for profile in profiles if profile.exists()]
    subprocess.run(["llvm-profdata", "merge", "-sparse", *profiles, "-o", merged], check=True)
    sources = [path for path in sorted((ROOT / "io").rglob("*.cpp")) if "phantom" not in path.parts]
    report = subprocess.run(["llvm-cov", "report", FUZZER, f"-instr-profile={merged}", *sources],
                            check=True, capture_output=True, text=True).stdout
    (BUILD / "coverage.txt").write_text(report)
    rows = {}
    for line in report.splitlines():
        parts = line.split()
        # Name; regions, missed, %; functions, missed, %; lines, missed, %.
        if len(parts) >= 10 and parts[0].startswith("io/"):
            folder = str(Path(parts[0]).parent)
            lines, missed = rows.get(folder, (0, 0))
            rows[folder] = (lines + int(parts[7]), missed + int(parts[8]))
    rows["all"] = tuple(map(sum, zip(*rows.values()))) if rows else (0, 0)
    print("\nlines of io/ that were read through (build/fuzz/coverage.txt has every file; writers are in it, too)")
    for folder, (lines, missed) in rows.items():
        print(f"  {folder:<16} {lines - missed:>6} of {lines:>6}   {100 * (lines - missed) / max(lines, 1):5.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", nargs="?", type=float, default=60, help="for all readers together")
    parser.add_argument("--reader", action="append", help="only this one; may be repeated")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="readers at a time")
    arguments = parser.parse_args()
    known = subprocess.run([FUZZER, "--list"], env=ENVIRONMENT, check=True, capture_output=True, text=True).stdout.split()
    names = arguments.reader or known
    if unknown := set(names) - set(known):
        sys.exit(f"fuzz: no reader is called {', '.join(unknown)}; there are {', '.join(known)}")
    (BUILD / "found").mkdir(exist_ok=True)
    subprocess.run([FUZZER, f"--prepare={BUILD / 'seeds'}"], env=ENVIRONMENT, check=True)
    print(f"{'reader':<16} {'executions':>11} {'edges':>7} {'crashes':>8} {'hangs':>6} {'memory':>7} {'largest MB':>11}")
    readers = [Reader(name) for name in names]
    jobs = min(arguments.jobs, len(names))
    with ThreadPoolExecutor(jobs) as pool:
        for reader in pool.map(lambda reader: reader.run(arguments.seconds * jobs / len(names)), readers):
            print(f"{reader.name:<16} {reader.executions:>11} {reader.edges:>7} {reader.found['crashes']:>8} "
                  f"{reader.found['hangs']:>6} {reader.found['memory']:>7} {reader.megabytes:>11}", flush=True)
        profiles = list(pool.map(Reader.cover, readers))
    print_coverage(profiles)
    if any(any(reader.found.values()) for reader in readers):
        sys.exit(f"fuzz: what was found is in {BUILD / 'found'}; its log says how")


if __name__ == "__main__":
    main()
