/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration of the process: built-in values, then nnapi.conf, then the environment. */
#ifndef NNR_SETTINGS_H
#define NNR_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
