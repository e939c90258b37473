/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For benchmarks that execute models through libnnhal. Whatever fails ends the program with a
 * message.
 */
#ifndef BENCH_MODEL_H
#define BENCH_MODEL_H

#include <stdint.h>

#include "nnhal.h"

#define BENCH_MAX_POOLS 16

/** Of a .tflite file. nnmodel_free() */
struct nnmodel *bench_file_model(const char *path);
struct nnhal_device *bench_open_device(const char *spec);
/** NULL: the device refused, and why is in @why of 256 bytes, which may be NULL. */
struct nnhal_prepared_model *bench_prepare(struct nnhal_device *dev, const struct nnmodel *model,
					   char *why);

/** A request of a model, with a memory of zeros for each argument. */
struct bench_call {
	struct nnhal_request request;
	struct nnhal_request_argument arguments[BENCH_MAX_POOLS];
	struct nnhal_request_pool pools[BENCH_MAX_POOLS];
	int64_t tokens[BENCH_MAX_POOLS];
	void *map[BENCH_MAX_POOLS];
};

void bench_call_init(struct bench_call *call, const struct nnmodel *model);
void bench_call_fini(struct bench_call *call);
/** executeSynchronously, of the burst if there is one. */
void bench_run(struct nnhal_prepared_model *model, struct nnhal_burst *burst,
	       struct bench_call *call);
/** Both requests have the same outputs; failures are fast. */
void bench_compare(const struct bench_call *a, const struct bench_call *b);

int64_t bench_now_ns(void);
/** Sorts them. */
int64_t bench_median(int64_t *ns, uint32_t count);

#endif
