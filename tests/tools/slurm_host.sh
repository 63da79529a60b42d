#!/bin/sh
# Slurm on this computer alone, for tests: munged, slurmctld and several slurmd as nodes, without systemd, each with
# two GPUs, which are links to devices that do nothing.
#   slurm_host.sh FOLDER NODES COMMAND...
# Starts all in FOLDER, which must be empty or missing, runs COMMAND with SLURM_CONF set, ends all that it has
# started, and ends as COMMAND did; with 77 where Slurm isn't installed or this isn't root.
set -eu
folder=$1
nodes=$2
shift 2
for program in munged mungekey slurmctld slurmd sbatch; do
    PATH=$PATH:/usr/sbin command -v $program >/dev/null || {
        echo "slurm_host: skipped: $program isn't installed (tools/deps.sh cohort slurm)"
        exit 77
    }
done
[ "$(id -u)" -eq 0 ] || { echo "slurm_host: skipped: the daemons of Slurm need root"; exit 77; }
PATH=$PATH:/usr/sbin
mkdir -p "$folder/state" "$folder/munge"
folder=$(CDPATH="" cd -- "$folder" && pwd)
chmod 755 "$folder" "$folder/munge"
host=$(hostname -s)
cores=$(nproc)
memory=$(awk '/MemTotal/ {print int($2 / 1024)}' /proc/meminfo)
# Ports that nobody uses, by the number of this process: ten for each, the controller and up to nine nodes.
port=$((20000 + $$ % 1000 * 10))
last=$((nodes - 1))

cat >"$folder/slurm.conf" <<CONF
ClusterName=systole
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmctldPidFile=$folder/slurmctld.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmdLogFile=$folder/slurmd-%n.log
SlurmdSpoolDir=$folder/spool-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
GresTypes=gpu
SlurmdTimeout=10
ReturnToService=2
MinJobAge=600
NodeName=n[0-$last] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=$cores RealMemory=$memory Gres=gpu:2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
# Slurm takes nothing but devices.
ln -s /dev/null "$folder/gpu0"
ln -s /dev/zero "$folder/gpu1"
echo "NodeName=n[0-$last] Name=gpu File=$folder/gpu[0-1]" >"$folder/gres.conf"
export SLURM_CONF="$folder/slurm.conf"

pids=
finish() {
    # COMMAND may have started the controller again.
    [ ! -e "$folder/slurmctld.pid" ] || kill "$(cat "$folder/slurmctld.pid")" 2>/dev/null || true
    for pid in $pids; do kill "$pid" 2>/dev/null || true; done
    for pid in $pids; do wait "$pid" 2>/dev/null || true; done
}
trap finish EXIT
mungekey --create --keyfile="$folder/munge/key" >/dev/null
munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" \
    --log-file="$folder/munge/log" --pid-file="$folder/munge/pid" --seed-file="$folder/munge/seed" >/dev/null 2>&1 &
pids="$pids $!"
slurmctld -D >/dev/null 2>&1 &
pids="$pids $!"
node=0
while [ $node -lt "$nodes" ]; do
    mkdir -p "$folder/spool-n$node"
    slurmd -D -N "n$node" >/dev/null 2>&1 &
    pids="$pids $!"
    node=$((node + 1))
done
waited=0
until [ "$(sinfo --noheader --Node --states=idle 2>/dev/null | wc -l)" -ge "$nodes" ]; do
    waited=$((waited + 1))
    if [ $waited -gt 120 ]; then
        echo "slurm_host: the nodes didn't come up:" >&2
        tail -n 5 "$folder"/*.log >&2
        exit 1
    fi
    sleep 0.5
done
"$@"
