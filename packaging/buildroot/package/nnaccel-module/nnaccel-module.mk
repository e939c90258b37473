################################################################################
#
# nnaccel-module
#
################################################################################

# The sources are the release or the checkout that this folder is in; for others there is NNACCEL_MODULE_OVERRIDE_SRCDIR.
NNACCEL_MODULE_VERSION = $(shell cat $(BR2_EXTERNAL_NNACCEL_PATH)/../../VERSION)
NNACCEL_MODULE_SITE = $(BR2_EXTERNAL_NNACCEL_PATH)/../..
NNACCEL_MODULE_SITE_METHOD = local
NNACCEL_MODULE_OVERRIDE_SRCDIR_RSYNC_EXCLUSIONS = --exclude=/build* --exclude=*.o --exclude=.*.cmd
NNACCEL_MODULE_LICENSE = GPL-2.0
NNACCEL_MODULE_LICENSE_FILES = LICENSES/GPL-2.0-only.txt

# DRM_EXEC, DRM_SCHED and DRM_GEM_SHMEM_HELPER have no question of their own: nouveau selects the first two, vgem the third. A board
# whose configuration has them already, by the driver of its GPU, can leave these modules out of the image.
define NNACCEL_MODULE_LINUX_CONFIG_FIXUPS
	$(call KCONFIG_ENABLE_OPT,CONFIG_PCI)
	$(call KCONFIG_ENABLE_OPT,CONFIG_PCI_MSI)
	$(call KCONFIG_ENABLE_OPT,CONFIG_DRM)
	$(call KCONFIG_ENABLE_OPT,CONFIG_DRM_ACCEL)
	$(call KCONFIG_SET_OPT,CONFIG_DRM_NOUVEAU,m)
	$(call KCONFIG_SET_OPT,CONFIG_DRM_VGEM,m)
	$(call KCONFIG_ENABLE_OPT,CONFIG_SECCOMP)
	$(call KCONFIG_ENABLE_OPT,CONFIG_SECCOMP_FILTER)
	$(call KCONFIG_ENABLE_OPT,CONFIG_SECURITY)
	$(call KCONFIG_ENABLE_OPT,CONFIG_SECURITY_LANDLOCK)
	$(call KCONFIG_ENABLE_OPT,CONFIG_USER_NS)
	$(call KCONFIG_ENABLE_OPT,CONFIG_UDMABUF)
	$(call KCONFIG_SET_OPT,CONFIG_IIO,m)
	$(call KCONFIG_ENABLE_OPT,CONFIG_IIO_BUFFER)
endef

$(eval $(kernel-module))
$(eval $(generic-package))
