/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the HAL tests: the device under test (NNHAL_TEST_DEVICE, default "cpu"), small models,
 * and requests whose inputs and outputs lie in two memories of their own. Failures end the test by
 * cmocka.
 */
#ifndef HAL_TEST_H
#define HAL_TEST_H

#include <stdbool.h>

#include "nnhal.h"
#include "test_case.h"

#define HAL_MAX_ARGS 4
#define HAL_DIMS(...)       \
	(const uint32_t[])  \
	{                   \
		__VA_ARGS__ \
	}
#define HAL_LIST(...)                      \
	(const uint32_t[]){ __VA_ARGS__ }, \
		sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)

/** Opened by hal_setup(), closed by hal_teardown(). */
extern struct nnhal_device *hal_dev;
int hal_setup(void **state);
int hal_teardown(void **state);
/** A further device object; the caller destroys it. */
struct nnhal_device *hal_open(void);
/**
 * First in a child of fork(): other threads of its parent may be waiting in functions of this
 * header.
 */
void hal_forked(void);
bool hal_is_card(void);
/** Whether fenced executions return a fence of user space where there is no other. */
bool hal_user_fences(void);
/** Whether NNHAL_TEST_DEVICE names a card, also behind another process; needs no device. */
bool hal_spec_is_card(void);
int64_t hal_now_ns(void); /* CLOCK_BOOTTIME */

/* ---- models ---- */

/** Tensor of main. */
uint32_t hal_tensor(struct nnmodel *m, uint32_t type, uint32_t lifetime, const uint32_t *dims,
		    uint32_t rank, float scale, int32_t zero_point);
/** out[2,2] = a[2,2] + b[2]; float32. */
struct nnmodel *hal_model_add(void);
/** The same with shapes that only the request specifies (rank 2 and 1). */
struct nnmodel *hal_model_add_dynamic(void);
/** out0 = a + b, out1 = a * b, all [4]. */
struct nnmodel *hal_model_two_outputs(void);
/** 1x3x3x1 * 2x2x1 filter 1,2,3,4, bias 0.5 -> 1x2x2x1; float32, VALID. */
struct nnmodel *hal_model_conv(void);
/** 1x2x2x1 int8 * 1x1 per-channel filter of 2 channels -> 1x2x2x2 int8. */
struct nnmodel *hal_model_conv_int8(void);
/**
 * out[1,@units] = in[1,@depth] * weights[@units,@depth], float32: weight i is ((7 i + i / @depth) %
 * 13) - 6, so that sums of small integers are the same in any order.
 */
struct nnmodel *hal_model_matrix(uint32_t units, uint32_t depth);
/** @ops times SIN, which has no vectors, over @elements floats: long enough to be caught running.
 */
struct nnmodel *hal_model_long(uint32_t ops, uint32_t elements);

/** Prepare with defaults and wait; frees @m. */
struct nnhal_prepared_model *hal_prepare(struct nnhal_device *dev, struct nnmodel *m);

/** The arguments of a prepare callback. */
struct hal_prepared {
	int calls;
	enum nnhal_status status;
	struct nnhal_prepared_model *model;
	char message[256];
};
struct hal_prepared *hal_prepared_new(void);
void hal_prepared_cb(void *cookie, enum nnhal_status status, struct nnhal_prepared_model *model,
		     const char *message);
/** Wait for the callback, and a little for a second one that must not come. Frees @p. */
struct hal_prepared hal_prepared_wait(struct hal_prepared *p);
struct nnhal_prepare_config hal_prepare_config(void);

/* ---- requests ---- */

struct hal_call {
	struct nnhal_request request;
	struct nnhal_request_argument inputs[HAL_MAX_ARGS], outputs[HAL_MAX_ARGS];
	/* inputs, read-only; outputs; room for two of the test's */
	struct nnhal_request_pool pools[4];
	uint8_t *in_map, *out_map;
	size_t in_size, out_size;
};
/**
 * Sizes in bytes; @device_memory: nnhal_memory_create()'s, else memfds (inputs' opened read-only).
 */
void hal_call_init(struct hal_call *c, bool device_memory, const uint32_t *in, uint32_t num_in,
		   const uint32_t *out, uint32_t num_out);
void hal_call_fini(struct hal_call *c);
void *hal_in(struct hal_call *c, uint32_t i);
void *hal_out(struct hal_call *c, uint32_t i);
/** A call of hal_model_add() with a = {1,2,3,4}, b = {10,20}; and whether its output is right. */
void hal_call_add(struct hal_call *c, bool device_memory);
void hal_check_add(struct hal_call *c);

struct nnhal_execution_config hal_config(bool measure);

/**
 * The ways to run. Fenced: without in-fences, waited for. Burst: on one of its own, memories
 * numbered. Reusable: once, on an object of its own; a refusal at its creation is the answer.
 * HAL_EXECUTORS are those of a prepared model itself.
 */
enum hal_executor {
	HAL_SYNC,
	HAL_ASYNC,
	HAL_FENCED,
	HAL_EXECUTORS,
	HAL_BURST = HAL_EXECUTORS,
	HAL_REUSABLE,
	HAL_REUSABLE_FENCED,
	HAL_ALL_EXECUTORS
};
const char *hal_executor_name(enum hal_executor how);
static inline bool hal_is_fenced(enum hal_executor how)
{
	return how == HAL_FENCED || how == HAL_REUSABLE_FENCED;
}
/** @result is filled (empty but for timing when fenced); the caller clears it. */
enum nnhal_status hal_run(struct nnhal_prepared_model *pm, enum hal_executor how,
			  const struct nnhal_request *request,
			  const struct nnhal_execution_config *config, int64_t deadline_ns,
			  struct nnhal_execution_result *result);
/** The same where only the status matters. */
enum nnhal_status hal_status(struct nnhal_prepared_model *pm, enum hal_executor how,
			     const struct nnhal_request *request,
			     const struct nnhal_execution_config *config, int64_t deadline_ns);
/** Wait for a sync_file; -1 is finished. */
void hal_fence_wait(int fd);

#endif
