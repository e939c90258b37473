# SPDX-License-Identifier: Apache-2.0
#
# What tests/kselftest/Makefile needs of the kernel's tools/testing/selftests/lib.mk, under the same names. This file is ours; see
# README.rst.
selfdir := $(realpath $(dir $(lastword $(MAKEFILE_LIST))))
OUTPUT ?= $(CURDIR)
ifeq ($(origin CC),default)
CC := $(CROSS_COMPILE)gcc
endif

ifeq ($(V),1)
Q :=
msg :=
else
Q := @
msg = @printf '  %-8s%s\n' "$(1)" "$(notdir $(3))";
MAKEFLAGS += --no-print-directory
endif

TEST_GEN_PROGS := $(addprefix $(OUTPUT)/,$(TEST_GEN_PROGS))
TEST_GEN_FILES := $(addprefix $(OUTPUT)/,$(TEST_GEN_FILES))
CFLAGS += -D_GNU_SOURCE= $(USERCFLAGS)
LDFLAGS += $(USERLDFLAGS)

all: $(TEST_GEN_PROGS) $(TEST_GEN_FILES)

clean:
	$(RM) -r $(TEST_GEN_PROGS) $(TEST_GEN_FILES) $(EXTRA_CLEAN)

.PHONY: all clean
