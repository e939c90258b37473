// SPDX-License-Identifier: Apache-2.0
/*
 * Hostile nnapi.conf files and allowlists: afterwards every setting is within its limits, and no
 * decision depends on malformed lines.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "text_mutations.h"
#include "base/nnr_base.h"
#include "registry/nnr_registry.h"

#define MAX_SIZE 4096u

static const char *const texts[] = {
	"# a comment\ndevices = nnaccel-.* nnapi-reference\nexclude_devices = test[0-9]+\ncpu_only = 0\n"
	"partition = 1\ntransfer_ns_per_kib = 205.5\nstep_ns = 20000\n",
	"hal_dir = /usr/lib/nnhal:/opt/nnhal\nextension_allowlist = /etc/nnapi_extensions_app_allowlist\n"
	"extension_partitions = /product /vendor /odm /data\ndevice_wait_ms = 10000\nisolation = auto\n"
	"capture = /tmp\ncapture_first = 1\n",
	"/data/foo\n/vendor/bin/camera\ncom.example.app\n\n# no comment in this one\nnodots\n/\n//\n/..\n",
};

static const char *const words[] = {
	"=",
	"\n",
	"\r\n",
	" ",
	"#",
	"[",
	"(",
	"*",
	"{9}",
	"1e308",
	"-1",
	"nan",
	"inf",
	"/",
	":",
	"/../",
	"99999999999999999999",
	"devices",
	"step_ns = ",
	"partition = 3",
	".",
	NULL,
};

static uint64_t files, entries;

static void check_settings(void)
{
	const struct nnr_settings *s = nnr_settings();

	fuzz_require(s->devices && s->exclude_devices && s->hal_dirs && s->allowlist &&
			     s->partitions,
		     "a string is missing");
	fuzz_require(isfinite(s->config.transfer_ns_per_kib) && s->config.transfer_ns_per_kib >= 0,
		     "a cost below 0");
	fuzz_require(isfinite(s->config.step_ns) && s->config.step_ns >= 0, "a cost below 0");
	fuzz_require(s->isolation <= NNR_ISOLATION_SERVICE, "no such isolation");
	fuzz_require(s->config.partitioning <= NNR_PARTITION_WITHOUT_FALLBACK,
		     "an unknown way to partition");
	nnr_pattern_matches(s->devices, strlen(s->devices), "nnaccel-card0");
}

static void check_list(char *text, size_t size)
{
	const struct nnr_identity inside = { .binary = "/data/foo" },
				  system = { .binary = "/system/bin/foo" };
	struct nnr_allowlist list = { .partitions = "/product /vendor /odm /data" };
	const char **found = NULL;

	if (nnr_allowlist_parse("fuzz", text, size, &found, &list.num_entries))
		abort();
	list.entries = (const char *const *)found;
	for (uint32_t i = 0; i < list.num_entries; i++)
		fuzz_require(found[i][0] == '/' || strchr(found[i], '.'), "a malformed entry");
	fuzz_require(!nnr_allowlist_decide(&system, &list, NULL),
		     "a list allows binaries of the system partition");
	nnr_allowlist_decide(&inside, &list, NULL);
	entries += list.num_entries;
	for (uint32_t i = 0; i < list.num_entries; i++)
		free((char *)found[i]);
	free(found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size > MAX_SIZE)
		return 0;
	/* refused lines would be logged, thousands of times */
	setenv("NNAPI_LOG", "off", 1);
	nnr_settings();
	for (int kind = 0; kind < 2; kind++) {
		text = fuzz_copy_text(data, size);
		if (kind) {
			check_list(text, size);
		} else {
			nnr_settings_parse("fuzz", text, size);
			check_settings();
		}
		free(text);
	}
	files++;
	return 0;
}

/* ---- for the driver ---- */

static size_t mutate(uint8_t *data, size_t size, uint64_t *random)
{
	return fuzz_mutate_text(data, size, MAX_SIZE, words, random);
}

static size_t seeds(struct fuzz_seed **list)
{
	static const char *const names[] = { "comments", "paths", "allowlist" };
	size_t count = 0;

	*list = NULL;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		fuzz_add_seed(list, &count, names[i], texts[i], strlen(texts[i]));
	return count;
}

static bool reached(uint64_t rounds)
{
	return files >= rounds && entries >= rounds / 10;
}

static void report(void)
{
	printf("%llu files, %llu entries of allowlists\n", (unsigned long long)files,
	       (unsigned long long)entries);
}

const struct fuzz_target fuzz_target = {
	.suffix = ".conf",
	.seeds = seeds,
	.mutate = mutate,
	.reached = reached,
	.report = report,
};
