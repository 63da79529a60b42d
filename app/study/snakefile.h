// The workflow that Snakemake reads: its jobs are the steps of plan.json, or the batches of cases
// in batches.json, if there are any.
#pragma once

namespace systole {

/// Name, followed by the number of a batch, of the file that marks it as done.
inline constexpr const char* batchMark = "batch-";

inline constexpr const char* snakefile =
    R"(# Made by 'systole cohort'. All that is to be done stands in plan.json.
import json
import os

with open("plan.json", encoding="utf-8") as file:
    plan = json.load(file)
with open("batches.json", encoding="utf-8") as file:
    batches = json.load(file)
cases = {case["id"]: case for case in plan["cases"]}
steps = {(case["id"], step["name"]): step for case in plan["cases"] for step in case["steps"]}
mark = "done/{case}/{step}"
batch_mark = "done/batch-{number}"


def of(wildcards):
    return steps[wildcards.case, wildcards.step]


# Snakemake looks for wildcards in params that are text, and not in what functions return.
def program(wildcards):
    return plan["program"]


def study(wildcards):
    return plan["input"]


def results(wildcards):
    return os.path.dirname(os.getcwd())


def batch_megabytes(wildcards):
    ids = batches["cases"][int(wildcards.number)]
    needed = max(step["memory_bytes"] for id in ids for step in cases[id]["steps"])
    return min(len(ids), batches["cases_at_a_time"]) * (needed // 1000000)


rule all:
    input:
        [batch_mark.format(number=number) for number in range(len(batches["cases"]))]
        or [mark.format(case=case, step=step) for case, step in steps]


rule step:
    input: lambda w: [mark.format(case=w.case, step=needed) for needed in of(w)["needs"]]
    output: touch(mark)
    wildcard_constraints: case="[^/]+", step="[a-z]+"
    group: "case"
    threads: max(1, plan["threads"])
    resources: mem_mb=lambda w: of(w)["memory_bytes"] // 1000000
    params: program=program, input=study, output=results
    shell: "exec {params.program:q} cohort {params.input:q} {params.output:q} --step {wildcards.case}/{wildcards.step}"


rule batch:
    output: touch(batch_mark)
    wildcard_constraints: number="[0-9]+"
    threads: max(1, plan["threads"]) * batches["cases_at_a_time"]
    resources: mem_mb=batch_megabytes
    params: program=program, input=study, output=results
    shell: "exec {params.program:q} cohort {params.input:q} {params.output:q} --batch-number {wildcards.number}"
)";

} // namespace systole
