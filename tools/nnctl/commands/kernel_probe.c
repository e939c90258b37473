// SPDX-License-Identifier: Apache-2.0
#include "commands/nnctl_commands.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#define MAX_PATH 600
#define MODULE "nnaccel.ko"

struct place {
	const char *root, *release;
};

/* @text: a path, perhaps with "%s" for the release. */
static const char *path_of(char *path, const struct place *p, const char *text)
{
	const char *at = strstr(text, "%s");

	snprintf(path, MAX_PATH, "%s%.*s%s%s", p->root, (int)(at ? at - text : (long)strlen(text)),
		 text, at ? p->release : "", at ? at + 2 : "");
	return path;
}

static bool is_there(const struct place *p, const char *text)
{
	char path[MAX_PATH];

	return !access(path_of(path, p, text), F_OK);
}

/* ---- configuration ---- */

static const char *const needed[] = {
	"CONFIG_DRM_ACCEL", "CONFIG_DRM_SCHED", "CONFIG_DRM_EXEC", "CONFIG_DRM_GEM_SHMEM_HELPER",
	"CONFIG_MODULES",
};

#define NUM_NEEDED (sizeof(needed) / sizeof(needed[0]))

/* gzopen() also reads uncompressed files. Needed options fit into a line of the buffer. */
static bool read_config(const char *path, bool on[NUM_NEEDED])
{
	gzFile f = gzopen(path, "re");
	bool any = false;
	char line[512];

	if (!f)
		return false;
	memset(on, 0, NUM_NEEDED * sizeof(*on));
	while (gzgets(f, line, sizeof(line)))
		for (size_t i = 0; i < NUM_NEEDED; i++) {
			size_t length = strlen(needed[i]);

			any |= !strncmp(line, "CONFIG_", 7);
			if (!strncmp(line, needed[i], length) && line[length] == '=')
				on[i] = line[length + 1] == 'y' || line[length + 1] == 'm';
		}
	gzclose(f);
	return any;
}

static void probe_config(const struct place *p, struct kernel_facts *f)
{
	static const char *const places[] = {
		"/proc/config.gz",
		"/boot/config-%s",
		"/lib/modules/%s/config",
		"/lib/modules/%s/build/.config",
	};
	bool on[NUM_NEEDED], found = false;
	char path[MAX_PATH];
	size_t at = 0;

	for (size_t i = 0; !found && i < sizeof(places) / sizeof(places[0]); i++)
		found = read_config(path_of(path, p, places[i]), on);
	if (!found)
		return;
	if (f->accel == KERNEL_UNKNOWN) {
		f->accel = on[0] ? KERNEL_YES : KERNEL_NO;
		snprintf(f->by, sizeof(f->by), "%s", path + strlen(p->root));
	}
	/* the first option is reported as f->accel */
	for (size_t i = 1; i < NUM_NEEDED && at < sizeof(f->missing); i++)
		if (!on[i])
			at += (size_t)snprintf(f->missing + at, sizeof(f->missing) - at, "%s%s",
					       at ? " " : "", needed[i]);
}

/* ---- module ---- */

static bool is_module(const char *path)
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	return !strncmp(name, MODULE, strlen(MODULE)) &&
	       (!name[strlen(MODULE)] || name[strlen(MODULE)] == '.');
}

/* A compressed module is not read. */
static enum kernel_answer module_signed(const char *path)
{
	static const char mark[] = "~Module signature appended~\n";
	const size_t length = strlen(path);
	enum kernel_answer answer = KERNEL_UNKNOWN;
	char end[sizeof(mark)] = "";
	FILE *f = length > 3 && !strcmp(path + length - 3, ".ko") ? fopen(path, "re") : NULL;

	if (!f)
		return KERNEL_UNKNOWN;
	if (!fseek(f, 1 - (long)sizeof(mark), SEEK_END) &&
	    fread(end, 1, sizeof(mark) - 1, f) == sizeof(mark) - 1)
		answer = memcmp(end, mark, sizeof(mark) - 1) ? KERNEL_NO : KERNEL_YES;
	fclose(f);
	return answer;
}

/*
 * Lines are "path: needed needed". *@lacks: the first needed module that is missing. *@is_signed:
 * the module itself.
 */
static bool find_in_index(const struct place *p, char *lacks, size_t size,
			  enum kernel_answer *is_signed)
{
	char path[MAX_PATH], line[4096], *word, *rest;
	bool found = false;
	FILE *f = fopen(path_of(path, p, "/lib/modules/%s/modules.dep"), "re");

