// SPDX-License-Identifier: Apache-2.0
/*
 * Where a calibration comes from: this process, the system's file, the user's file, in this order.
 * Only nnhal_calibrate() measures and writes. NNACCEL_CALIBRATION=off disables calibrations; a path
 * in it replaces both folders.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nnutil_process.h"
#include "calibration/nnhal_calibration.h"
#include "nnhal_build.h"
#include "nnprog_opcode.h"
#include "nnhal_config.h"
#include "nnutil_log.h"

#define SYSTEM_FOLDER "/var/cache/nnaccel"
#define MAX_FOLDERS 2

struct folders {
	char path[MAX_FOLDERS][PATH_MAX];
	uint32_t count;
};

/* The calibration of each device, read or measured: files are looked for once. */
struct known {
	struct known *next;
	struct nnhal_calibration_key key;
	struct nnhal_calibration cal;
	bool there; /* false: nothing is stored */
};

/* Taken last: no device is called under it. */
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;
static struct known *known;

/* ---- keys ---- */

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

bool nnhal_calibration_identify(struct nnhal_dev *dev, struct nnhal_calibration_key *key,
				char *spec)
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
	snprintf(key->firmware, sizeof(key->firmware), "%u.%u.%u", v >> 16, v >> 8 & 0xff,
		 v & 0xff);
	for (uint32_t i = 0; i < NNPROG_OP_COUNT; i++)
		builds = (builds << 1 | builds >> 63) ^ dev->opset.ops[i].build;
	snprintf(key->library, sizeof(key->library),
		 NNHAL_PROJECT_VERSION " %016" PRIx64 " %016" PRIx64, (uint64_t)NNHAL_BUILD,
		 builds);
	key->opset_version = dev->opset.version;
	return spec[0] != '\0';
}

/* ---- folders ---- */

static void add_folder(struct folders *f, const char *format, const char *base)
{
	char *path = f->path[f->count];
	int n = snprintf(path, PATH_MAX, format, base);

	if (n > 0 && n < PATH_MAX && path[0] == '/')
		f->count++;
}

/* In the order of preference. Privileged processes ignore the environment. */
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

/* Make the last two parts of a user's cache folder. */
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

static bool any_file(const struct folders *f, const struct nnhal_calibration_key *key)
{
	char path[PATH_MAX];

	for (uint32_t i = 0; i < f->count; i++)
		if (!nnhal_calibration_path(path, sizeof(path), f->path[i], key) &&
		    !access(path, F_OK))
			return true;
	return false;
}

/* @path (PATH_MAX): the file. */
static bool read_any(const struct folders *f, const struct nnhal_calibration_key *key,
		     struct nnhal_calibration *cal, char *path)
{
	for (uint32_t i = 0; i < f->count; i++)
		if (!nnhal_calibration_read(f->path[i], key, cal))
			return !nnhal_calibration_path(path, PATH_MAX, f->path[i], key);
	return false;
}

static int write_any(const struct folders *f, const struct nnhal_calibration_key *key,
		     const struct nnhal_calibration *cal, char *path)
{
	int ret = -ENOENT;

	for (uint32_t i = 0; i < f->count; i++) {
		if (strcmp(f->path[i], SYSTEM_FOLDER))
			make_folder(f->path[i]);
		ret = nnhal_calibration_write(f->path[i], key, cal);
		if (!ret)
			return nnhal_calibration_path(path, PATH_MAX, f->path[i], key);
	}
	return ret;
}

/* ---- calibrations of this process ---- */

static struct known *calibration_find(const struct nnhal_calibration_key *key)
{
	struct known *k = known;

	while (k && memcmp(&k->key, key, sizeof(*key)))
		k = k->next;
	return k;
}

/* Under known_lock. NULL: out of memory. */
static struct known *calibration_add(const struct nnhal_calibration_key *key)
{
	struct known *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->key = *key;
	k->next = known;
	known = k;
	return k;
}

/* Under known_lock. NULL: out of memory. */
static struct known *calibration_learn(const struct nnhal_calibration_key *key)
{
	struct nnhal_calibration_key full = *key;
	struct folders *f = malloc(sizeof(*f));
	struct known *k = f ? calibration_add(key) : NULL;
	char path[PATH_MAX];

