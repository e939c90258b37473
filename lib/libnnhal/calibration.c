// SPDX-License-Identifier: Apache-2.0
/*
 * Where a calibration comes from: what this process has learnt, a file of the system's, a file of
 * the user's, in this order. Nothing is measured, or written, but by nnhal_calibrate().
 * NNACCEL_CALIBRATION=off leaves all that, a path in it replaces both folders.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nnprog_opcode.h"
#include "cache.h"
#include "calibration.h"
#include "nnhal_config.h"

#define SYSTEM_FOLDER "/var/cache/nnaccel"
#define MAX_FOLDERS 2

struct folders {
	char path[MAX_FOLDERS][PATH_MAX];
	uint32_t count;
};

/* What was read or measured, of each device: files are looked for once. */
struct known {
	struct known *next;
	struct nnhal_calibration_key key;
	struct nnhal_calibration cal;
	bool there; /* else nothing is stored */
};

/* No device is called while it is held. */
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;
static struct known *known;

/* ---- what is to be known ---- */

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

/*
 * All but the processor, which the kernel takes long to describe. @spec (64 bytes): what opens the
 * device again. False: a transport that cannot be opened by name.
 */
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
	snprintf(key->firmware, sizeof(key->firmware), "%u.%u.%u", v >> 16, v >> 8 & 0xff,
		 v & 0xff);
	for (uint32_t i = 0; i < NNPROG_OP_COUNT; i++)
		builds = (builds << 1 | builds >> 63) ^ dev->opset.ops[i].build;
	snprintf(key->library, sizeof(key->library),
		 NNHAL_PROJECT_VERSION " %016" PRIx64 " %016" PRIx64, nnhal_build(), builds);
	key->opset_version = dev->opset.version;
	return spec[0] != '\0';
}

/* ---- where it is kept ---- */

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

/* ---- the answer ---- */

static struct known *find(const struct nnhal_calibration_key *key)
{
	struct known *k = known;

	while (k && memcmp(&k->key, key, sizeof(*key)))
		k = k->next;
	return k;
}

