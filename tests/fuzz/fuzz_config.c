// SPDX-License-Identifier: Apache-2.0
/*
 * Hostile nnapi.conf files and allowlists. Afterwards every setting is one that could be meant, and
 * no decision depends on lines that are none. For libFuzzer: LLVMFuzzerTestOneInput(). Here:
 *
 *   fuzz_config FOLDER...		each file of the folders
 *   fuzz_config --mutate N [SEED]	N mutations of files of its own, the same ones every time
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_files.h"
#include "base/settings.h"
#include "registry/allowlist.h"
#include "registry/listed_device.h"

#define MAX_SIZE 4096u

static const char *const seeds[] = {
	"# a comment\ndevices = nnaccel-.* nnapi-reference\nexclude_devices = test[0-9]+\ncpu_only = 0\n"
	"partition = 1\ntransfer_ns_per_kib = 205.5\nstep_ns = 20000\n",
	"hal_dir = /usr/lib/nnhal:/opt/nnhal\nextension_allowlist = /etc/nnapi_extensions_app_allowlist\n"
	"extension_partitions = /product /vendor /odm /data\ndevice_wait_ms = 10000\n",
	"/data/foo\n/vendor/bin/camera\ncom.example.app\n\n# no comment in this one\nnodots\n/\n//\n/..\n",
};

static uint64_t files, entries;

static void require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void check_settings(void)
{
	const struct nnr_settings *s = nnr_settings();

	require(s->devices && s->exclude_devices && s->hal_dirs && s->allowlist && s->partitions,
		"a string is missing");
	require(isfinite(s->config.transfer_ns_per_kib) && s->config.transfer_ns_per_kib >= 0,
		"a cost below 0");
	require(isfinite(s->config.step_ns) && s->config.step_ns >= 0, "a cost below 0");
	require(s->config.partitioning <= NNR_PARTITION_WITHOUT_FALLBACK,
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
		require(found[i][0] == '/' || strchr(found[i], '.'), "an entry that is none");
	require(!nnr_allowlist_decide(&system, &list, NULL),
		"a file lets the system's binaries in");
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
	nnr_settings();
	for (int kind = 0; kind < 2; kind++) {
		/* of exactly its size, so that a sanitizer sees what reads beyond */
		text = malloc(size + 1);
		if (!text)
			abort();
		memcpy(text, data, size);
		text[size] = '\0';
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

static uint64_t state;

static uint32_t pick(uint32_t below)
{
	return fuzz_random(&state) % below;
}

static void mutate(uint8_t *bytes, size_t *size)
{
	static const char *const tokens[] = { "=",
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
					      "." };
	const char *token = tokens[pick(sizeof(tokens) / sizeof(tokens[0]))];
	size_t at = pick((uint32_t)*size + 1), length = strlen(token);

	switch (pick(4)) {
	case 0:
		if (at < *size)
			bytes[at] = (uint8_t)pick(256);
		break;
	case 1:
		*size = at;
		break;
	case 2:
		if (at < *size) {
			memmove(bytes + at, bytes + at + 1, *size - at - 1);
			--*size;
		}
		break;
	default:
		if (*size + length <= MAX_SIZE) {
			memmove(bytes + at + length, bytes + at, *size - at);
			memcpy(bytes + at, token, length);
			*size += length;
		}
	}
}

static void mutations(uint64_t n, uint64_t seed)
{
	uint8_t bytes[MAX_SIZE];

	state = seed;
	for (uint64_t i = 0; i < n; i++) {
		const char *from = seeds[pick(sizeof(seeds) / sizeof(seeds[0]))];
		size_t size = strlen(from);

		memcpy(bytes, from, size);
		for (uint32_t k = 1 + pick(8); k; k--)
			mutate(bytes, &size);
		LLVMFuzzerTestOneInput(bytes, size);
	}
}

int main(int argc, char **argv)
{
	int failed = 0;

	/* what is refused would be logged, thousands of times */
	setenv("NNAPI_LOG", "off", 1);
	if (argc > 2 && !strcmp(argv[1], "--mutate"))
		mutations(strtoull(argv[2], NULL, 10), argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
	else
		for (int i = 1; i < argc; i++)
			failed |= fuzz_replay(argv[i]);
	printf("%llu files, %llu entries of allowlists\n", (unsigned long long)files,
	       (unsigned long long)entries);
	return failed || !files;
}
