// SPDX-License-Identifier: Apache-2.0
/* Buffers that are copied to where the device reaches them. Only for boots with swiotlb=force. */
#include <stdio.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include "nnaccel_load.h"

FIXTURE(bounce) {
	struct nn_rig rig;
	char address[64];
};

FIXTURE_SETUP(bounce)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	ASSERT_EQ(0, nn_dev_address(self->rig.fd, self->address, sizeof(self->address)));
}

FIXTURE_TEARDOWN(bounce)
{
	nn_rig_close(&self->rig);
	nn_bind(self->address);
	nn_works_again();
}

#define COPIERS		8
#define COPIES		8
#define COPY_SIZE	(16u << 20)

/* Buffers of COPY_SIZE that fill half of the memory that the device reaches, where that is a part only. */
static size_t num_copied(void)
{
	FILE *f = fopen("/sys/kernel/debug/swiotlb/io_tlb_nslabs", "r");
	unsigned long slabs = 0;
	size_t n;

	if (f && fscanf(f, "%lu", &slabs) != 1)
		slabs = 0;
	if (f)
		fclose(f);
	n = slabs * 2048 / 2 / COPY_SIZE;
	return n < 1 ? 1 : n > NN_JOB_BOS ? NN_JOB_BOS : n;
}

/*
 * Jobs whose buffers are copied to where the device reaches them, by a worker for each queue, while the device goes. If the
 * driver unmaps them meanwhile, the log has it with KASAN, and perhaps without.
 */
TEST_F_TIMEOUT(bounce, unbind_while_buffers_are_copied, NN_LONG_TEST_S)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	struct drm_nnaccel_counters before, after;
	struct nn_queue queue[COPIERS];
	uint32_t done[COPIERS];
	int files[COPIERS];
	size_t num = num_copied();
	struct nn_bo bo[NN_JOB_BOS];
	struct nn_job job;

	ASSERT_EQ(0, nn_rig_run(&self->rig));
	ASSERT_EQ(0, nn_counters(self->rig.fd, &before));
	ASSERT_LT(0, before.bytes_synced) {
		TH_LOG("the device reaches all memory: this is for swiotlb=force");
	}
	for (size_t i = 0; i < num; i++)
		ASSERT_EQ(0, nn_bo_new(self->rig.fd, COPY_SIZE, 0, &bo[i]));
	for (int i = 0; i < COPIERS; i++) {
		ASSERT_EQ(0, nn_queue_new(self->rig.fd, DRM_NNACCEL_PRIORITY_MEDIUM, &queue[i]));
		done[i] = nn_syncobj(self->rig.fd);
		for (int k = 0; k < COPIES; k++) {
			nn_job_null(&job);
			for (size_t b = 0; b < num; b++)
				nn_job_bo(&job, &bo[b], DRM_NNACCEL_BO_REF_READ);
			nn_job_signal(&job, done[i], 0);
			ASSERT_EQ(0, nn_submit(&queue[i], &job));
		}
		ASSERT_EQ(0, nn_export_sync_file(self->rig.fd, done[i], &files[i]));
	}
	do {
		ASSERT_EQ(0, nn_counters(self->rig.fd, &after));
	} while (after.bytes_synced < before.bytes_synced + COPY_SIZE && nn_now() < end);
	EXPECT_LT(before.bytes_synced, after.bytes_synced);
	TH_LOG("%zu buffers of %u MiB; %llu MiB were copied when the device went", num, COPY_SIZE >> 20,
	       (unsigned long long)(after.bytes_synced - before.bytes_synced) >> 20);
	ASSERT_EQ(0, nn_unbind(self->address));
	for (int i = 0; i < COPIERS; i++) {
		int status = nn_sync_file_end(files[i]);

		EXPECT_TRUE(status == -ENODEV || status == 0) {
			TH_LOG("queue %d: %d", i, status);
		}
		close(files[i]);
		nn_queue_free(&queue[i]);
	}
	for (size_t i = 0; i < num; i++)
		nn_bo_free(&bo[i]);
	EXPECT_EQ(0, nn_bind(self->address));
	EXPECT_EQ(0, nn_works_again());
}

TEST_HARNESS_MAIN
