/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the whole stack: a client, libnnipc.so, a worker. Each case runs in a process of its
 * own, with an environment of its own, because libnnipc reads its settings once and counts crashes
 * for the whole process. The parent sees what a case leaves behind: it is the reaper of all
 * processes below it.
 */
#ifndef STACK_TEST_H
#define STACK_TEST_H

#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "nnhal.h"

#define STACK_ENV 6

/** A case: @body runs in a process of its own with @env ("NAME=VALUE"). */
struct stack_case {
	char name[96];
	void (*body)(const struct stack_case *c);
	char env[STACK_ENV][96];
	uint32_t numbers[3]; /* the body's */
};

/**
 * Run the cases as a cmocka group; with arguments: those whose names begin with one of them. A case
 * fails if MUST() does, if it ends by a signal, takes minutes, or leaves a process.
 */
int stack_main(int argc, char **argv, const struct stack_case *cases, uint32_t count);

/** In a case, in any thread: the process ends with a message unless @what holds. */
#define MUST(what)                                                   \
	do {                                                         \
		if (!(what))                                         \
			stack_fail(__FILE__, __LINE__, "%s", #what); \
	} while (0)
#define MUST_SAY(what, ...)                                          \
	do {                                                         \
		if (!(what))                                         \
			stack_fail(__FILE__, __LINE__, __VA_ARGS__); \
	} while (0)
void stack_fail(const char *file, int line, const char *format, ...)
	__attribute__((noreturn, format(printf, 3, 4)));

/** nnhal_driver of libnnipc.so (NNACCEL_IPC). */
const struct nnhal_driver *stack_driver(void);
/** "worker:cpu", which must open. */
struct nnhal_device *stack_open(void);

/**
 * Processes of workers. A worker's parent is its monitor (sandbox.h), and that is adopted by the
 * reaper of its host. Dead ones that are not reaped yet do not count.
 */
struct stack_processes {
	int monitors, workers;
	pid_t worker; /* one of them */
};
/** Those that @reaper has adopted; not @host, its child. */
struct stack_processes stack_processes(pid_t reaper, pid_t host);
/** Those of this case. */
struct stack_processes stack_mine(void);
/** The only one that there is. */
pid_t stack_worker(void);
bool stack_alive(pid_t pid);
/** Descriptors and mappings of a process, and resident memory in KiB; -1: it cannot be read. */
struct stack_usage {
	int fds, maps;
	long rss;
};
struct stack_usage stack_usage(pid_t pid);
/**
 * Wait until this process has @before's descriptors again, and no worker; and see that each
 * callback came once.
 */
void stack_nothing_left(struct stack_usage before);

/**
 * What a callback got. Answers are the process's for ever, so that a second call of a callback is
 * seen however late it comes: stack_nothing_left() checks that each answer had one.
 */
struct stack_answer {
	_Atomic int calls;
	_Atomic int status;
	struct nnhal_prepared_model *_Atomic model;
	sem_t done;
};
struct stack_answer *stack_answer(void);
/** Wait for the first call; the status. */
enum nnhal_status stack_answer_wait(struct stack_answer *a);
void stack_prepared(void *cookie, enum nnhal_status status, struct nnhal_prepared_model *model,
		    const char *message);
void stack_executed(void *cookie, enum nnhal_status status,
		    const struct nnhal_execution_result *result);

/** out[n] = TANH^@ops of in[n]; @elements floats. */
struct nnmodel *stack_model(uint32_t ops, uint32_t elements);
/** A request for it: two memfds of one page or more. */
struct stack_call {
	struct nnhal_request request;
	struct nnhal_request_argument in, out;
	struct nnhal_request_pool pools[2];
	float *map[2];
	size_t size;
};
void stack_call_init(struct stack_call *call, uint32_t elements);
void stack_call_fini(struct stack_call *call);

/** Prepare @m, free it, wait for the callback. The status of the end; *@model NULL unless NONE. */
enum nnhal_status stack_prepare(struct nnhal_device *dev, struct nnmodel *m,
				struct nnhal_prepared_model **model);
enum nnhal_status stack_run(struct nnhal_prepared_model *pm, struct stack_call *call);
/** Until the device has a worker again and prepares and runs a model. */
void stack_works_again(struct nnhal_device *dev);
/** After a fault: @dev, or if NULL a device that can be opened again, works, and leaves nothing. */
void stack_recovers(struct nnhal_device *dev, struct stack_usage before);

#endif
