/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every room of the runtime uses: configuration, forks, result codes, log lines of API calls,
 * worker threads, fences.
 */
#ifndef NNR_BASE_H
#define NNR_BASE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "nnhal.h"
#include "nnmodel.h"
#include "nntrace.h"
#include "nnutil_log.h"

/*
 * The NDK headers, whose functions are exported, and the constants that every room needs.
 *
 * Result codes (ANEURALNETWORKS_*) are what functions named after the API return, and every other
 * int that is documented as "result code". Other functions return 0 or -errno.
 */

#pragma GCC visibility push(default)
#include "NeuralNetworksExtensions.h"
#include "NeuralNetworksOEM.h"
#include "nnaccel_runtime.h"
#pragma GCC visibility pop

#define NNR_RUNTIME_LEVEL 8u /* feature levels 1 to 8, as libnnmodel and libnnhal count them */
#define NNR_NONE UINT32_MAX /* no operation, operand, device... */
#define NNR_MAX_RANK 64u

/*
 * Calls of the API: their names in log lines and traces, and the way to refuse one.
 *
 * NNTRACE_RT() of an API function is also its NNUTIL_CALL(). A function of the API without a trace
 * point has an NNUTIL_CALL(__func__).
 */

#undef NNTRACE_RT
#define NNTRACE_RT(phase, detail) \
	NNUTIL_CALL(detail);      \
	NNTRACE_FULL(NNTRACE_LAYER_RUNTIME, phase, detail)

/** Log why the call is refused. The value is the result code ANEURALNETWORKS_@code. */
#define nnr_refuse(code, ...) (nnutil_log(NNUTIL_LOG_WARNING, __VA_ARGS__), ANEURALNETWORKS_##code)

/* codes.c: feature levels, result codes and deadlines. */

/** FeatureLevelCode of a level 1 to 8. */
int64_t nnr_level_to_code(uint32_t level);
/** The level of a FeatureLevelCode, rounded down. 0: below level 1. */
uint32_t nnr_level_from_code(int64_t code);
/** The result code that an event reports for @result, a result code. */
int nnr_event_code(int result);

/** CLOCK_BOOTTIME in ns, @duration_ns from now, saturating. 0 ns (no limit): NNHAL_NO_TIME. */
int64_t nnr_deadline(uint64_t duration_ns);
/**
 * The result code for @result, a device's answer under @deadline_ns. The application sets
 * durations, so no deadline has passed when its call begins. A device that is reached after the
 * deadline answers PERSISTENT; the application gets TRANSIENT, because another attempt may be in
 * time.
 */
int nnr_deadline_answer(int result, int64_t deadline_ns);

/*
 * settings.c: the configuration of the process: built-in values, then nnapi.conf, then the
 * environment.
 */

enum nnr_partitioning {
	NNR_PARTITION_NO = 0,
	NNR_PARTITION_WITH_FALLBACK = 1,
	NNR_PARTITION_WITHOUT_FALLBACK = 2
};
/** Where vendor libraries run. AUTO: libnnhal in the process, all others in workers. */
enum nnr_isolation {
	NNR_ISOLATION_AUTO,
	NNR_ISOLATION_NONE,
	NNR_ISOLATION_WORKER,
	NNR_ISOLATION_SERVICE
};
/** How models are divided. */
struct nnr_config {
	enum nnr_partitioning partitioning; /* NNAPI_PARTITION */
	bool cpu_only; /* NNAPI_CPU_ONLY */
	double transfer_ns_per_kib; /* cost of moving a tensor between devices */
	double step_ns; /* cost of launching a step */
};
/** All settings. Strings are never NULL; "" is none. */
struct nnr_settings {
	struct nnr_config config;
	const char *devices; /* patterns, separated by blanks; "": all devices */
	const char *exclude_devices;
	const char *hal_dirs; /* folders, separated by ':'; "": the default */
	enum nnr_isolation isolation;
	bool amx; /* vendor libraries in the process may use AMX */
	const char *allowlist; /* files, separated by ':'; "": none */
	const char *partitions; /* folders, separated by blanks */
	uint32_t device_wait_ms;
	const char *capture; /* folder of captures of executions; "": none */
	uint32_t capture_first; /* executions of the process that are captured if they succeed, too
				 */
	uint32_t feature_level; /* that the runtime reports: 1 .. NNR_RUNTIME_LEVEL */
};
/** Read at the first call, constant after it. Any thread. */
const struct nnr_settings *nnr_settings(void);
const struct nnr_config *nnr_config(void);
/**
 * Set the isolation in place of file and environment. Return: 0; -EINVAL: @value is unknown;
 * -EBUSY: the settings were read before, and have another. Any thread.
 */
int nnr_settings_set_isolation(const char *value);
/** The same for AMX: 0 or -EBUSY. */
int nnr_settings_set_amx(bool use);

/**
 * Apply the text of the file @path. @text has a NUL behind @size bytes and is written to. Malformed
 * lines are logged and ignored. For the first use of the settings, and for tests.
 */
void nnr_settings_parse(const char *path, char *text, size_t size);
/** Whether all of @name matches the pattern, an extended regular expression. */
bool nnr_pattern_matches(const char *pattern, size_t length, const char *name);
/**
 * Whether binaries in a folder may be allowed to use extensions: the folder is absolute, is not "/"
 * and not the system's.
 */
bool nnr_partition_permitted(const char *folder, size_t length);

/* Text of configuration files: whole files, lines, lists. */

