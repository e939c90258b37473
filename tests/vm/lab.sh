#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# lab.sh COMMAND [ARGUMENT...]: the part of nnaccel-lab inside the guest: loads the driver, becomes the caller and runs the command in
# the caller's folder. nnaccel-lab gives NN_LAB_FOLDER, NN_LAB_DRIVER (1: load it), NN_LAB_USER ("UID:GID:GROUP,GROUP", empty:
# root), NN_LAB_PATH, NN_LAB_HOME and NN_LAB_NAME.
set -euo pipefail
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"
# shellcheck source=tests/vm/parts.sh
. "$NN_ROOT/tests/vm/parts.sh"

# nnaccel-lab alone, without the scripts that are beside it
bin=/run/nnaccel/bin
mkdir -p "$bin"
ln -s "$NN_ROOT/scripts/nnaccel-lab" "$bin/"
export NN_LAB=1

if [ "$NN_LAB_DRIVER" = 1 ]; then
	load_driver || { echo "nnaccel-lab: the driver has no node for each of $NN_CARDS cards; --no-driver leaves that to the command" && exit 125; }
fi
# The machine is the caller's own, and so are its accelerators.
if [ -n "$NN_LAB_USER" ]; then
	for file in /dev/accel/accel* /dev/dri/renderD* /dev/virtio-ports/nnaccel.control*; do
		[ ! -e "$file" ] || chmod 0666 "$file"
	done
fi

while IFS='=' read -r name folders; do
	case $name in
	PATH) export PATH="$bin:$folders:${NN_LAB_PATH:-$PATH}:/usr/local/sbin:/usr/sbin:/sbin" ;;
	*) export "$name=$folders${!name:+:${!name}}" ;;
	esac
done < <(part_environment)

as=()
if [ -n "$NN_LAB_USER" ]; then
	IFS=: read -r uid gid groups <<<"$NN_LAB_USER"
	as=(setpriv --reuid "$uid" --regid "$gid" --groups "$groups" --)
fi
export HOME=$NN_LAB_HOME USER=$NN_LAB_NAME LOGNAME=$NN_LAB_NAME
cd "$NN_LAB_FOLDER" || exit 125
unset NN_LAB_FOLDER NN_LAB_DRIVER NN_LAB_USER NN_LAB_PATH NN_LAB_HOME NN_LAB_NAME NN_VM_TRY
exec "${as[@]}" "$@"
