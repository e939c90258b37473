/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of values in messages: samples of each, and how one is read and written again. For the
 * tests of the codec, and for fuzz targets.
 */
#ifndef WIRE_VALUES_H
#define WIRE_VALUES_H

#include "messages/nnipc_messages.h"

enum value {
	V_BOOL,
	V_U32,
	V_U64,
	V_TEXT,
	V_FD,
	V_STATUS,
	V_MODEL,
	V_MODEL_ERROR,
	V_MEMORY,
	V_REQUEST,
	V_SLOT_REQUEST,
	V_EXECUTION_CONFIG,
	V_PREPARE_CONFIG,
	V_FDS,
	V_NUMBERS,
	V_OIDS,
	V_SUPPORTED,
	V_REASONS,
	V_TOKEN,
	V_RESULT,
	V_TIMING,
	V_CAPABILITIES,
	V_INFO,
	V_COUNTERS,
	V_BUFFER_DESC,
	V_ROLES,
	V_DESCRIPTION,
	V_END /* of a list of values; number of kinds */
};

/** Samples of each kind: 0 has something everywhere, 1 nothing, 2 what a careless client gives. */
#define VALUE_SAMPLES 3u

struct value_kind {
	const char *name;
	void (*put)(struct nnipc_writer *w, uint32_t sample);
	/* read it and write what was read; @w NULL: only read */
	void (*copy)(struct nnipc_reader *r, struct nnipc_writer *w);
};
extern const struct value_kind value_kinds[V_END];

/* The samples, for those who look inside. */
struct nnmodel *sample_model(uint32_t sample);
struct nnhal_request sample_request(uint32_t sample);
struct nnhal_execution_config sample_execution_config(uint32_t sample);
struct nnhal_prepare_config sample_prepare_config(uint32_t sample);
struct nnhal_execution_result sample_result(uint32_t sample);
struct nnhal_capabilities sample_capabilities(uint32_t sample);
struct nnhal_device_info sample_info(uint32_t sample);
struct nnipc_description sample_description(uint32_t sample);
/** A descriptor that all samples share; it stays open. */
int sample_fd(void);

#endif
