#!/bin/sh
# The second stage of the container: makes the program in FOLDER a command of a bare Debian 12, and installs
# Snakemake, Slurm's commands, OpenGL that draws without a graphics card, and a font.
#   install.sh FOLDER
set -eu
folder=$1
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -y -q --no-install-recommends snakemake slurm-client munge libgl1-mesa-dri libegl1 libgl1 libopengl0 \
    fonts-dejavu-core
rm -rf /var/lib/apt/lists/*
ln -sf "$folder/systole" /usr/local/bin/systole
systole --version
