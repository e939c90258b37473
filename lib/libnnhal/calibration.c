// SPDX-License-Identifier: Apache-2.0
/*
 * Where a calibration comes from: what this process has learnt, a file of the system's, a file of the user's,
 * a measurement, in this order. NNACCEL_CALIBRATION=off leaves all that, a path in it replaces both folders.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache.h"
#include "calibration.h"
#include "nnhal_config.h"

#define SYSTEM_FOLDER	"/var/cache/nnaccel"
#define MAX_FOLDERS	2

struct folders {
	char path[MAX_FOLDERS][PATH_MAX];
	uint32_t count;
};

/* What was read or measured, of each device: also what could not be stored is measured once only. */
struct known {
	struct known *next;
	struct nnhal_calibration_key key;
	struct nnhal_calibration cal;
	bool measured;			/* else it could not be, and will not be tried again */
};

/* Held while a device is measured, so that one thread does it. Locks of devices are taken inside, never around. */
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;
static struct known *known;

/* ---- what is to be known ------------------------------------------------------------------------ */

static void cpu_model(char *model, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256], *value;

	snprintf(model, size, "unknown");
	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "model name", 10) && strncmp(line, "CPU part", 8))
			continue;
		value = strchr(line, ':');
		if (!value)
			continue;
		value += 1 + strspn(value + 1, " \t");
		value[strcspn(value, "\n")] = '\0';
		snprintf(model, size, "%s", value);
		break;
	}
	if (f)
		fclose(f);
}

/* @spec (64 bytes): what opens the device again. False: a transport that cannot be opened by name. */
static bool identify(struct nnhal_dev *dev, struct nnhal_calibration_key *key, char *spec)
{
	struct nnhal_device_info info = { 0 };
	uint64_t builds = 0;
	uint32_t v;

	memset(key, 0, sizeof(*key));
	if (dev->t->ops->info(dev->t, &info))
		return false;
	if (dev->t->type == NNHAL_DEVICE_CPU) {
		snprintf(spec, 64, "cpu:threads=%u", dev->t->threads);
		snprintf(key->device, sizeof(key->device), "%s-%u", dev->t->name, dev->t->threads);
	} else {
		snprintf(spec, 64, "%s", info.node);
		snprintf(key->device, sizeof(key->device), "%s", dev->t->name);
	}
	v = info.fw_version;
	snprintf(key->firmware, sizeof(key->firmware), "%u.%u.%u", v >> 16, v >> 8 & 0xff, v & 0xff);
	for (uint32_t i = 0; i < NNPROG_OP_COUNT; i++)
		builds = (builds << 1 | builds >> 63) ^ dev->opset.ops[i].build;
	snprintf(key->library, sizeof(key->library), NNHAL_PROJECT_VERSION " %016" PRIx64 " %016" PRIx64, nnhal_build(), builds);
	cpu_model(key->cpu, sizeof(key->cpu));
	key->opset_version = dev->opset.version;
	return spec[0] != '\0';
}

/* ---- where it is kept --------------------------------------------------------------------------- */

static void add_folder(struct folders *f, const char *format, const char *base)
{
	char *path = f->path[f->count];
	int n = snprintf(path, PATH_MAX, format, base);

	if (n > 0 && n < PATH_MAX && path[0] == '/')
		f->count++;
}

/* In the order of preference. The environment counts for nothing in privileged processes. */
static void find_folders(struct folders *f)
{
	const char *own = secure_getenv("NNACCEL_CALIBRATION");
	const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");

	f->count = 0;
	if (own && *own) {
		add_folder(f, "%s", own);
		return;
	}
	add_folder(f, "%s", SYSTEM_FOLDER);
	if (cache && *cache)
		add_folder(f, "%s/nnaccel", cache);
	else if (home)
		add_folder(f, "%s/.cache/nnaccel", home);
}

/* A user's cache folder may not be there yet: its last two parts are made. */
static void make_folder(const char *path)
{
	char parent[PATH_MAX], *slash;

	snprintf(parent, sizeof(parent), "%s", path);
	slash = strrchr(parent, '/');
	if (slash && slash != parent) {
		*slash = '\0';
		mkdir(parent, 0700);
	}
	mkdir(path, 0700);
}

static bool read_any(const struct folders *f, const struct nnhal_calibration_key *key,
		     struct nnhal_calibration *cal)
{
	for (uint32_t i = 0; i < f->count; i++)
		if (!nnhal_calibration_read(f->path[i], key, cal))
			return true;
	return false;
}

static void write_any(const struct folders *f, const struct nnhal_calibration_key *key,
		      const struct nnhal_calibration *cal)
{
	for (uint32_t i = 0; i < f->count; i++) {
		if (strcmp(f->path[i], SYSTEM_FOLDER))
			make_folder(f->path[i]);
		if (!nnhal_calibration_write(f->path[i], key, cal))
			return;
	}
}

/* ---- the answer --------------------------------------------------------------------------------- */

static struct known *find(const struct nnhal_calibration_key *key)
{
	struct known *k = known;

	while (k && memcmp(&k->key, key, sizeof(*key)))
		k = k->next;
	return k;
}

/* Under known_lock. NULL: out of memory. */
static struct known *learn(const struct nnhal_calibration_key *key, const char *spec)
{
	struct folders *f = malloc(sizeof(*f));
	struct known *k = calloc(1, sizeof(*k));

	if (!f || !k) {
		free(f);
		free(k);
		return NULL;
	}
	find_folders(f);
	k->key = *key;
	k->measured = read_any(f, key, &k->cal);
	if (!k->measured && !nnhal_calibration_measure(spec, &k->cal)) {
		k->measured = true;
		write_any(f, key, &k->cal);
	}
	free(f);
	k->next = known;
	known = k;
	return k;
}

bool nnhal_calibration_get(struct nnhal_dev *dev, struct nnhal_calibration *cal)
{
	const char *own = secure_getenv("NNACCEL_CALIBRATION");
	struct nnhal_calibration_key key;
	const struct known *k;
	char spec[64];
	bool have;

	if ((own && !strcmp(own, "off")) || !identify(dev, &key, spec))
		return false;
	if (!strcmp(spec, NNHAL_REFERENCE_SPEC)) {
		/* by definition; FLT_MAX and 1.0 are all that it can say of itself */
		for (int i = 0; i < NNHAL_CAL_PROGRAMS; i++)
			cal->device_ns[i] = cal->reference_ns[i] = 1;
		return true;
	}
	pthread_mutex_lock(&known_lock);
	k = find(&key);
	if (!k)
		k = learn(&key, spec);
	have = k && k->measured;
	if (have)
		*cal = k->cal;
	pthread_mutex_unlock(&known_lock);
	return have;
}

float nnhal_calibration_ratio(const struct nnhal_calibration *cal, enum nnhal_calibration_program program)
{
	float ratio;

	if (!cal->device_ns[program] || !cal->reference_ns[program])
		return 0;
	ratio = (float)((double)cal->device_ns[program] / (double)cal->reference_ns[program]);
	return ratio < 1e-4f ? 1e-4f : ratio > 1e4f ? 1e4f : ratio;
}
