################################################################################
#
# libtracecmd
#
################################################################################

# The archive of Buildroot's package trace-cmd
LIBTRACECMD_VERSION = 3.3.3
LIBTRACECMD_SOURCE = trace-cmd-v$(LIBTRACECMD_VERSION).tar.gz
LIBTRACECMD_SITE = \
	https://git.kernel.org/pub/scm/utils/trace-cmd/trace-cmd.git/snapshot
LIBTRACECMD_DL_SUBDIR = trace-cmd
LIBTRACECMD_LICENSE = LGPL-2.1
LIBTRACECMD_LICENSE_FILES = LICENSES/LGPL-2.1
LIBTRACECMD_INSTALL_STAGING = YES
LIBTRACECMD_DEPENDENCIES = host-pkgconf libtraceevent libtracefs zlib
LIBTRACECMD_MAKE_OPTS = \
	prefix=/usr \
	libdir_relative=lib \
	pkgconfig_dir=/usr/lib/pkgconfig \
	NO_PYTHON=1
# As Buildroot's package: trace-cmd defines _LARGEFILE64_SOURCE itself.
LIBTRACECMD_CFLAGS = $(filter-out -D_LARGEFILE64_SOURCE,$(TARGET_CFLAGS))
LIBTRACECMD_CPPFLAGS = $(filter-out -D_LARGEFILE64_SOURCE,$(TARGET_CPPFLAGS))
LIBTRACECMD_MAKE = \
	$(TARGET_CONFIGURE_OPTS) CFLAGS="$(LIBTRACECMD_CFLAGS)" CPPFLAGS="$(LIBTRACECMD_CPPFLAGS)" \
	$(MAKE) $(LIBTRACECMD_MAKE_OPTS) -C $(@D)

define LIBTRACECMD_BUILD_CMDS
	$(LIBTRACECMD_MAKE) libs
endef

define LIBTRACECMD_INSTALL_STAGING_CMDS
	$(LIBTRACECMD_MAKE) DESTDIR=$(STAGING_DIR) install_libs
endef

define LIBTRACECMD_INSTALL_TARGET_CMDS
	$(LIBTRACECMD_MAKE) DESTDIR=$(TARGET_DIR) install_libs
endef

$(eval $(generic-package))
