################################################################################
#
# nnaccel
#
################################################################################

# The sources are the release or the checkout that this folder is in; for others there is NNACCEL_OVERRIDE_SRCDIR.
NNACCEL_VERSION = $(shell cat $(BR2_EXTERNAL_NNACCEL_PATH)/../../VERSION)
NNACCEL_SITE = $(BR2_EXTERNAL_NNACCEL_PATH)/../..
NNACCEL_SITE_METHOD = local
NNACCEL_OVERRIDE_SRCDIR_RSYNC_EXCLUSIONS = --exclude=/build*
NNACCEL_LICENSE = Apache-2.0, GPL-2.0 (rules of udev), BSD-3-Clause (functions of Random123)
NNACCEL_LICENSE_FILES = LICENSES/Apache-2.0.txt LICENSES/GPL-2.0-only.txt
NNACCEL_INSTALL_STAGING = YES
NNACCEL_DEPENDENCIES = \
	host-pkgconf \
	cjson \
	jpeg \
	libdrm \
	libiio \
	libpng \
	libseccomp \
	libtracecmd \
	libtraceevent \
	libtracefs \
	nettle \
	random123 \
	udev \
	zlib

NNACCEL_CONF_OPTS = -Dtests=false -Dinstalled_tests=false -Dfuzzers=false

ifeq ($(BR2_PACKAGE_NNACCEL_PYTHON),y)
NNACCEL_DEPENDENCIES += python3
NNACCEL_CONF_OPTS += \
	-Dpython=true \
	-Dpython_dir=/usr/lib/python$(PYTHON3_VERSION_MAJOR)/site-packages
else
NNACCEL_CONF_OPTS += -Dpython=false
endif

ifeq ($(BR2_PACKAGE_NNACCEL_SCALAR),y)
NNACCEL_CONF_OPTS += -Disa=scalar
else
NNACCEL_CONF_OPTS += -Disa=all
endif

define NNACCEL_INSTALL_UDEV
	$(INSTALL) -d $(TARGET_DIR)/usr/lib/udev/rules.d
	$(INSTALL) -m 0644 $(@D)/kernel/udev/*.rules $(TARGET_DIR)/usr/lib/udev/rules.d/
	$(INSTALL) -m 0755 $(@D)/kernel/udev/nnaccel-sensor-access $(TARGET_DIR)/usr/lib/udev/
endef
NNACCEL_POST_INSTALL_TARGET_HOOKS += NNACCEL_INSTALL_UDEV

# Buildroot enables all units that no preset names. The emulated device is started by those who want it.
define NNACCEL_INSTALL_INIT_SYSTEMD
	$(INSTALL) -D -m 0644 $(NNACCEL_PKGDIR)/50-nnaccel.preset \
		$(TARGET_DIR)/usr/lib/systemd/system-preset/50-nnaccel.preset
	$(INSTALL) -D -m 0644 $(@D)/debian/nnaccel-sensord.sysusers \
		$(TARGET_DIR)/usr/lib/sysusers.d/nnaccel-sensord.conf
endef

# Groups: of devices and of the services' sockets, and of the kernel's sensors.
define NNACCEL_USERS
	- - render -1 - - - - NNAPI devices
	- - nnaccel-sensors -1 - - - - sensors of the kernel
endef

$(eval $(meson-package))
