# SPDX-License-Identifier: Apache-2.0
SUMMARY = "NNAPI for Linux: runtime, vendor library, services, nnctl"
DESCRIPTION = "The C API of Android's NDK for neural networks, on accelerators with nnaccel's driver and on the CPU; \
sensors for programs; doors for TensorFlow Lite, ONNX Runtime and Python."
SECTION = "libs"
# As in debian/copyright: rules of udev are GPL-2.0-only, the firmware has functions of Random123.
LICENSE = "Apache-2.0 & GPL-2.0-only & BSD-3-Clause"
LIC_FILES_CHKSUM = " \
    file://LICENSES/Apache-2.0.txt;md5=3b83ef96387f14655fc854ddc3c6bd57 \
    file://LICENSES/GPL-2.0-only.txt;md5=b234ee4d69f5fce4486a80fdaf4a4263 \
"

NNACCEL_PARTS = " \
    Documentation/man LICENSES VERSION benchmarks debian/nnaccel-sensord.sysusers examples firmware include kernel/udev lib meson.build \
    meson_options.txt ops python scripts/identity.sh tests/kselftest tools uapi \
"
require nnaccel-source.inc

DEPENDS = " \
    cjson jpeg libdrm libiio libpng libseccomp libtraceevent libtracefs nettle random123 trace-cmd udev zlib \
"

inherit meson pkgconfig python3native systemd useradd

# Programs and tests of these processors and this C library exist.
COMPATIBLE_HOST = "(x86_64|aarch64).*-linux"
COMPATIBLE_HOST:libc-musl = "null"

EXTRA_OEMESON = "-Dtests=false -Dinstalled_tests=false -Dfuzzers=false"

# scalar: kernels without SIMD, for a small image. python: the package, and with it numpy in the image.
PACKAGECONFIG ??= ""
PACKAGECONFIG[python] = "-Dpython=true -Dpython_dir=${PYTHON_SITEPACKAGES_DIR},-Dpython=false"
PACKAGECONFIG[scalar] = "-Disa=scalar,-Disa=all"

