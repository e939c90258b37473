// SPDX-License-Identifier: Apache-2.0
/* The device is removed while clients use it: sysfs unbind and remove, module unload; then it comes back. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include "nnaccel_load.h"

FIXTURE(unplug) {
	struct nn_rig rig;
	char address[64];
};

FIXTURE_SETUP(unplug)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	ASSERT_EQ(0, nn_dev_address(self->rig.fd, self->address, sizeof(self->address)));
}

FIXTURE_TEARDOWN(unplug)
{
	nn_rig_close(&self->rig);
	/* Bind the device again for the next test. */
	if (access("/sys/module/nnaccel", F_OK))
		nn_modprobe("");
	nn_rescan();
	nn_bind(self->address);
	nn_works_again();
}

/* The state of a client whose device is gone. */
static void check_gone(struct __test_metadata *_metadata, struct nn_rig *rig)
{
	struct drm_nnaccel_device_info info;
	struct drm_nnaccel_queue_create queue = { .priority = DRM_NNACCEL_PRIORITY_MEDIUM };
	struct drm_nnaccel_bo_create bo = { .size = NN_PAGE };
	struct drm_nnaccel_queue_state state;
	struct drm_nnaccel_status_entry e;
	struct nn_job job;

	nn_job_null(&job);
	EXPECT_EQ(-ENODEV, nn_submit(&rig->queue, &job));
	EXPECT_EQ(-ENODEV, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_QUEUE_CREATE, &queue));
	EXPECT_EQ(-ENODEV, nn_ioctl(rig->fd, DRM_IOCTL_NNACCEL_BO_CREATE, &bo));
	EXPECT_EQ(-ENODEV, nn_device_info(rig->fd, &info));
	EXPECT_EQ(-ENODEV, nn_queue_state(&rig->queue, &state));
	/* Its memory and the last status entries stay readable. */
	for (uint32_t i = 0; i < NN_VECTOR; i++)
		ASSERT_EQ(i, ((float *)rig->a.map)[i]);
	((float *)rig->a.map)[0] = 7;
	EXPECT_EQ(7, ((float *)rig->a.map)[0]);
	EXPECT_EQ(0, nn_queue_status(&rig->queue, 1, &e));
}

/* Fill the card: one slow job, others on the card and waiting. @fences: syncobjs of their fences. */
static int load(struct nn_rig *rig, uint32_t *fences, int n)
{
	struct nn_job job;
	int ret;

	for (int i = 0; i < n; i++) {
		fences[i] = nn_syncobj(rig->fd);
		nn_rig_job(rig, &job);
		nn_job_signal(&job, fences[i], 0);
		if (i && i >= n / 2)
			nn_job_wait_for(&job, fences[0], 0);
		ret = nn_submit(&rig->queue, &job);
		if (ret)
			return ret;
	}
	return 0;
}

#define LOAD	10

static void check_unplug(struct __test_metadata *_metadata, struct nn_rig *rig, const char *address,
			 int (*away)(const char *address))
{
	struct drm_nnaccel_counters counters;
	uint32_t fences[LOAD];
	int files[LOAD];

	/* Without a control port the jobs may end before the device is removed. */
	if (nn_has_control())
		ASSERT_EQ(0, nn_card_fault(rig->fd, "slow-job=1,60000"));
	ASSERT_EQ(0, nn_counters(rig->fd, &counters));
	ASSERT_EQ(0, load(rig, fences, LOAD));
	ASSERT_EQ(0, nn_wait_begun(&rig->queue, &counters));
	for (int i = 0; i < LOAD; i++)
		ASSERT_EQ(0, nn_export_sync_file(rig->fd, fences[i], &files[i]));
	ASSERT_EQ(0, away(address));
	for (int i = 0; i < LOAD; i++) {
		int status = nn_sync_file_end(files[i]);

		EXPECT_TRUE(status == -ENODEV || (status == 0 && !nn_has_control())) {
			TH_LOG("job %d: %d", i, status);
		}
		close(files[i]);
	}
	check_gone(_metadata, rig);
	nn_rig_close(rig);
}

TEST_F_TIMEOUT(unplug, unbind_under_load, NN_LONG_TEST_S)
{
	check_unplug(_metadata, &self->rig, self->address, nn_unbind);
	EXPECT_EQ(0, nn_bind(self->address));
	EXPECT_EQ(0, nn_works_again());
}

TEST_F_TIMEOUT(unplug, pci_remove_under_load, NN_LONG_TEST_S)
{
	NEED_PCI(self->address);
	check_unplug(_metadata, &self->rig, self->address, nn_pci_remove);
	EXPECT_EQ(0, nn_rescan());
	EXPECT_EQ(0, nn_works_again());
}

/* The old file is open while the new device is in use, and is closed later. */
TEST_F_TIMEOUT(unplug, old_file_beside_new_device, NN_LONG_TEST_S)
{
	ASSERT_EQ(0, nn_rig_run(&self->rig));
	ASSERT_EQ(0, nn_unbind(self->address));
	ASSERT_EQ(0, nn_bind(self->address));
	EXPECT_EQ(0, nn_works_again());
	check_gone(_metadata, &self->rig);
	EXPECT_EQ(0, nn_works_again());
	nn_rig_close(&self->rig);
	EXPECT_EQ(0, nn_works_again());
}

/* The driver can be unbound and bound while the card is away. */
TEST_F_TIMEOUT(unplug, without_a_card, NN_LONG_TEST_S)
{
	char answer[256];
	uint32_t fence;
	int file;

	NEED_CONTROL();
	ASSERT_EQ(0, nn_card_hold(self->rig.fd));
	ASSERT_EQ(0, load(&self->rig, &fence, 1));
	ASSERT_EQ(0, nn_export_sync_file(self->rig.fd, fence, &file));
	ASSERT_EQ(0, nn_unbind(self->address));
	EXPECT_EQ(-ENODEV, nn_sync_file_end(file));
	close(file);
	nn_rig_close(&self->rig);
	ASSERT_EQ(0, nn_bind(self->address));
	ASSERT_EQ(0, nn_control(answer, sizeof(answer), "start"));
	EXPECT_EQ(0, nn_works_again());
}

TEST_F_TIMEOUT(unplug, again_and_again, NN_LONG_TEST_S)
{
	nn_rig_close(&self->rig);
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(0, nn_unbind(self->address));
		ASSERT_EQ(0, nn_bind(self->address));
		ASSERT_EQ(0, nn_works_again()) {
			TH_LOG("bind %d", i);
		}
		if (!nn_is_pci(self->address))
			continue;
		ASSERT_EQ(0, nn_pci_remove(self->address));
		ASSERT_EQ(0, nn_rescan());
		ASSERT_EQ(0, nn_works_again()) {
			TH_LOG("rescan %d", i);
		}
	}
}

TEST_F_TIMEOUT(unplug, module_cycles, NN_LONG_TEST_S)
{
	if (nn_is_emulated(self->address))
		SKIP(return, "not on this device: its process holds the module");
	/* The module is in use and cannot be unloaded. */
	EXPECT_NE(0, nn_modprobe("-q -r"));
	EXPECT_EQ(0, nn_rig_run(&self->rig));
	nn_rig_close(&self->rig);
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(0, nn_module_unload()) {
			TH_LOG("unload %d", i);
		}
		ASSERT_NE(0, access("/sys/module/nnaccel", F_OK));
		ASSERT_EQ(0, nn_modprobe(""));
		ASSERT_EQ(0, nn_works_again()) {
			TH_LOG("load %d", i);
		}
	}
}

TEST_HARNESS_MAIN
