#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# demo.sh MODEL...: the part of "make run" inside the guest. Messages carry the guest's time; results are
# written as JSON to results/ in the results share.
set -euo pipefail
# shellcheck source=tests/vm/guest-lib.sh
. "$NN_ROOT/tests/vm/guest-lib.sh"

say()
{
	printf '  guest %6s s  %s\n' "$(cut -d' ' -f1 /proc/uptime)" "$*"
}

# The driver's own lines in the kernel log.
driver_log()
{
	log_since demo | grep -i nnaccel | grep -v nnaccel-mark | sed 's/^\[ *[0-9.]*\] /                     | /'
}

mkdir -p "$NN_OUT/results"
say "$(uname -sr) is up, $(nproc) processors; the card is PCI $(card_slots | tr '\n' ' ')"
log_mark demo
say "modprobe nnaccel"
load_driver
driver_log
node=$(device_nodes | head -n 1)
say "device node: $(stat -c '%n, character device %Hr:%Lr, mode %a' "$node")"
say "card process on the host: $(card_control status)"
say "nnctl list:"
nnctl list | sed 's/^/                     | /'
for model in "$@"; do
	say "nnctl run: $model, every picture, on ${node##*/}"
	for picture in "$NN_ROOT"/models/pictures/*.png; do
		nnctl run "models/$model/model.tflite" --input "$picture" --device "${node##*/}" --top 2 --repeat 5 \
			--labels "models/$model/labels.txt" --json >"$NN_OUT/results/$model.$(basename "$picture" .png).json"
	done
done
say "finished"
