// SPDX-License-Identifier: Apache-2.0
/* Buffers of one device that another device imports; needs two cards. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <xf86drm.h>

#include <kselftest_harness.h>

#include "nnaccel_load.h"

/* Of the kernel: all dma-bufs, and the devices that are attached to each. */
#define BUFINFO	"/sys/kernel/debug/dma_buf/bufinfo"

FIXTURE(two_cards) {
	int exporter;
	struct nn_rig rig;	/* of the importer */
	char address[64];	/* of the importer */
	struct nn_bo bo, import;
	int dmabuf;
};

FIXTURE_SETUP(two_cards)
{
	char first[64];
	int fd;

	self->dmabuf = -1;
	self->exporter = nn_open();
	ASSERT_LE(0, self->exporter);
	ASSERT_EQ(0, nn_pci_address(self->exporter, first, sizeof(first)));
	fd = nn_open_next(first);
	if (fd == -ENODEV)
		SKIP(return, "one card only");
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, nn_rig_setup(&self->rig, fd));
	ASSERT_EQ(0, nn_pci_address(self->rig.fd, self->address, sizeof(self->address)));
	ASSERT_EQ(0, nn_bo_new(self->exporter, NN_BYTES, 0, &self->bo));
	ASSERT_EQ(0, drmPrimeHandleToFD(self->exporter, self->bo.handle, DRM_CLOEXEC | DRM_RDWR, &self->dmabuf));
	ASSERT_EQ(0, nn_bo_import(self->rig.fd, self->dmabuf, &self->import));
}

FIXTURE_TEARDOWN(two_cards)
{
	nn_bo_free(&self->import);
	nn_bo_free(&self->bo);
	if (self->dmabuf >= 0)
		close(self->dmabuf);
	nn_rig_close(&self->rig);
	close(self->exporter);
	if (self->address[0])
		nn_bind(self->address);
	nn_works_again();
}

/* Dma-bufs that the device at @address is attached to, or -errno. */
static int num_attached(const char *address)
{
	char line[256];
	FILE *file = fopen(BUFINFO, "re");
	int num = 0;

	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		num += line[0] == '\t' && strcmp(line + 1, address) == 0;
	}
	fclose(file);
	return num;
}

TEST_F(two_cards, job_reads_memory_of_the_other)
{
	struct nn_bo own = self->rig.a;

	for (uint32_t i = 0; i < NN_VECTOR; i++)
		((float *)self->bo.map)[i] = (float)(3 * i);
	EXPECT_EQ(0, memcmp(self->bo.map, self->import.map, NN_BYTES));
	self->rig.a = self->import;
	EXPECT_EQ(0, nn_rig_run(&self->rig));
	EXPECT_TRUE(nn_rig_right(&self->rig));
	self->rig.a = own;
}

/* A device that is unbound leaves the memory of others, though clients keep their files open. */
TEST_F_TIMEOUT(two_cards, unbind_detaches_imports, NN_LONG_TEST_S)
{
	int num = num_attached(self->address);

	if (num == -ENOENT)
		SKIP(return, "no " BUFINFO);
	ASSERT_EQ(1, num);
	strcpy(self->bo.map, "of the first device");
	ASSERT_EQ(0, nn_unbind(self->address));
	EXPECT_EQ(0, num_attached(self->address));
	/* Both mappings are of the exporter's pages, which stay. */
	EXPECT_STREQ("of the first device", (char *)self->import.map);
	strcpy(self->import.map, "after the second has left");
	EXPECT_STREQ("after the second has left", (char *)self->bo.map);
	EXPECT_EQ(-ENODEV, nn_bo_wait(&self->import, 0, 0));
}

/* The exporter goes first: what the importer has mapped stays valid, and its jobs run on. */
TEST_F_TIMEOUT(two_cards, exporter_is_unbound, NN_LONG_TEST_S)
{
	struct nn_bo own = self->rig.a;
	char address[64];

	ASSERT_EQ(0, nn_pci_address(self->exporter, address, sizeof(address)));
	for (uint32_t i = 0; i < NN_VECTOR; i++)
		((float *)self->bo.map)[i] = (float)i;
	ASSERT_EQ(0, nn_unbind(address));
	self->rig.a = self->import;
	EXPECT_EQ(0, nn_rig_run(&self->rig));
	EXPECT_TRUE(nn_rig_right(&self->rig));
	self->rig.a = own;
	EXPECT_EQ(0, nn_bind(address));
}

TEST_HARNESS_MAIN
