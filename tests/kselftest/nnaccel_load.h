/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers for tests of the driver's policy (Documentation/failure-and-recovery.rst): operations and loops of
 * a known length, other users, limits and usage, unbind and rebind. As in nnaccel_util.h, functions return 0
 * or a negative errno.
 */
#ifndef NNACCEL_LOAD_H
#define NNACCEL_LOAD_H

#include <sys/types.h>

#include "nnaccel_util.h"

/** The uid of the user "nobody". */
#define NN_NOBODY	65534u

/* ---- the driver's limits ------------------------------------------------------------------- */

int nn_param_get(const char *name, unsigned int *value);
/** Change a module parameter. nn_card_heal() restores what any test has changed, also one that died. */
int nn_param_set(const char *name, unsigned int value);
/** Restore them. Like the other functions, any number of processes may call it at a time. */
void nn_params_restore(void);
/**
 * Restore them, and multiply every watchdog limit by nn_slow(): on a slow machine the card answers late too.
 */
void nn_params_heal(void);

/** Current usage of the limits of @fd. */
int nn_usage(int fd, struct drm_nnaccel_usage *usage);
/** Wait until only page tables are charged to @fd: unused objects are freed in the background. */
int nn_usage_empty(int fd);
/** Time on the engine of the file, from its fdinfo, ns. */
int nn_engine_ns(int fd, int64_t *ns);
/** Health of the queue, or a negative errno. */
int nn_health(const struct nn_queue *queue);
/** Status of job @seqno (enum nnaccel_status), UINT32_MAX if there is none. */
uint32_t nn_status(const struct nn_queue *queue, uint64_t seqno);
/** Wait until a job was given to the card: until there are more doorbells than in @before. */
int nn_wait_begun(const struct nn_queue *queue, const struct drm_nnaccel_counters *before);

/* ---- other users --------------------------------------------------------------------------- */

/** Open the node as another user, who is charged for the file; the caller's ids do not change. */
int nn_open_as(uint32_t uid);
/** nn_rig_open() on such a file. */
int nn_rig_open_as(struct nn_rig *rig, uint32_t uid);
/** Run @run in a child process; its result (0..99) is the exit code. */
pid_t nn_child(int (*run)(void *arg), void *arg);
/** Wait for the child: its result, or the negative number of the signal that killed it. */
int nn_child_end(pid_t pid);
/** Pass a descriptor through a pair of sockets; nn_recv_fd() waits for it and returns it or -errno. */
int nn_socketpair(int sockets[2]);
int nn_send_fd(int socket, int fd);
int nn_recv_fd(int socket);

/* ---- work of a known length ---------------------------------------------------------------- */

/** Measure the products per second of an INT32 BATCH_MATMUL on this card. */
int nn_speed(int fd, double *speed);

/** Long operations: out = in * in, INT32 [n][n], @ops times in a row. */
struct nn_long {
	struct nn_program program;
	struct nn_bo in, out;
	uint32_t n, ops;
};

/** Operations of @ms each at the speed that nn_speed() measured; @speed 0: measure it now. */
int nn_long_open(int fd, unsigned int ms, unsigned int ops, double speed, struct nn_long *work);
/** The same with the size of the matrices. */
int nn_long_open_size(int fd, uint32_t n, unsigned int ops, struct nn_long *work);
void nn_long_close(struct nn_long *work);
void nn_long_job(const struct nn_long *work, struct nn_job *job);
/** Without BO references: the memory is mapped as long as its handles are open. */
void nn_long_job_bare(const struct nn_long *work, struct nn_job *job);

/** A WHILE that ends by its loop limit only. Arguments: INT32 [1] in, INT32 [1] out. */
int nn_program_loop(int fd, struct nn_program *program);
void nn_loop_job(const struct nn_program *program, const struct nn_bo *in, const struct nn_bo *out, uint64_t loop_ns,
		 struct nn_job *job);
/** A valid program with about @bytes of constants, which takes long to verify. In: INT32 [1], out: a page. */
int nn_program_big(int fd, uint64_t bytes, struct nn_program *program);

/* ---- files --------------------------------------------------------------------------------- */

int nn_write_file(const char *path, const char *text);
/** Read all of a file and terminate it. Length, or a negative errno; -EFBIG: @size is too small. */
int nn_read_file(const char *path, char *text, size_t size);
/** The same of the file @file in debugfs of the device behind @fd. */
int nn_debugfs_read(int fd, const char *file, char *text, size_t size);

/* ---- unbind and rebind --------------------------------------------------------------------- */

/** For tests of what PCI alone has, or of the module of a card. */
#define NEED_PCI(address) do { \
		if (!nn_is_pci(address)) \
			SKIP(return, "not on this device: it is not on PCI"); \
	} while (0)
/** Folder of the device in sysfs, and the @file in it. */
int nn_dev_path(const char *address, const char *file, char *path, size_t size);
int nn_unbind(const char *address);
int nn_bind(const char *address);
int nn_pci_remove(const char *address);
int nn_rescan(void);
int nn_modprobe(const char *options);
/** modprobe -r, repeated until what the last client left is freed. */
int nn_module_unload(void);
/** Wait for a node, then run a job on it. */
int nn_works_again(void);

#endif
