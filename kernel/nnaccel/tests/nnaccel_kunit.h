/* SPDX-License-Identifier: GPL-2.0-only */
/* A client of a mock device: files and ioctls, as user space has them. */
#ifndef _NNACCEL_KUNIT_H_
#define _NNACCEL_KUNIT_H_

#include <kunit/test.h>

#include <drm/nnaccel_accel.h>

#include "nnaccel_mock.h"

/* Arguments or BOs of a job, and mappings of a client, that a test has at most. */
#define NNACCEL_KUNIT_ARGS	2
#define NNACCEL_KUNIT_MAPS	32

/**
 * struct nnaccel_kunit_client - an open file
 */
struct nnaccel_kunit_client {
	/** @test: the test */
	struct kunit *test;
	/** @mock: the device */
	struct nnaccel_mock *mock;
	/** @file: the file; NULL: closed */
	struct file *file;
	/** @user: memory of the test's address space, for arguments of ioctls */
	unsigned long user;
	/** @maps: mappings of the file, which hold it open */
	struct {
		unsigned long addr, size;
	} maps[NNACCEL_KUNIT_MAPS];
	/** @num_maps: entries of @maps */
	u32 num_maps;
};

/**
 * struct nnaccel_kunit_bo - a buffer of a client
 */
struct nnaccel_kunit_bo {
	/** @handle: GEM handle */
	u32 handle;
	/** @addr: device address */
	u64 addr;
	/** @map: address in the test's address space */
	unsigned long map;
};

/**
 * struct nnaccel_kunit_queue - a queue of a client
 */
struct nnaccel_kunit_queue {
	/** @id: id in the file */
	u32 id;
	/** @status: address of its status page in the test's address space */
	unsigned long status;
};

/**
 * struct nnaccel_kunit_job - what a test submits
 */
struct nnaccel_kunit_job {
	/** @null: a job without program */
	bool null;
	/** @deadline_ns: as in struct drm_nnaccel_job */
	u64 deadline_ns;
	/** @max_ns: as in struct drm_nnaccel_job */
	u64 max_ns;
	/** @from: BO to copy from; NULL: no arguments */
	const struct nnaccel_kunit_bo *from;
	/** @to: BO to copy to */
	const struct nnaccel_kunit_bo *to;
	/** @size: bytes to copy */
	u64 size;
	/** @in: syncobj to wait for; 0: none */
	u32 in;
	/** @out: syncobj to signal; 0: none */
	u32 out;
};

struct nnaccel_kunit_client *nnaccel_kunit_open(struct kunit *test, struct nnaccel_mock *mock);
void nnaccel_kunit_close(struct nnaccel_kunit_client *client);
int nnaccel_kunit_ioctl(struct nnaccel_kunit_client *client, unsigned int cmd, void *arg);
int nnaccel_kunit_bo(struct nnaccel_kunit_client *client, u64 size, struct nnaccel_kunit_bo *bo);
int nnaccel_kunit_bo_close(struct nnaccel_kunit_client *client, struct nnaccel_kunit_bo *bo);
int nnaccel_kunit_queue(struct nnaccel_kunit_client *client, struct nnaccel_kunit_queue *queue);
int nnaccel_kunit_submit(struct nnaccel_kunit_client *client,
			 const struct nnaccel_kunit_queue *queue,
			 const struct nnaccel_kunit_job *job, u64 *seqno);
u32 nnaccel_kunit_wait(struct nnaccel_kunit_client *client,
		       const struct nnaccel_kunit_queue *queue, u64 seqno);
u32 nnaccel_kunit_run(struct nnaccel_kunit_client *client,
		      const struct nnaccel_kunit_queue *queue, const struct nnaccel_kunit_job *job);
u32 nnaccel_kunit_health(struct nnaccel_kunit_client *client,
			 const struct nnaccel_kunit_queue *queue);
void nnaccel_kunit_begun(struct nnaccel_kunit_client *client,
			 const struct nnaccel_kunit_queue *queue, u64 seqno);
u32 nnaccel_kunit_syncobj(struct nnaccel_kunit_client *client);
void nnaccel_kunit_state(struct nnaccel_kunit_client *client, u32 state);

#endif