/* Under known_lock. NULL: out of memory. */
static struct known *add(const struct nnhal_calibration_key *key)
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
static struct known *learn(const struct nnhal_calibration_key *key)
{
	struct nnhal_calibration_key full = *key;
	struct folders *f = malloc(sizeof(*f));
	struct known *k = f ? add(key) : NULL;
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

void nnhal_calibration_forked(void)
{
	pthread_mutex_init(&known_lock, NULL);
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

	if (switched_off() || !identify(dev, &key, spec))
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
		k = learn(&key);
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

/* ---- asked for ---- */

static void fill_report(struct nnhal_calibration_report *report,
			const struct nnhal_calibration_key *key,
			const struct nnhal_calibration *cal)
{
	_Static_assert(NNHAL_CAL_PROGRAMS <= NNHAL_MAX_CALIBRATED, "programs of a report");

	snprintf(report->device, sizeof(report->device), "%s", key->device);
	snprintf(report->firmware, sizeof(report->firmware), "%s", key->firmware);
	snprintf(report->library, sizeof(report->library), "%.*s", (int)sizeof(report->library) - 1,
		 key->library);
	snprintf(report->cpu, sizeof(report->cpu), "%s", key->cpu);
	report->num_programs = cal ? NNHAL_CAL_PROGRAMS : 0;
	for (uint32_t i = 0; i < report->num_programs; i++) {
		snprintf(report->programs[i].name, sizeof(report->programs[i].name), "%s",
			 nnhal_calibration_name(i));
		report->programs[i].device_ns = cal->device_ns[i];
		report->programs[i].reference_ns = cal->reference_ns[i];
	}
}

/* What this process says of the device from now on. */
static void remember(const struct nnhal_calibration_key *full, const struct nnhal_calibration *cal)
{
	struct nnhal_calibration_key with_no_cpu = *full, *key = &with_no_cpu;
	struct known *k;

	memset(key->cpu, 0, sizeof(key->cpu));
	pthread_mutex_lock(&known_lock);
	k = find(key);
	if (!k)
		k = add(key);
	if (k) {
		k->cal = *cal;
		k->there = true;
	}
	pthread_mutex_unlock(&known_lock);
}

static int show(const struct nnhal_calibration_key *key, struct nnhal_calibration_report *report,
		char *path, char *message, size_t size)
{
	struct nnhal_calibration cal;
	struct folders *f = malloc(sizeof(*f));
	bool there;

	if (!f)
		return -ENOMEM;
	find_folders(f);
	there = !switched_off() && read_any(f, key, &cal, path);
	free(f);
	fill_report(report, key, there ? &cal : NULL);
	if (there)
		return 0;
	snprintf(message, size,
		 "%s was never calibrated here, or by another version: it counts as 1.0",
		 key->device);
	return -ENOENT;
}

static int measure(const char *spec, const struct nnhal_calibration_key *key, bool store,
		   struct nnhal_calibration_report *report, char *path, char *message, size_t size)
{
	struct nnhal_calibration cal;
	struct folders *f;
	int ret = nnhal_calibration_measure(spec, &cal);

	if (ret) {
		snprintf(message, size, "%s could not be measured: %s", key->device,
			 strerror(-ret));
		return ret;
	}
	fill_report(report, key, &cal);
	if (!store)
		return 0;
	f = malloc(sizeof(*f));
	if (!f)
		return -ENOMEM;
	find_folders(f);
	ret = switched_off() ? -ENOENT : write_any(f, key, &cal, path);
	if (ret)
		snprintf(
			message, size, "nowhere to store it: %s",
			switched_off() ? "NNACCEL_CALIBRATION is \"off\""
			: f->count
				? strerror(-ret)
				: "neither HOME nor XDG_CACHE_HOME nor NNACCEL_CALIBRATION is set");
	else
		remember(key, &cal);
	free(f);
	return ret;
}

static int calibrate(const char *spec, enum nnhal_calibrate how,
		     struct nnhal_calibration_report *report, char *message, size_t size)
{
	struct nnhal_calibration_key key;
	char again[64] = "", path[PATH_MAX] = "";
	struct nnhal_device *device;
	bool named;
	int ret;

	ret = nnhal_open(spec, &device, message, size);
	if (ret)
		return ret;
	named = identify((struct nnhal_dev *)device, &key, again);
	device->ops->destroy(device);
	cpu_model(key.cpu, sizeof(key.cpu));
	if (!named) {
		snprintf(message, size, "the device does not say what it is");
		return -ENODEV;
	}
	if (!strcmp(again, NNHAL_REFERENCE_SPEC)) {
		fill_report(report, &key, NULL);
		report->reference = true;
		return 0;
	}
	if (how == NNHAL_CALIBRATE_SHOW)
		ret = show(&key, report, path, message, size);
	else
		ret = measure(again, &key, how == NNHAL_CALIBRATE_STORE, report, path, message,
			      size);
	snprintf(report->path, sizeof(report->path), "%.*s", (int)sizeof(report->path) - 1, path);
	return ret;
}

NNHAL_EXPORT int nnhal_calibrate(const char *spec, enum nnhal_calibrate how,
				 struct nnhal_calibration_report *report, char *message,
				 size_t size)
{
	struct nnhal_calibration_report own = { 0 };
	char unused[1];
	int ret;

	if (!message || !size) {
		message = unused;
		size = sizeof(unused);
	}
	message[0] = '\0';
	if (!nnmodel_sized_put(&nnhal_sized_report, report, &own)) {
		nnmodel_sized_explain(&nnhal_sized_report, report, message, size);
		return -EINVAL;
	}
	ret = calibrate(spec, how, &own, message, size);
	nnmodel_sized_put(&nnhal_sized_report, report, &own);
	return ret;
}
