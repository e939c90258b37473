# SPDX-License-Identifier: Apache-2.0
# A machine with the accelerator has nnaccel in MACHINE_FEATURES; kernels of other machines stay as they are.
FILESEXTRAPATHS:prepend := "${THISDIR}/files:"
SRC_URI:append = "${@bb.utils.contains('MACHINE_FEATURES', 'nnaccel', ' file://nnaccel.cfg', '', d)}"
