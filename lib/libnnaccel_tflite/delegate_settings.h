/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the delegate: Documentation/tflite-delegate.rst. */
#ifndef DELEGATE_SETTINGS_H
#define DELEGATE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum delegate_log {
	DELEGATE_LOG_OFF,
	DELEGATE_LOG_SUMMARY, /* a line per graph */
	DELEGATE_LOG_NODES, /* and one for each node that stays */
	DELEGATE_LOG_ALL, /* and one for each node that does not */
};

struct delegate_settings {
	char *devices; /* names with commas; NULL: all */
	char *cache_dir; /* NULL: none */
	char *isolation; /* of the process; NULL: the runtime's setting */
	int32_t preference; /* of the NDK; -1: its default */
	bool fp16;
	bool require_all;
	uint32_t min_nodes;
	char *compare; /* the device that computes a sample, too; NULL: none */
	uint32_t sample; /* computations for one of the sample */
	enum delegate_log log;
	FILE *explain; /* delegate_explain.h; NULL: none */
};

/**
 * Read @count options. False: one is unknown, given twice, or has an invalid value; @message says
 * which. delegate_settings_clear() whatever the outcome.
 */
bool delegate_settings_read(struct delegate_settings *settings, const char *const *keys,
			    const char *const *values, size_t count, char *message, size_t size);
void delegate_settings_clear(struct delegate_settings *settings);

#endif
