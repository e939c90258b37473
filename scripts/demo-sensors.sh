#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# demo-sensors.sh: what "make run-sensors" does. Installs, builds, and boots Debian's packaged kernel with the emulated card and
# a hub of HID sensors: nnaccel-sensord serves them, and what the accelerometer measures is classified in the card's memory.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$NN_ROOT"
out=$NN_BUILD/vm/demo-sensors

scripts/prepare-vm.sh tools/nnaccel-sensord/serve/nnaccel-sensord examples/always_on tests/sensors/uhid_sensors
release=$(scripts/kernel.sh release)
nn_say "booting Debian's $release in QEMU ($(tests/vm/accel.sh)) with the emulated card"
rc=0
tests/vm/vm.sh --out "$out" --timeout 300 --stream -- bash tests/vm/demo-sensors.sh || rc=$?
[ "$rc" -eq 0 ] || nn_die "the demo failed ($rc); see $out/output.log, dmesg.txt, serial.log and slot0.log"
nn_say "done; kernel log free of warnings"
