# SPDX-License-Identifier: Apache-2.0
SUMMARY = "Counter-based random numbers: headers"
HOMEPAGE = "https://github.com/DEShawResearch/random123"
SECTION = "devel"
LICENSE = "BSD-3-Clause"
LIC_FILES_CHKSUM = "file://LICENSE;md5=1e4fb194dfd09b3211ab1199e959a1a4"

# The tag v1.14.0.
SRC_URI = "git://github.com/DEShawResearch/random123.git;protocol=https;branch=main;destsuffix=${BP}"
SRCREV = "726a093cd9a73f3ec3c8d7a70ff10ed8efec8d13"
S = "${@d.getVar('UNPACKDIR') or d.getVar('WORKDIR')}/${BP}"

inherit allarch

do_configure[noexec] = "1"
do_compile[noexec] = "1"

do_install() {
	oe_runmake install-include prefix=${prefix} includedir=${includedir} DESTDIR=${D}
	chown -R root:root ${D}${includedir}
}

# All of it is in the package of headers.
RDEPENDS:${PN}-dev = ""
RRECOMMENDS:${PN}-dev = ""

BBCLASSEXTEND = "native nativesdk"
