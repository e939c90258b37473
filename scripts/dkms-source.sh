#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# dkms-source.sh FOLDER: the module's source as DKMS builds it. FOLDER is made anew; its name ends in nnaccel-VERSION.
set -euo pipefail
# shellcheck source=scripts/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$NN_ROOT"

version=$(<VERSION)
to=${1:-}
[[ $to == */nnaccel-$version ]] || nn_die "the folder is '$to'; it must end in /nnaccel-$version"
rm -rf "$to"
mkdir -p "$to/kernel"
cp -a Kbuild VERSION uapi "$to/"
cp -a kernel/nnaccel "$to/kernel/"
sed "s/@VERSION@/$version/" dkms.conf >"$to/dkms.conf"