# Beside what meson installs; the folder of rules is udev's.
do_install:append() {
	install -d ${D}${nonarch_base_libdir}/udev/rules.d
	install -m 0644 ${S}/kernel/udev/*.rules ${D}${nonarch_base_libdir}/udev/rules.d/
	install -m 0755 ${S}/kernel/udev/nnaccel-sensor-access ${D}${nonarch_base_libdir}/udev/
	install -D -m 0644 ${S}/debian/nnaccel-sensord.sysusers ${D}${nonarch_libdir}/sysusers.d/nnaccel-sensord.conf
}

PACKAGE_BEFORE_PN = " \
    libneuralnetworks libnativewindow libnnhal libnnipc libnnsensors libnnaccel-model libnnaccel-tflite libnnaccel-onnxruntime \
    nnctl nnaccel-common nnaccel-hald nnaccel-sensord nnaccel-card \
    ${@bb.utils.contains('PACKAGECONFIG', 'python', 'python3-nnaccel', '', d)} \
"
# No package nnaccel: packagegroup-nnaccel names what an image needs.
PACKAGES = "${PN}-src ${PN}-dbg ${PACKAGE_BEFORE_PN} ${PN}-dev ${PN}-doc"

# Each file is in one package: tests/house/boards.py. Programs open these libraries by names without a version.
FILES_SOLIBSDEV = ""
FILES:libneuralnetworks = "${libdir}/libneuralnetworks.so"
FILES:libnativewindow = "${libdir}/libnativewindow.so"
FILES:libnnaccel-model = "${libdir}/libnnaccel_model.so.*"
FILES:libnnaccel-onnxruntime = "${libdir}/libnnaccel_onnxruntime.so"
FILES:libnnaccel-tflite = "${libdir}/libnnaccel_tflite.so"
FILES:libnnhal = "${libdir}/libnnhal.so.* ${libdir}/nnaccel/libnnaccel-fw.so ${libdir}/nnhal/libnnhal-nnaccel.so"
FILES:libnnipc = "${libdir}/libnnipc.so.* ${libdir}/nnaccel/nnaccel-worker ${libdir}/nnaccel/profiles"
FILES:libnnsensors = "${libdir}/libnnsensors.so.*"
FILES:nnctl = " \
    ${bindir}/nnctl \
    ${prefix}/lib/systemd/system/nnaccel-calibrate@.service \
    ${nonarch_base_libdir}/udev/rules.d/61-nnaccel-calibrate.rules \
"
FILES:nnaccel-common = " \
    ${datadir}/nnaccel/nnapi.conf \
    ${nonarch_base_libdir}/udev/rules.d/60-nnaccel.rules \
"
FILES:nnaccel-hald = "${sbindir}/nnaccel-hald ${prefix}/lib/systemd/system/nnaccel-hald.*"
FILES:nnaccel-sensord = " \
    ${sbindir}/nnaccel-sensord \
    ${prefix}/lib/systemd/system/nnaccel-sensord.* \
    ${datadir}/nnaccel/sensord.conf \
    ${nonarch_base_libdir}/udev/rules.d/62-nnaccel-sensors.rules \
    ${nonarch_base_libdir}/udev/nnaccel-sensor-access \
    ${nonarch_libdir}/sysusers.d/nnaccel-sensord.conf \
"
FILES:nnaccel-card = " \
    ${bindir}/nnaccel-card ${bindir}/nnaccel-emud ${bindir}/nnaccel-slot \
    ${prefix}/lib/systemd/system/nnaccel-emud.service \
"
FILES:python3-nnaccel = "${PYTHON_SITEPACKAGES_DIR}/nnaccel"
FILES:${PN}-dev = " \
    ${includedir} ${libdir}/pkgconfig \
    ${libdir}/libnnaccel_model.so ${libdir}/libnnhal.so ${libdir}/libnnipc.so ${libdir}/libnnsensors.so \
"
FILES:${PN}-doc = "${mandir}"

# The runtime finds the vendor library by this link.
INSANE_SKIP:libnnhal = "dev-so"

# What is loaded or started, which no library's list of needed ones names: as Depends and Recommends in debian/control.
RDEPENDS:libneuralnetworks = "libnnhal"
RDEPENDS:libnnhal = "libnnipc"
RDEPENDS:libnnaccel-model = "libneuralnetworks"
RDEPENDS:libnnaccel-onnxruntime = "libneuralnetworks"
RDEPENDS:libnnaccel-tflite = "libneuralnetworks"
RDEPENDS:nnctl = "libneuralnetworks libnnsensors nnaccel-common"
RDEPENDS:nnaccel-hald = "libnnhal nnaccel-common"
RDEPENDS:nnaccel-sensord = "nnaccel-common"
RDEPENDS:python3-nnaccel = "libnnaccel-model python3-core python3-ctypes python3-numpy"
RDEPENDS:${PN}-dev = "libnativewindow libneuralnetworks libnnaccel-model libnnhal libnnipc libnnsensors"
# wrynose recommends the package nnaccel here, which is not made
RRECOMMENDS:${PN}-dev = ""
RRECOMMENDS:libneuralnetworks = "nnaccel-common"
RRECOMMENDS:libnnhal = "nnaccel-common"
RRECOMMENDS:libnnipc = "nnaccel-common"
RRECOMMENDS:libnnsensors = "nnaccel-sensord"

# The sockets are enabled: the first client starts a service. The emulated device is started by those who want it.
SYSTEMD_PACKAGES = "nnaccel-hald nnaccel-sensord nnaccel-card"
SYSTEMD_SERVICE:nnaccel-hald = "nnaccel-hald.socket"
SYSTEMD_SERVICE:nnaccel-sensord = "nnaccel-sensord.socket"
SYSTEMD_SERVICE:nnaccel-card = "nnaccel-emud.service"
SYSTEMD_AUTO_ENABLE:nnaccel-card = "disable"

USERADD_PACKAGES = "nnaccel-common nnaccel-sensord"
GROUPADD_PARAM:nnaccel-common = "--system render"
GROUPADD_PARAM:nnaccel-sensord = "--system nnaccel-sensors"
