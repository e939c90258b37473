// SPDX-License-Identifier: Apache-2.0
/*
 * Memory that the driver keeps for good, because a card that cannot be reached may write it. Not for kernels with
 * CONFIG_DMA_API_DEBUG, which reports that as a fault each time that the driver is unbound.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include "nnaccel_load.h"
#include "nnaccel_power.h"

FIXTURE(kept) {
	char address[64];
};

FIXTURE_SETUP(kept)
{
	int fd = nn_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, nn_card_heal(fd));
	ASSERT_EQ(0, nn_dev_address(fd, self->address, sizeof(self->address)));
	close(fd);
	NEED_PCI(self->address);
}

FIXTURE_TEARDOWN(kept)
{
	nn_pci_decode(self->address, true);
	nn_bind(self->address);
	nn_works_again();
}

/* Whether a line of the kernel's log since @log was opened contains @text. */
static bool log_has(int log, const char *text)
{
	char line[1024];
	ssize_t n;

	while ((n = read(log, line, sizeof(line) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		if (n < 0)
			continue;
		line[n] = '\0';
		if (strstr(line, text))
			return true;
	}
	return false;
}

static int log_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	return fd >= 0 && lseek(fd, 0, SEEK_END) >= 0 ? fd : -errno;
}

/* Unbind while the card cannot be reached: memory that it may write is kept. */
TEST_F_TIMEOUT(kept, unbind_unreachable, NN_LONG_TEST_S)
{
	int fd = nn_open(), log;

	/* Without a context, which would keep the node's name, or a job, which would keep the module as well. */
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, nn_pci_decode(self->address, false));
	EXPECT_EQ(0, nn_wait_state(fd, DRM_NNACCEL_DEVICE_LINK_LOST, 0));
	close(fd);
	log = log_open();
	ASSERT_LE(0, log);
	ASSERT_EQ(0, nn_unbind(self->address));
	EXPECT_TRUE(log_has(log, "memory that the card may write is kept"));
	close(log);
	ASSERT_EQ(0, nn_pci_decode(self->address, true));
	ASSERT_EQ(0, nn_bind(self->address));
	EXPECT_EQ(0, nn_works_again());
}

TEST_HARNESS_MAIN
