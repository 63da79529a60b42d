#!/usr/bin/env python3
"""A small cohort by Slurm on this computer, against the same one without: the results are the same bytes.

    tests/tools/cohort_slurm.py [--program PROGRAM] [--cases N] [--nodes N] [--batch N] [--disturb]

Starts Slurm by slurm_host.sh. Each job asks for a GPU, which is a file here: its processes must see one, and no
other job of the node the same. While the cohort is at work a step is killed by SIGKILL, and then the command,
but not its jobs; with --disturb instead of the command the controller is killed and started again, and a whole node
is killed: its slurmd and all that runs there, which Slurm finds out after some seconds, and begins the node's jobs
again on another one after two minutes. Then the same in a file system that is too small, until it is made larger.
Ends with 77 where Slurm or Snakemake isn't installed."""
import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cohort_kills import Cohort, family, results  # noqa: E402


def processes():
    """Number, arguments, environment and parent of each."""
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                yield (int(entry.name), (entry / "cmdline").read_bytes(), (entry / "environ").read_bytes(),
                       int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]))
            except OSError:
                pass


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def variable(environment, name):
    found = [entry for entry in environment.split(b"\0") if entry.startswith(name + b"=")]
    return found[0].split(b"=", 1)[1].decode() if found else None


def check_gpus(jobs):
    """`jobs`: environments of processes of steps."""
    owners = {}
    for environment in jobs:
        gpu = (variable(environment, b"SLURMD_NODENAME"), variable(environment, b"CUDA_VISIBLE_DEVICES"))
        job = variable(environment, b"SLURM_JOB_ID")
        if gpu[1] not in ("0", "1") or owners.setdefault(gpu, job) != job:
            raise SystemExit(f"cohort_slurm: job {job} sees GPU {gpu[1]} of {gpu[0]}, of jobs {owners}")


def wait_for_step(output, command):
    """A process of a step on some node: its number and the node."""
    while command.poll() is None:
        steps = [(pid, environment) for pid, words, environment, _ in processes()
                 if b"SLURMD_NODENAME=" in environment and str(output).encode() in words
                 and any(option in words for option in (b"--step\0", b"--batch-number\0", b"--serve\0"))]
        check_gpus(environment for _, environment in steps)
        if steps:
            return steps[0][0], variable(steps[0][1], b"SLURMD_NODENAME")
        time.sleep(0.02)
    raise SystemExit(f"cohort_slurm: the command ended first: {command.communicate()[1]}")


def kill_node(folder, node):
    ours = {f"SLURMD_NODENAME={node}".encode(), f"SLURM_CONF={folder}/slurm.conf".encode()}
    jobs = {(pid, parent) for pid, _, environment, parent in processes() if ours <= set(environment.split(b"\0"))}
    daemons = {pid for pid, words, _, _ in processes() if words.startswith(b"slurmstepd")}
    kill({int((folder / f"slurmd-{node}.pid").read_text())})
    kill({parent for _, parent in jobs} & daemons)
    kill({pid for pid, _ in jobs})


