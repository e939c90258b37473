################################################################################
#
# random123
#
################################################################################

# The tag v1.14.0
RANDOM123_VERSION = 726a093cd9a73f3ec3c8d7a70ff10ed8efec8d13
RANDOM123_SITE = https://github.com/DEShawResearch/random123.git
RANDOM123_SITE_METHOD = git
RANDOM123_LICENSE = BSD-3-Clause
RANDOM123_LICENSE_FILES = LICENSE
RANDOM123_INSTALL_STAGING = YES
RANDOM123_INSTALL_TARGET = NO

define RANDOM123_INSTALL_STAGING_CMDS
	$(MAKE) -C $(@D) install-include prefix=/usr DESTDIR=$(STAGING_DIR)
endef

$(eval $(generic-package))
