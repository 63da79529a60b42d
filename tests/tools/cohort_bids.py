#!/usr/bin/env python3
"""Whether the results of 'systole cohort' are BIDS derivatives, by the validators of Python's package index.

    tests/tools/cohort_bids.py [--program PROGRAM] [RESULTS]

Without RESULTS a small cohort is made first. The packages (pip install bids-validator bids-validator-deno):
  bids-validator       rules of names: every file that .bidsignore doesn't name
  its bidsschematools  the schema: the fields that dataset_description.json must have
  bids-validator-deno  if it is there, all rules: names, JSON, columns of tables, sidecars
and besides, every column of a table has a description in its sidecar. Ends with status 1 for an error, and
with 77 where bids-validator or Snakemake isn't installed."""
import argparse
import fnmatch
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cohort_kills import Cohort  # noqa: E402

try:
    import bids_validator
    import bidsschematools.schema
except ImportError:
    bids_validator = None


def is_ignored(name, patterns):
    parts = name.split("/")
    return any(fnmatch.fnmatch("/".join(parts[:end]), pattern.strip("/")) if pattern.startswith("/")
               else fnmatch.fnmatch(parts[end - 1], pattern.strip("/"))
               for pattern in patterns for end in range(1, len(parts) + 1))


def table_errors(path):
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    sidecar = json.loads(path.with_suffix(".json").read_text())
    for column in rows[0]:
        if "Description" not in sidecar.get(column, {}):
            yield f"{path.name}: column {column} has no description"
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]) or "" in row:
            yield f"{path.name}, line {number}: has empty or missing cells"


def errors_in(results):
    patterns = (results / ".bidsignore").read_text().split()
    names = [str(path.relative_to(results)) for path in sorted(results.rglob("*")) if path.is_file()]
    names = [name for name in names if name != ".bidsignore" and not is_ignored(name, patterns)]
    print(f"bids-validator: {', '.join(names)}")
    validator = bids_validator.BIDSValidator()
    errors = [f"{name}: isn't a name of BIDS" for name in names if not validator.is_bids("/" + name)]
    about = json.loads((results / "dataset_description.json").read_text())
    rules = bidsschematools.schema.load_schema()["rules"]["json"]["dataset"]
    for rule in ("dataset_description", "derivative_description"):
        errors += [f"dataset_description.json: has no {field}" for field, level in rules[rule]["fields"].items()
                   if level == "required" and field not in about]
    for name in names:
        if name.endswith(".tsv"):
            errors += table_errors(results / name)
    complete = pathlib.Path(sys.executable).with_name("bids-validator-deno")
    if complete.exists():
        outcome = subprocess.run([str(complete), "--format", "json", str(results)], capture_output=True, text=True)
        issues = json.loads(outcome.stdout)["issues"]["issues"]
        found = [issue for issue in issues if issue.get("severity") == "error"]
        print(f"bids-validator-deno: {len(found)} errors, {len(issues) - len(found)} warnings")
        errors += [f"{issue.get('location')}: {issue.get('code')} {issue.get('issueMessage', '')}" for issue in found]
    return errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/systole")
    parser.add_argument("results", nargs="?", type=pathlib.Path)
    options = parser.parse_args()
    if not bids_validator or not shutil.which("snakemake"):
        print("cohort_bids: skipped: bids-validator of Python's index or Snakemake isn't installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        results = options.results
        if not results:
            cohort = Cohort(str(pathlib.Path(options.program).resolve()), pathlib.Path(folder), 2, ["--no-pictures"])
            cohort.finish()
            results = cohort.output
        errors = errors_in(results)
    for error in errors:
        print(error)
    print(f"{len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
