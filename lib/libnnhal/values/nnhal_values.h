/* SPDX-License-Identifier: Apache-2.0 */
/* What every implementation of nnhal.h needs: sized structs, refusals, names of statuses. */
#ifndef NNHAL_VALUES_H
#define NNHAL_VALUES_H

#include "nnhal.h"
#include "nnmodel_common.h"

/*
 * failures.c: refusals: a status and a message that tells the client what to change. A message is a
 * buffer of NNHAL_MESSAGE bytes.
 */

#define NNHAL_MESSAGE 256u
#define NNHAL_PRINTF(f, a) __attribute__((format(printf, f, a)))

void nnhal_message(char *message, const char *format, ...) NNHAL_PRINTF(2, 3);
/** Write the message and return @status. */
enum nnhal_status nnhal_refuse(char *message, enum nnhal_status status, const char *format, ...)
	NNHAL_PRINTF(3, 4);
/** The object belongs to the parent of this process: DEAD_OBJECT. @message may be NULL. */
enum nnhal_status nnhal_dead(char *message);

/*
 * structs.c: the sized structs of nnhal.h (see sized.c) as this library knows them: arguments of
 * clients and answers to them. A function that refuses says why in a message of NNHAL_MESSAGE
 * bytes.
 */

extern const struct nnmodel_sized nnhal_sized_result, nnhal_sized_capabilities, nnhal_sized_info,
	nnhal_sized_counters, nnhal_sized_report, nnhal_sized_error, nnhal_sized_buffer_desc,
	nnhal_sized_model;

/** @config, or @older filled from it; NULL with @message: none, or its size is invalid. */
const struct nnhal_execution_config *
nnhal_execution_config_upgrade(const struct nnhal_execution_config *config,
			       struct nnhal_execution_config *older, char *message);
const struct nnhal_prepare_config *
nnhal_prepare_config_upgrade(const struct nnhal_prepare_config *config,
			     struct nnhal_prepare_config *older, char *message);
const struct nnhal_request *nnhal_request_upgrade(const struct nnhal_request *request,
						  struct nnhal_request *older, char *message);

/**
 * Where to write the result of an execution, initialised: @result, or @older, which
 * nnhal_result_put() gives to the client. NULL: the size of @result is invalid.
 */
struct nnhal_execution_result *nnhal_result_known(struct nnhal_execution_result *result,
						  struct nnhal_execution_result *older);
void nnhal_result_put(struct nnhal_execution_result *result,
		      const struct nnhal_execution_result *known);
/** A driver's result, or @older filled from it; NULL: its size is invalid. */
const struct nnhal_execution_result *nnhal_result_seen(const struct nnhal_execution_result *result,
						       struct nnhal_execution_result *older);

/** Empty, of this library's size: no shapes, no message, no timing. */
void nnhal_result_init(struct nnhal_execution_result *result);
/** The same, but the size stays the client's. */
void nnhal_result_reset(struct nnhal_execution_result *result);

/* Constants of the whole library. */

/** A function of nnhal.h; nnhal.map lists them. */
#define NNHAL_EXPORT __attribute__((visibility("default")))

/** Of NNAPI: what IDevice reports. */
#define NNHAL_FEATURE_LEVEL 8u

#endif