/**
 * Read a file of at most @max bytes without waiting for the writer of a FIFO. 0 and *@text, the
 * caller's to free(), with a NUL behind @size bytes; or -errno. -EFBIG: the file is larger.
 */
int nnr_read_text(const char *path, size_t max, char **text, size_t *size);
/**
 * The next line of the text at *@position, its end made NUL. NULL: no more lines. *@zero: the line
 * has a zero byte inside.
 */
char *nnr_next_line(char **position, const char *end, bool *zero);
/**
 * Move *@item to the next item of a list separated by any of @separators. The item's length; 0 at
 * the end of the list. @previous: the length of the item before, 0 at first.
 */
size_t nnr_list_next(const char **item, size_t previous, const char *separators);

/*
 * model_parts.c: subgraphs of a model, and those that IF and WHILE name. Subgraph 0 is
 * main, 1 + i referenced[i].
 */

static inline const struct nnmodel_subgraph *nnr_subgraph(const struct nnmodel *model,
							  uint32_t subgraph)
{
	return subgraph ? &model->referenced[subgraph - 1] : &model->main;
}

static inline bool nnr_is_control_flow(const struct nnmodel_operation *op)
{
	return nnmodel_names_subgraphs(op->type);
}

/** The two subgraphs of an IF (then, else) or WHILE (condition, body). 0: none. */
void nnr_control_flow_graphs(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
			     const struct nnmodel_operation *op, uint32_t graphs[2]);

/* Shapes of operands that are given later than their model. */

/**
 * Give an operand the shape @dims: @rank > 0 values of uint32_t, perhaps not aligned. 0, -ENOMEM.
 */
int nnr_operand_set_dims(struct nnmodel_operand *operand, uint32_t rank, const void *dims);

/* Arrays on the heap. */

/** @n entries, zeroed. Not NULL if @n is 0. */
static inline void *nnr_array(size_t n, size_t size)
{
	return calloc(n ? n : 1, size);
}
/**
 * Make room for @need entries of @size bytes in *@array, which has room for *@room. New entries are
 * zeroed. 0, -ENOMEM.
 */
int nnr_grow(void *array, uint32_t *room, size_t need, size_t size);

/*
 * threads.c: fork(). The child has one thread. Objects of the parent that stand for work or for
 * devices are not the child's: plans, events, device buffers. They answer DEAD_OBJECT, and freeing
 * them touches nothing. What is data only goes on: models, memory from file descriptors, handles of
 * devices. A compilation's settings are data; its plan is made anew when the child first needs it.
 * Documentation/manners.rst has the table.
 *
 * Global locks are new in the child, together with what they guard. Locks of inherited objects are
 * not taken.
 */

/** Number of this process in a line of forks. It changes in a child that has one thread. */
extern atomic_uint nnr_process;
static inline unsigned int nnr_process_number(void)
{
	return atomic_load_explicit(&nnr_process, memory_order_relaxed);
}

/** Call before anything is made that a fork would harm. Cheap when called again. */
void nnr_fork_watch(void);

/**
 * The fork handlers of a file. Any function may be NULL. Files do not depend on each other's order.
 */
struct nnr_fork_handlers {
	void (*before)(void); /* in the parent, before the fork */
	void (*parent)(void);
	void (*child)(void);
};
/**
 * Register the handlers of a file: .before, .parent, .child. The linker collects them in a section,
 * so that nothing runs when the library is loaded.
 */
#define NNR_FORK_HANDLERS(...)                                                 \
	static const struct nnr_fork_handlers fork_handlers = { __VA_ARGS__ }; \
	static const struct nnr_fork_handlers *const fork_entry                \
		__attribute__((section("nnr_fork_handlers"), used)) = &fork_handlers

/* Threads for asynchronous work. */

/**
 * Run @work(@cookie) on a worker thread. It never waits for other work to end: work may last as
 * long as a device computes, and may wait for events of other work. Log lines of the work name the
 * API call that gave it. 0, -EAGAIN, -ENOMEM.
 */
int nnr_thread_run(void (*work)(void *cookie), void *cookie);

/*
 * prepare_wait.c: preparing models on devices of the HAL, which answer by callback, and waiting for
 * the answers.
 */

/** Preparations that one thread waits for. */
struct nnr_prepare_group {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	uint32_t pending;
};
/** One preparation. What follows @group is valid after nnr_prepare_group_wait(). */
struct nnr_prepare_answer {
	struct nnr_prepare_group *group;
	enum nnhal_status status;
	struct nnhal_prepared_model *prepared; /* with NONE */
	char message[192]; /* the device's reason; may be empty */
};

void nnr_prepare_group_init(struct nnr_prepare_group *group);
void nnr_prepare_group_fini(struct nnr_prepare_group *group);
/** One answer more is to come. */
void nnr_prepare_group_expect(struct nnr_prepare_group *group);
/** Ends an nnr_prepare_group_expect(). The group can be gone when this returns. */
void nnr_prepare_group_done(struct nnr_prepare_group *group);
void nnr_prepare_group_wait(struct nnr_prepare_group *group);
/** The callback for the device. @cookie: a struct nnr_prepare_answer. */
void nnr_prepare_answered(void *cookie, enum nnhal_status status,
			  struct nnhal_prepared_model *model, const char *message);

/**
 * Prepare @model on @hal and wait. *@prepared with NONE; else @message (@size bytes) is the
 * device's reason. Allowed inside an execution.
 */
enum nnhal_status nnr_prepare_on(struct nnhal_device *hal, const struct nnmodel *model,
				 const struct nnhal_prepare_config *config,
				 struct nnhal_prepared_model **prepared, char *message,
				 size_t size);

#endif