	if (k) {
		find_folders(f);
		if (any_file(f, key)) {
			cpu_model(full.cpu, sizeof(full.cpu));
			k->there = read_any(f, &full, &k->cal, path);
		}
	}
	free(f);
	return k;
}

static void after_fork(bool child)
{
	/* another thread of the parent may have held it */
	if (child)
		pthread_mutex_init(&known_lock, NULL);
}

static void lock_known(void)
{
	static struct nnutil_fork_handler handler = { .after = after_fork };

	nnutil_process_watch(&handler);
	pthread_mutex_lock(&known_lock);
}

static bool switched_off(void)
{
	const char *own = secure_getenv("NNACCEL_CALIBRATION");

	return own && !strcmp(own, "off");
}

bool nnhal_calibration_get(struct nnhal_dev *dev, struct nnhal_calibration *cal)
{
	struct nnhal_calibration_key key;
	const struct known *k;
	char spec[64];
	bool have;

	if (switched_off() || !nnhal_calibration_identify(dev, &key, spec))
		return false;
	if (!strcmp(spec, NNHAL_REFERENCE_SPEC)) {
		/* 1.0 by definition */
		for (int i = 0; i < NNHAL_CAL_PROGRAMS; i++)
			cal->device_ns[i] = cal->reference_ns[i] = 1;
		return true;
	}
	lock_known();
	k = calibration_find(&key);
	if (!k)
		k = calibration_learn(&key);
	have = k && k->there;
	if (have)
		*cal = k->cal;
	pthread_mutex_unlock(&known_lock);
	return have;
}

float nnhal_calibration_ratio(const struct nnhal_calibration *cal,
			      enum nnhal_calibration_program program)
{
	float ratio;

	if (!cal->device_ns[program] || !cal->reference_ns[program])
		return 0;
	ratio = (float)((double)cal->device_ns[program] / (double)cal->reference_ns[program]);
	return ratio < 1e-4f ? 1e-4f : ratio > 1e4f ? 1e4f : ratio;
}

/* ---- storing ---- */

void nnhal_calibration_cpu(struct nnhal_calibration_key *key)
{
	cpu_model(key->cpu, sizeof(key->cpu));
}

/* This process uses it for the device from now on. */
static void calibration_remember(const struct nnhal_calibration_key *full,
				 const struct nnhal_calibration *cal)
{
	struct nnhal_calibration_key with_no_cpu = *full, *key = &with_no_cpu;
	struct known *k;

	memset(key->cpu, 0, sizeof(key->cpu));
	lock_known();
	k = calibration_find(key);
	if (!k)
		k = calibration_add(key);
	if (k) {
		k->cal = *cal;
		k->there = true;
	}
	pthread_mutex_unlock(&known_lock);
}

int nnhal_calibration_load(const struct nnhal_calibration_key *key, struct nnhal_calibration *cal,
			   char *path)
{
	struct folders *f = malloc(sizeof(*f));
	bool there;

	if (!f)
		return -ENOMEM;
	find_folders(f);
	there = !switched_off() && read_any(f, key, cal, path);
	free(f);
	return there ? 0 : -ENOENT;
}

int nnhal_calibration_store(const struct nnhal_calibration_key *key,
			    const struct nnhal_calibration *cal, char *path, char *message,
			    size_t size)
{
	struct folders *f;
	int ret;

	if (switched_off())
		return nnutil_refuse(
			message, size, -ENOENT,
			"cannot store the calibration: NNACCEL_CALIBRATION is \"off\"");
	f = malloc(sizeof(*f));
	if (!f)
		return -ENOMEM;
	find_folders(f);
	ret = write_any(f, key, cal, path);
	if (ret)
		snprintf(message, size, "cannot store the calibration: %s",
			 f->count ? strerror(-ret)
				  : "HOME, XDG_CACHE_HOME and NNACCEL_CALIBRATION are not set");
	else
		calibration_remember(key, cal);
	free(f);
	return ret;
}
