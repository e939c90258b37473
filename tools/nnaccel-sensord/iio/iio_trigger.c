// SPDX-License-Identifier: Apache-2.0
/* Triggers. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "iio/sensord_iio.h"
#include "nnutil_clock.h"

#define CURRENT "trigger/current_trigger"
#define TRIGGER_NAME_MAX 80u
/* What udev needs to give the files of a new trigger to the service's group. */
#define UDEV_NS (2 * NNUTIL_NS_PER_S)
#define UDEV_TURN_NS (10 * NNUTIL_NS_PER_MS)

/* The folder of the hardware that an entry of sysfs belongs to. */
static bool parent_of(const char *sysfs, const char *entry, char parent[PATH_MAX])
{
	char path[PATH_MAX], *slash;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", sysfs, entry) >= sizeof(path) ||
	    !realpath(path, parent))
		return false;
	slash = strrchr(parent, '/');
	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

static int trigger_open(const char *sysfs, const char *entry)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", sysfs, entry) >= sizeof(path))
		return -ENAMETOOLONG;
	return iio_dir_open(path);
}

static bool trigger_name(const char *sysfs, const char *entry, char *name)
{
	int dir = trigger_open(sysfs, entry);
	bool found;

	if (dir < 0)
		return false;
	found = !iio_dir_read(dir, "name", name, TRIGGER_NAME_MAX) && name[0];
	close(dir);
	return found;
}

/* Others of its own say that something happened, not that there is data. */
static bool data_ready(const char *name)
{
	return !strstr(name, "motion") && !strstr(name, "event") && !strstr(name, "thresh");
}

/* The name of the device's own trigger. False: it has none, and @own may be anything. */
static bool own_trigger(const struct iio_unit *unit, char *own)
{
	char mine[PATH_MAX], theirs[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *all;

	if (!parent_of(unit->places->sysfs, unit->id, mine))
		return false;
	all = opendir(unit->places->sysfs);
	while (all && !found && (entry = readdir(all))) {
		found = !strncmp(entry->d_name, "trigger", 7) &&
			parent_of(unit->places->sysfs, entry->d_name, theirs) &&
			!strcmp(mine, theirs) &&
			trigger_name(unit->places->sysfs, entry->d_name, own) && data_ready(own);
	}
	if (all)
		closedir(all);
	return found;
}

/* ---- timers of the kernel ---- */

static void timer_name(const struct iio_unit *unit, char name[TRIGGER_NAME_MAX])
{
	snprintf(name, TRIGGER_NAME_MAX, "nnaccel-%s", unit->id);
}

static bool timer_path(const struct iio_unit *unit, char path[PATH_MAX])
{
	char name[TRIGGER_NAME_MAX];

	timer_name(unit, name);
	return (size_t)snprintf(path, PATH_MAX, "%s/triggers/hrtimer/%s", unit->places->configfs,
				name) < PATH_MAX;
}

/* The folder of the trigger called @name. */
static int open_by_name(const char *sysfs, const char *name)
{
	char found[TRIGGER_NAME_MAX];
	struct dirent *entry;
	int dir = -ENXIO;
	DIR *all = opendir(sysfs);

	while (all && dir < 0 && (entry = readdir(all)))
		if (!strncmp(entry->d_name, "trigger", 7) &&
		    trigger_name(sysfs, entry->d_name, found) && !strcmp(found, name))
			dir = trigger_open(sysfs, entry->d_name);
	if (all)
		closedir(all);
	return dir;
}

static void timer_await_access(int dir)
{
	const int64_t end = nnutil_deadline(UDEV_NS);
	const struct timespec turn = nnutil_timespec(UDEV_TURN_NS);

	while (faccessat(dir, "sampling_frequency", W_OK, AT_EACCESS) && errno == EACCES &&
	       nnutil_monotonic_ns() < end)
		nanosleep(&turn, NULL);
}

static int timer_set(const struct iio_unit *unit, int64_t period_ns, int64_t *actual_ns)
{
	char name[TRIGGER_NAME_MAX], path[PATH_MAX];
	double hz = 1e9 / (double)period_ns;
	int dir, ret;

	timer_name(unit, name);
	if (!timer_path(unit, path) || (mkdir(path, 0755) && errno != EEXIST))
		return -ENXIO;
	dir = open_by_name(unit->places->sysfs, name);
	if (dir < 0)
		return -ENXIO;
	timer_await_access(dir);
	ret = iio_dir_write_number(dir, "sampling_frequency", hz);
	if (!ret && !iio_dir_read_number(dir, "sampling_frequency", &hz) && iio_text_period(hz))
		*actual_ns = iio_text_period(hz);
	close(dir);
	if (!ret)
		ret = iio_dir_write(unit->dir, CURRENT, name);
	return ret ? -ENXIO : 0;
}

int iio_trigger_set(const struct iio_unit *unit, int64_t period_ns, int64_t *actual_ns)
{
	char current[TRIGGER_NAME_MAX] = "", own[TRIGGER_NAME_MAX], timer[TRIGGER_NAME_MAX];

	if (!iio_dir_has(unit->dir, CURRENT))
		return 0;
	timer_name(unit, timer);
	if (iio_dir_read(unit->dir, CURRENT, current, sizeof(current)))
		current[0] = '\0';
	if (own_trigger(unit, own) &&
	    (!strcmp(own, current) || !iio_dir_write(unit->dir, CURRENT, own)))
		return 0;
	if (current[0] && strcmp(current, timer) != 0)
		return 0;
	return timer_set(unit, period_ns, actual_ns);
}

void iio_trigger_drop(const struct iio_unit *unit)
{
	char current[TRIGGER_NAME_MAX], timer[TRIGGER_NAME_MAX], path[PATH_MAX];

	timer_name(unit, timer);
	if (!timer_path(unit, path) || access(path, F_OK))
		return;
	if (!iio_dir_read(unit->dir, CURRENT, current, sizeof(current)) && !strcmp(current, timer))
		iio_dir_write(unit->dir, CURRENT, "\n");
	rmdir(path);
}
