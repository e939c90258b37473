// SPDX-License-Identifier: Apache-2.0
/*
 * Ioctls of DRM's core that make no sense on an accel node. Some of them assume a master, which such a file
 * never has: each must fail or succeed, by the native and by the 32-bit entry.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kselftest_harness.h>
#include <drm.h>

#include "nnaccel_load.h"

/* Nothing is mapped there. */
#define LOW	0x10000000ul

FIXTURE(core) {
	struct nn_rig rig;
	int unprivileged;	/* a file of an unprivileged user */
	void *low;	/* a zeroed page with a 32-bit address */
};

FIXTURE_SETUP(core)
{
	ASSERT_EQ(0, nn_rig_open(&self->rig));
	self->unprivileged = nn_open_as(NN_NOBODY);
	ASSERT_LT(0, self->unprivileged);
	self->low = mmap((void *)LOW, NN_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	ASSERT_EQ((void *)LOW, self->low);
}

FIXTURE_TEARDOWN(core)
{
	munmap(self->low, NN_PAGE);
	close(self->unprivileged);
	nn_rig_close(&self->rig);
}

TEST_F(core, get_unique_and_get_magic_are_refused)
{
	const int files[] = { self->rig.fd, self->unprivileged };

	for (size_t i = 0; i < NN_COUNT(files); i++) {
		char name[64];
		struct drm_unique unique = { .unique_len = sizeof(name), .unique = name };
		struct drm_auth auth = { 0 };

		EXPECT_GT(0, nn_ioctl(files[i], DRM_IOCTL_GET_UNIQUE, &unique));
		EXPECT_GT(0, nn_ioctl(files[i], DRM_IOCTL_GET_MAGIC, &auth));
	}
	EXPECT_EQ(0, nn_rig_run(&self->rig));
}

/* The core looks ioctls up by number, so try several sizes. */
TEST_F(core, every_size_is_refused)
{
	for (uint32_t nr = 1; nr <= 2; nr++) {
		for (uint32_t size = 0; size <= 64; size += 4) {
			memset(self->low, 0, NN_PAGE);
			EXPECT_GT(0, nn_ioctl(self->unprivileged, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, nr, size),
					      self->low));
		}
	}
	EXPECT_EQ(0, nn_rig_run(&self->rig));
}

#ifdef __x86_64__
static long ioctl32(int fd, uint32_t request, void *arg)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret)
			 : "a"(54), "b"(fd), "c"(request), "d"((uint32_t)(uintptr_t)arg)
			 : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

static int try_32bit(void *arg)
{
	signal(SIGSEGV, SIG_DFL);
	ioctl32(-1, 0, arg);
	return 0;
}

/* Without 32-bit entry the int instruction raises a signal; such a kernel does not have this file. */
static bool have_32bit(void *arg)
{
	return access("/proc/sys/abi/vsyscall32", F_OK) == 0 && nn_child_end(nn_child(try_32bit, arg)) == 0;
}

struct drm_unique32 {
	uint32_t unique_len, unique;
};

struct drm_client32 {
	int32_t idx, auth;
	uint32_t pid, uid, magic, iocs;
};

TEST_F(core, refused_by_32_bit_entry)
{
	const int files[] = { self->rig.fd, self->unprivileged };

	if (!have_32bit(self->low)) {
		TH_LOG("no 32-bit system calls on this kernel");
		return;
	}
	for (size_t i = 0; i < NN_COUNT(files); i++) {
		struct drm_unique32 *unique = self->low;

		memset(self->low, 0, NN_PAGE);
		unique->unique_len = 64;
		unique->unique = (uint32_t)(uintptr_t)self->low + 256;
		EXPECT_GT(0, ioctl32(files[i], _IOWR(DRM_IOCTL_BASE, 0x01, struct drm_unique32), self->low));
		memset(self->low, 0, NN_PAGE);
		EXPECT_GT(0, ioctl32(files[i], _IOR(DRM_IOCTL_BASE, 0x02, struct drm_auth), self->low));
		for (uint32_t nr = 0; nr < 0x40; nr++) {
			memset(self->low, 0, NN_PAGE);
			ioctl32(files[i], _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, nr, 8), self->low);
			ioctl32(files[i], _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, nr, 40), self->low);
		}
	}
	EXPECT_EQ(0, nn_rig_run(&self->rig));
}
#endif

/* All other ioctls with zeroed arguments, by every user: none may oops. */
TEST_F(core, every_number_is_answered)
{
	static const uint32_t sizes[] = { 0, 4, 8, 16, 24, 32, 40, 64, 104 };
	const int files[] = { self->rig.fd, self->unprivileged };

	for (size_t i = 0; i < NN_COUNT(files); i++) {
		for (uint32_t nr = 0; nr < 0x100; nr++) {
			/* Skip the driver's ioctls. */
			if (nr >= DRM_COMMAND_BASE && nr < DRM_COMMAND_BASE + 16)
				continue;
			for (size_t s = 0; s < NN_COUNT(sizes); s++) {
				memset(self->low, 0, NN_PAGE);
				/* Do not restart: a wait for nothing returns EINTR. */
				syscall(SYS_ioctl, files[i],
					_IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, nr, sizes[s]), self->low);
			}
		}
	}
	EXPECT_EQ(0, nn_rig_run(&self->rig));
	EXPECT_TRUE(nn_rig_right(&self->rig));
}

TEST_HARNESS_MAIN
