#!/usr/bin/env python3
"""Keeps the figures of `systole bench accuracy --json RECORD` as the record of the repository.

    tools/keep_accuracy.py RECORD tests/baselines/accuracy.json

Our own methods on the phantoms, on the CPU, alone: other programs and real images aren't everywhere. Without seconds,
which are of a machine: what is left doesn't depend on it. One line per program, so that a change of one method is a
change of its lines.
"""

import json
import sys


def main(source, target):
    with open(source, encoding="utf-8") as file:
        whole = json.load(file)
    record = whole["accuracy"]
    run = {"date": whole["date"][:10], "machine": "any CPU"}
    looks = []
    for look, programs in record["family"].items():
        for figures in programs.values():
            figures.pop("seconds")
        lines = [f"    {json.dumps(name)}: {json.dumps(figures)}" for name, figures in programs.items()
                 if name.startswith("Systole") and not name.endswith("CUDA")]
        looks.append(f'   {json.dumps(look)}: {{\n' + ",\n".join(lines) + "\n   }")
    with open(target, "w", encoding="utf-8") as file:
        file.write(f'{json.dumps(run)[:-1]},\n "command": {json.dumps(whole["command"])},\n')
        file.write(f' "accuracy": {{\n  "side": {record["side"]},\n  "family": {{\n' + ",\n".join(looks) + "\n  }\n}}\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
