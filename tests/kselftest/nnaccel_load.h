/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of the driver's policy share: operations and loops of a known length, other users, the driver's
 * limits, what counts against them, and the device's comings and goings. As in nnaccel_util.h, functions
 * return 0 or a negative errno.
 */
#ifndef NNACCEL_LOAD_H
#define NNACCEL_LOAD_H

#include <sys/types.h>

#include "nnaccel_util.h"

/** A user that is nobody. */
#define NN_NOBODY	65534u

/* ---- the driver's limits ------------------------------------------------------------------- */

int nn_param_get(const char *name, unsigned int *value);
/** Change a module parameter. nn_card_heal() puts back what any test has changed, also one that died. */
int nn_param_set(const char *name, unsigned int value);
void nn_params_restore(void);
/** On a slow machine the card, too, answers late: every watchdog waits nn_slow() times as long. */
void nn_params_slow(void);

/** What counts against the limits of @fd now. */
int nn_usage(int fd, struct drm_nnaccel_usage *usage);
/** Wait until nothing of @fd counts but page tables: objects that nobody holds are put away in the background. */
int nn_usage_empty(int fd);
/** Time on the engine of the file, from its fdinfo, ns. */
int nn_engine_ns(int fd, int64_t *ns);
/** Health of the queue; negative: could not be asked. */
int nn_health(const struct nn_queue *queue);
/** Status of job @seqno (enum nnaccel_status), UINT32_MAX without one. */
uint32_t nn_status(const struct nn_queue *queue, uint64_t seqno);
/** Wait until job @seqno was handed to the card. */
int nn_wait_begun(const struct nn_queue *queue, const struct drm_nnaccel_counters *before);

/* ---- other users --------------------------------------------------------------------------- */

/** Open the node as another user, who is charged from then on; the caller's thread stays what it is. */
int nn_open_as(uint32_t uid);
/** nn_rig_open() on such a file. */
int nn_rig_open_as(struct nn_rig *rig, uint32_t uid);
/** Run @run in a process of its own; its result (0..99) is the exit code. */
pid_t nn_child(int (*run)(void *arg), void *arg);
/** What it returned; negative: killed by that signal. */
int nn_child_end(pid_t pid);
/** A pair of sockets, and a descriptor through it; nn_recv_fd() waits, and returns it or -errno. */
int nn_socketpair(int sockets[2]);
int nn_send_fd(int socket, int fd);
int nn_recv_fd(int socket);

/* ---- work of a known length ---------------------------------------------------------------- */

/** Products per second of an INT32 BATCH_MATMUL on this card, now. */
int nn_speed(int fd, double *speed);

/** Operations that take long each: out = in * in, INT32 [n][n], @ops times in a row. */
struct nn_long {
	struct nn_program program;
	struct nn_bo in, out;
	uint32_t n, ops;
};

/** @ms each when the machine is as fast as nn_speed() said; 0 for @speed asks it. */
int nn_long_open(int fd, unsigned int ms, unsigned int ops, double speed, struct nn_long *work);
void nn_long_close(struct nn_long *work);
void nn_long_job(const struct nn_long *work, struct nn_job *job);
/** Without references: the memory is mapped for as long as its handles are. */
void nn_long_job_bare(const struct nn_long *work, struct nn_job *job);

/** A WHILE that ends by its loop limit alone. Its arguments: INT32 [1] in, INT32 [1] out. */
int nn_program_loop(int fd, struct nn_program *program);
void nn_loop_job(const struct nn_program *program, const struct nn_bo *in, const struct nn_bo *out, uint64_t loop_ns,
		 struct nn_job *job);
/** A valid program with about @bytes of constants, to keep whoever verifies it busy. In: INT32 [1], out: a page. */
int nn_program_big(int fd, uint64_t bytes, struct nn_program *program);

/* ---- the device comes and goes ------------------------------------------------------------- */

int nn_write_file(const char *path, const char *text);
int nn_unbind(const char *address);
int nn_bind(const char *address);
int nn_pci_remove(const char *address);
int nn_rescan(void);
int nn_modprobe(const char *options);
/** modprobe -r, tried until what the last client left is put away. */
int nn_module_unload(void);
/** Wait for a node, then for a job on it that is right. */
int nn_works_again(void);

#endif