	*lacks = '\0';
	while (f && !found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		rest = strchr(line, ':');
		if (!rest)
			continue;
		*rest++ = '\0';
		found = is_module(line);
		for (word = found ? line : NULL; word; word = strtok_r(NULL, " ", &rest)) {
			char file[MAX_PATH + sizeof(line)];

			/* depmod writes paths relative to the folder, other tools absolute ones */
			if (word[0] == '/')
				snprintf(file, sizeof(file), "%s%s", p->root, word);
			else
				snprintf(file, sizeof(file), "%.*s%s",
					 (int)(strrchr(path, '/') + 1 - path), path, word);
			if (access(file, F_OK) && !*lacks)
				snprintf(lacks, size, "%.*s", (int)size - 1, word);
			if (word == line)
				*is_signed = module_signed(file);
		}
	}
	if (f)
		fclose(f);
	return found;
}

static bool file_exists(const struct place *p)
{
	static const char *const places[] = {
		"/lib/modules/%s/updates/dkms/" MODULE,
		"/lib/modules/%s/updates/" MODULE,
		"/lib/modules/%s/extra/" MODULE,
		"/lib/modules/%s/kernel/drivers/accel/nnaccel/" MODULE,
	};
	static const char *const endings[] = { "", ".xz", ".zst", ".gz" };
	char text[128];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		for (size_t k = 0; k < sizeof(endings) / sizeof(endings[0]); k++) {
			snprintf(text, sizeof(text), "%s%s", places[i], endings[k]);
			if (is_there(p, text))
				return true;
		}
	return false;
}

static bool find_elsewhere(const struct place *p, char *release, size_t size)
{
	char path[MAX_PATH], lacks[64];
	enum kernel_answer is_signed;
	struct dirent *e;
	bool found = false;
	DIR *dir = opendir(path_of(path, p, "/lib/modules"));

	while (dir && !found && (e = readdir(dir))) {
		struct place other = { p->root, e->d_name };

		if (e->d_name[0] == '.' || !strcmp(e->d_name, p->release) || strlen(e->d_name) > 64)
			continue;
		found = find_in_index(&other, lacks, sizeof(lacks), &is_signed) ||
			file_exists(&other);
		if (found)
			snprintf(release, size, "%s", e->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

static void probe_module(const struct place *p, struct kernel_facts *f)
{
	if (is_there(p, "/sys/module/nnaccel"))
		f->module = KERNEL_MODULE_LOADED;
	else if (find_in_index(p, f->place, sizeof(f->place), &f->is_signed))
		f->module = f->place[0] ? KERNEL_MODULE_INCOMPLETE : KERNEL_MODULE_READY;
	else if (file_exists(p))
		f->module = KERNEL_MODULE_NOT_INDEXED;
	else if (find_elsewhere(p, f->place, sizeof(f->place)))
		f->module = KERNEL_MODULE_ELSEWHERE;
}

/* ---- signatures ---- */

/* The first bytes of a file; false: it cannot be read. */
static bool read_start(const struct place *p, const char *text, char *bytes, size_t size)
{
	char path[MAX_PATH];
	FILE *f = fopen(path_of(path, p, text), "re");
	size_t length;

	if (!f)
		return false;
	length = fread(bytes, 1, size - 1, f);
	bytes[length] = '\0';
	fclose(f);
	return length > 0;
}

/* By parameter, by lockdown, or because the firmware has Secure Boot and lockdown cannot be seen.
 */
static void probe_signatures(const struct place *p, struct kernel_facts *f)
{
	static const char variable[] =
		"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
	char enforced[8] = "", lockdown[64] = "", secure[8] = "";

	read_start(p, "/sys/module/module/parameters/sig_enforce", enforced, sizeof(enforced));
	read_start(p, "/sys/kernel/security/lockdown", lockdown, sizeof(lockdown));
	/* four bytes of attributes, then the value */
	read_start(p, variable, secure, sizeof(secure));
	if (enforced[0] == 'Y' || strstr(lockdown, "[integrity]") ||
	    strstr(lockdown, "[confidentiality]") || (!lockdown[0] && secure[4] == 1))
		f->signed_only = KERNEL_YES;
	else if (enforced[0] == 'N' || strstr(lockdown, "[none]"))
		f->signed_only = KERNEL_NO;
}

void kernel_probe(const char *root, const char *release, struct kernel_facts *f)
{
	struct place p = { root, release };

	memset(f, 0, sizeof(*f));
	f->loads_modules = is_there(&p, "/proc/modules");
	f->headers = is_there(&p, "/lib/modules/%s/build/Makefile");
	if (is_there(&p, "/sys/class/accel")) {
		f->accel = KERNEL_YES;
		snprintf(f->by, sizeof(f->by), "/sys/class/accel");
	} else if (is_there(&p, "/dev/accel")) {
		/* a container that hides /sys */
		f->accel = KERNEL_YES;
		snprintf(f->by, sizeof(f->by), "/dev/accel");
	} else if (is_there(&p, "/sys/class/drm")) {
		f->accel = KERNEL_NO;
		snprintf(f->by, sizeof(f->by), "/sys/class/drm alone");
	}
	probe_config(&p, f);
	probe_module(&p, f);
	probe_signatures(&p, f);
}
