#!/usr/bin/env python3
"""Holds what kernels declare of a thread's work against the machine code that was made of them.

    tools/sass_counts.py LIBRARY COSTS [--arch sm_90] [--compiler VERSION] [--print]

LIBRARY holds compiled kernels (object, archive or program). COSTS prints JSON: a list of
    {"kernel": as in the profile, "symbol": regular expression for the function's mangled name,
     "region": where to count, "unit": the class of instruction that tells the unrolling,
     "counts": {class: declared}}
with the classes of CLASSES below. Regions: "loop", the loop with the most of the unit, loops inside it left
out; "innermost", the same among loops that hold no other; "body", up to the first shuffle (of a sum over the
block, at the end); "all".

A loop that is unrolled holds the unit several times: counts are divided by that. Memory accesses, special
functions and barriers are what the source says and must agree within 8 % or one instruction. Sums and
products may be contracted, shared and reordered by another version of the compiler: 15 % or two. Prints a line
for each kernel and ends with 1 where one differs, with 77 where nothing can be compared: no disassembler, no
code of that architecture, or an older compiler than the counts were taken from.
"""

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys

# How an instruction's name begins, in the order in which they are tried.
CLASSES = [("LDGSTS", r"LDGSTS"), ("LDG", r"LDG?\b"), ("STG", r"STG?\b"), ("LDS", r"LDS"), ("STS", r"STS"),
           ("LOCAL", r"LDL|STL"), ("TEX", r"TEX|TLD"), ("MUFU", r"MUFU"), ("FFMA", r"FFMA"),
           ("FADD", r"FADD"), ("FMUL", r"FMUL"), ("BAR", r"BAR\b"), ("SHFL", r"SHFL")]
EXACT = {"LDG", "STG", "LDS", "STS", "LDS+STS", "TEX", "MUFU", "BAR", "LOCAL"}

OLDEST_COMPILER = 13

Instruction = collections.namedtuple("Instruction", "address text")


def find(tool):
    places = [shutil.which(tool)] + [os.path.join(root, "bin", tool) for root in
                                     (os.environ.get("CUDA_HOME", ""), "/usr/local/cuda", "/usr/lib/nvidia-cuda-toolkit")]
    return next((p for p in places if p and os.access(p, os.X_OK)), None)


def functions(listing):
    """{mangled name: instructions} of what cuobjdump -sass prints."""
    found, current = {}, None
    for line in listing.splitlines():
        if match := re.match(r"\s*Function : (\S+)", line):
            current = found.setdefault(match.group(1), [])
        elif current is not None and (match := re.match(
                r"\s*/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?(.*?)\s*;", line)):
            current.append(Instruction(int(match.group(1), 16), match.group(2)))
    return found


def loops(code):
    """(first, last) positions of each loop: from where a branch goes back to, to the branch."""
    at = {instruction.address: i for i, instruction in enumerate(code)}
    found = set()
    for i, instruction in enumerate(code):
        if match := re.match(r"BRA\b.*?(0x[0-9a-f]+)", instruction.text):
            target = at.get(int(match.group(1), 16))
            if target is not None and target < i:
                found.add((target, i))
    return sorted(found)


def count(code):
    counts = collections.Counter()
    for instruction in code:
        if re.match(r"NOP|LDS RZ", instruction.text):
            continue
        name = next((name for name, pattern in CLASSES if re.match(pattern, instruction.text)), "OTHER")
        for each in (("LDG", "STS") if name == "LDGSTS" else (name,)):
            counts[each] += 1
    counts["LDS+STS"] = counts["LDS"] + counts["STS"]
    return counts


def region_counts(code, region, unit):
    if region == "all":
        return count(code)
    if region == "body":
        end = next((i for i, x in enumerate(code) if x.text.startswith("SHFL")), len(code))
        return count(code[:end])
    every = loops(code)
    inside = {loop: [other for other in every if other != loop and loop[0] <= other[0] and other[1] <= loop[1]]
              for loop in every}
    best = collections.Counter()
    for loop in every:
        if region == "innermost" and inside[loop]:
            continue
        nested = {i for a, b in inside[loop] for i in range(a, b + 1)}
        counts = count([code[i] for i in range(loop[0], loop[1] + 1) if i not in nested])
        if counts[unit] > best[unit]:
            best = counts
    return best


def check(entry, code):
    """(unrolling, list of (class, declared, found, agrees))"""
    counts = region_counts(code, entry["region"], entry["unit"])
    unrolled = counts[entry["unit"]] / entry["counts"][entry["unit"]]
    rows = []
    for name, declared in entry["counts"].items():
        actual = counts[name] / unrolled if unrolled > 0 else 0
        part, least = (0.08, 1) if name in EXACT else (0.15, 2)
        rows.append((name, declared, actual, unrolled > 0 and abs(actual - declared) <= max(least, part * declared)))
    return unrolled, rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("costs")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--compiler", default=str(OLDEST_COMPILER), help="version of CUDA that made the code")
    parser.add_argument("--print", action="store_true", help="every count, not those that differ alone")
    arguments = parser.parse_args()
    if int(arguments.compiler.split(".")[0]) < OLDEST_COMPILER:
        print(f"sass_counts: the code was made by CUDA {arguments.compiler}, and the counts are of CUDA "
              f"{OLDEST_COMPILER}: nothing was compared")
        return 77
    disassembler = find("cuobjdump")
    if not disassembler:
        print("sass_counts: there is no cuobjdump on this machine: nothing was compared")
        return 77
    entries = json.loads(subprocess.run([arguments.costs], capture_output=True, text=True, check=True).stdout)
    # It ends with an error for the members of an archive that hold no code for a device.
    listing = subprocess.run([disassembler, "-sass", "-arch", arguments.arch, arguments.library],
                             capture_output=True, text=True, check=False)
    code = functions(listing.stdout)
    if not code:
        print(f"sass_counts: no code for {arguments.arch} in {arguments.library}: nothing was compared")
        return 77
    differing = 0
    for entry in entries:
        matching = [name for name in code if re.search(entry["symbol"], name)]
        if len(matching) != 1:
            print(f"{entry['kernel']}: {len(matching)} functions are called {entry['symbol']}")
            differing += 1
            continue
        unrolled, rows = check(entry, code[matching[0]])
        wrong = [row for row in rows if not row[3]]
        differing += bool(wrong)
        shown = rows if arguments.print else wrong
        print(f"{entry['kernel']}: {'differs' if wrong else 'agrees'}, unrolled {unrolled:g}" +
              "".join(f"; {name} declared {declared:g}, found {actual:.3g}" for name, declared, actual, _ in shown))
    print(f"sass_counts: {len(entries) - differing} of {len(entries)} kernels agree with their code")
    return 1 if differing or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