def restart_controller(folder):
    """Slurm writes what it knows of jobs some seconds late: so the controller may begin again without the last ones,
    and stop using nodes that still run them."""
    kill({int((folder / "slurmctld.pid").read_text())})
    time.sleep(1)
    subprocess.Popen(["/usr/sbin/slurmctld", "-D"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_as_administrator(process):
    """A controller that has forgotten jobs gives their numbers again. A node that knows one of these Slurm sets aside
    ('Duplicate jobid') until somebody takes it back."""
    while True:
        try:
            return process.communicate(timeout=1)
        except subprocess.TimeoutExpired:
            aside = subprocess.run(["sinfo", "--noheader", "--Node", "--states=drain", "--format=%N"],
                                   capture_output=True, text=True).stdout.split()
            if aside:
                subprocess.run(["scontrol", "update", "nodename=" + ",".join(aside), "state=resume"])


def disturbed(cohort, folder, node_too):
    """Starts the command and kills what it has started; says what."""
    process = cohort.start()
    pid, node = wait_for_step(cohort.output, process)
    kill([pid])
    done = [f"a step on {node} was killed"]
    if node_too:
        restart_controller(folder)
        done.append("the controller was started again")
        _, node = wait_for_step(cohort.output, process)
        kill_node(folder, node)
        done.append(f"node {node} was killed")
    else:
        wait_for_step(cohort.output, process)
        kill(family(process.pid))
        done.append("the command was killed, its jobs went on")
    wait_as_administrator(process)
    return done


def with_full_disk(cohort, size):
    """The results lie in a file system that has half the room that they need, and then enough; says how the
    command put it."""
    half = max(size // 2, 1 << 20)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={half}", "none", str(cohort.output)], check=True)
    process = cohort.start()
    said, errors = process.communicate()
    sentences = [line for line in (said + errors).splitlines() if "No space left on device" in line]
    if process.returncode == 0 or not sentences:
        raise SystemExit(f"cohort_slurm: nothing was said of the full disk ({process.returncode}): {said}{errors}")
    subprocess.run(["mount", "-o", f"remount,size={20 * half}", str(cohort.output)], check=True)
    return [f"the disk was full at {half} bytes, of which {len(sentences)} lines spoke, such as '{sentences[0]}'"]


def compared(cohort, whole, done):
    """Finishes the cohort; how many of its files aren't the undisturbed ones."""
    cohort.finish()
    now = results(cohort.output)
    wrong = sorted(set(now.items()) ^ set(whole.items()))
    jobs = subprocess.run(["scontrol", "--oneliner", "show", "job"], capture_output=True, text=True).stdout
    nodes = sorted({word.split("=")[1] for word in jobs.split() if word.startswith("BatchHost=")})
    print(f"{jobs.count('JobId=')} jobs of Slurm on {', '.join(nodes)}; {'; '.join(done)}; {len(whole)} files: "
          f"{len(wrong)} wrong {wrong or ''}", flush=True)
    return len(wrong) + (0 if nodes else 1)


def within(options):
    """Runs where Slurm is up."""
    folder = pathlib.Path(os.environ["SLURM_CONF"]).parent
    work = folder / "work"
    work.mkdir()
    cohort = Cohort(options.program, work, options.cases, [] if options.pictures else ["--no-pictures"])
    cohort.finish()
    whole = results(cohort.output)
    size = sum(path.stat().st_size for path in cohort.output.rglob("*") if path.is_file())
    shutil.rmtree(cohort.output)
    cohort.words += ["--slurm", "--jobs", str(2 * options.nodes), "--slurm-option=--gres=gpu:1"]
    if options.batch:
        cohort.words += ["--batch", str(options.batch), "--batch-cores", "2"]
    wrong = 0
    if not options.full_disk_only:
        wrong = compared(cohort, whole, disturbed(cohort, folder, options.disturb))
        shutil.rmtree(cohort.output)
    cohort.output.mkdir()
    try:
        wrong += compared(cohort, whole, with_full_disk(cohort, size))
    finally:
        subprocess.run(["umount", "--lazy", str(cohort.output)], check=False)
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/systole")
    parser.add_argument("--cases", type=int, default=3)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--disturb", action="store_true")
    parser.add_argument("--full-disk-only", action="store_true")
    parser.add_argument("--pictures", action="store_true")
    options = parser.parse_args()
    options.program = str(pathlib.Path(options.program).resolve())
    if not shutil.which("snakemake"):
        print("cohort_slurm: skipped: Snakemake isn't installed (tools/deps.sh cohort)")
        return 77
    if "SYSTOLE_SLURM_IS_UP" in os.environ:
        return within(options)
    with tempfile.TemporaryDirectory() as folder:
        host = pathlib.Path(__file__).resolve().parent / "slurm_host.sh"
        return subprocess.run([str(host), folder, str(options.nodes), sys.executable, *sys.argv,
                               "--program", options.program],
                              env=dict(os.environ, SYSTOLE_SLURM_IS_UP="1")).returncode


if __name__ == "__main__":
    sys.exit(main())
