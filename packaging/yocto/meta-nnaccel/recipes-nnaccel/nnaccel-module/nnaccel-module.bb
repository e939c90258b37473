# SPDX-License-Identifier: Apache-2.0
SUMMARY = "Kernel driver of the nnaccel accelerator"
DESCRIPTION = "The DRM accel driver for accelerators of the nnaccel device contract on PCI and in a device tree, and in a \
module of its own the device that a process emulates."
SECTION = "kernel"
LICENSE = "GPL-2.0-only"
LIC_FILES_CHKSUM = "file://LICENSES/GPL-2.0-only.txt;md5=b234ee4d69f5fce4486a80fdaf4a4263"

NNACCEL_PARTS = "Kbuild LICENSES VERSION kernel/nnaccel uapi"
require recipes-nnaccel/nnaccel/nnaccel-source.inc

inherit module

# Kbuild at the root of the sources is for the kernel's own make. udev loads the driver by its aliases: no KERNEL_MODULE_AUTOLOAD.
EXTRA_OEMAKE += "-C ${STAGING_KERNEL_DIR} M=${S}"
MAKE_TARGETS = "modules"

do_configure:prepend() {
	release="${KERNEL_VERSION}"
	major=${release%%.*}
	minor=${release#*.}
	minor=${minor%%[!0-9]*}
	if [ "$major" -lt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -lt 12 ]; }; then
		bbfatal "the kernel is $release, and the driver needs 6.12 or newer: set PREFERRED_PROVIDER_virtual/kernel or PREFERRED_VERSION"
	fi
}

RRECOMMENDS:${PN} = "nnaccel-common"
