# SPDX-License-Identifier: Apache-2.0
SUMMARY = "NNAPI for an image: runtime, driver, nnctl, services"

# The kernel's modules are of one machine; the class reads this.
PACKAGE_ARCH = "${MACHINE_ARCH}"

inherit packagegroup

PACKAGES = "${PN} ${PN}-sensors"

RDEPENDS:${PN} = "libneuralnetworks nnctl nnaccel-hald nnaccel-module"
RDEPENDS:${PN}-sensors = "libnnsensors nnaccel-sensord"
