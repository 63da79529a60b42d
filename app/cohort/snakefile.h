// The workflow that Snakemake reads: one rule, whose jobs are the steps of plan.json.
#pragma once

namespace systole {

inline constexpr const char* snakefile =
    R"(# Made by 'systole cohort'. All that is to be done stands in plan.json.
import json
import os

with open("plan.json", encoding="utf-8") as file:
    plan = json.load(file)
steps = {(case["id"], step["name"]): step for case in plan["cases"] for step in case["steps"]}
mark = "done/{case}/{step}"


def of(wildcards):
    return steps[wildcards.case, wildcards.step]


rule all:
    input: [mark.format(case=case, step=step) for case, step in steps]


rule step:
    input: lambda w: [mark.format(case=w.case, step=needed) for needed in of(w)["needs"]]
    output: touch(mark)
    wildcard_constraints: case="[^/]+", step="[a-z]+"
    group: "case"
    threads: max(1, plan["threads"])
    resources: mem_mb=lambda w: 200 + of(w)["memory_bytes"] // 1000000
    params: program=plan["program"], input=plan["input"], output=os.path.dirname(os.getcwd())
    shell: "exec {params.program:q} cohort {params.input:q} {params.output:q} --step {wildcards.case}/{wildcards.step}"
)";

} // namespace systole
