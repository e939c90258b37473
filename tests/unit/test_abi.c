/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes and offsets of the ioctl contract: a change here is a change for every client. */

#include <drm/nnaccel_accel.h>
#include <nnaccel/nnaccel_opset.h>
#include <nnaccel/nnaccel_result.h>
#include <nnaccel/nnaccel_status.h>

#include "test_case.h"

static const struct {
	const char *name;
	size_t size, expected;
} sizes[] = {
#define SIZE(type, n)                         \
	{                                     \
#type, sizeof(struct type), n \
	}
	SIZE(drm_nnaccel_array, 16),	      SIZE(drm_nnaccel_dev_query, 16),
	SIZE(drm_nnaccel_device_info, 112),   SIZE(drm_nnaccel_limits, 144),
	SIZE(drm_nnaccel_priorities, 8),      SIZE(drm_nnaccel_counters, 96),
	SIZE(drm_nnaccel_clock, 32),	      SIZE(drm_nnaccel_bo_create, 32),
	SIZE(drm_nnaccel_bo_mmap_offset, 16), SIZE(drm_nnaccel_bo_info, 32),
	SIZE(drm_nnaccel_bo_wait, 16),	      SIZE(drm_nnaccel_queue_create, 32),
	SIZE(drm_nnaccel_queue_destroy, 8),   SIZE(drm_nnaccel_queue_state, 88),
	SIZE(drm_nnaccel_usage, 56),	      SIZE(drm_nnaccel_bo_userptr, 40),
	SIZE(drm_nnaccel_bo_madvise, 16),     SIZE(drm_nnaccel_bo_label, 24),
	SIZE(drm_nnaccel_status_entry, 64),   SIZE(drm_nnaccel_sync, 16),
	SIZE(drm_nnaccel_bo_ref, 8),	      SIZE(nnaccel_arg, 64),
	SIZE(drm_nnaccel_job, 128),	      SIZE(drm_nnaccel_submit, 24),
	SIZE(drm_nnaccel_program_hint, 32),
};

TEST(test_sizes)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i].size != sizes[i].expected)
			fail_msg("%s has %zu bytes, not %zu", sizes[i].name, sizes[i].size,
				 sizes[i].expected);
}

/* Clients of before 1.3 have a struct that ends there. */
TEST(test_queue_state_grew)
{
	assert_int_equal(offsetof(struct drm_nnaccel_queue_state, flags), 32);
}

TEST(test_register_offsets)
{
	assert_int_equal(offsetof(struct nnaccel_regs, host_version), 0x40);
	assert_int_equal(offsetof(struct nnaccel_regs, generation), 0x80);
	assert_int_equal(offsetof(struct nnaccel_regs, heartbeat), 0xc0);
	assert_int_equal(offsetof(struct nnaccel_regs, name), 0x100);
	assert_int_equal(offsetof(struct nnaccel_regs, ctx), 0x1000);
	assert_int_equal(offsetof(struct nnaccel_regs, queue), 0x2000);
	assert_int_equal(offsetof(struct nnaccel_regs, queue_time), 0x3000);
	assert_int_equal(offsetof(struct nnaccel_ring_ctl, head), 64);
}

/* Documentation/status-codes.rst has the same table. */
TEST(test_status_errno)
{
	assert_int_equal(nnaccel_status_errno(NNACCEL_STATUS_OK), 0);
	assert_int_equal(nnaccel_status_errno(NNACCEL_STATUS_LOOP_TIMEOUT), -ETIME);
	assert_int_equal(nnaccel_status_errno(NNACCEL_STATUS_DEADLINE), -ETIME);
	assert_int_equal(nnaccel_status_errno(NNACCEL_STATUS_NO_PROGRESS), -ETIME);
	assert_int_equal(nnaccel_status_errno(NNACCEL_STATUS_BAD_PROGRAM), -EINVAL);
	assert_int_equal(nnaccel_status_errno(NNACCEL_STATUS_OUTPUT_INSUFFICIENT), -ENOBUFS);
	assert_int_equal(nnaccel_status_errno(NNACCEL_STATUS_NO_MEMORY), -ENOMEM);
	assert_int_equal(nnaccel_status_errno(NNACCEL_STATUS_FAULT), -EFAULT);
	assert_int_equal(nnaccel_status_errno(NNACCEL_STATUS_LINK_LOST), -EIO);
	assert_int_equal(nnaccel_status_errno(NNACCEL_STATUS_INNOCENT), -ECANCELED);
	assert_int_equal(nnaccel_status_errno(NNACCEL_STATUS_UNPLUGGED), -ENODEV);
	assert_int_equal(nnaccel_status_errno(NNACCEL_STATUS_MAX_TIME), -ETIME);
	assert_int_equal(nnaccel_status_errno(NNACCEL_STATUS_EXPIRED), -ETIME);
	assert_int_equal(nnaccel_status_errno(0xffffffff), -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_queue_state_grew),
		cmocka_unit_test(test_register_offsets),
		cmocka_unit_test(test_status_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
