// SPDX-License-Identifier: Apache-2.0
#include "temp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test_case.h"

/* Sockets are in the folder, and a socket's path has at most 107 characters. */
#define LONGEST_PARENT 40

static struct {
	pthread_mutex_t lock;
	pid_t owner;
	char folder[64];
	char **paths;
	size_t num_paths;
} temp = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void temp_at_exit(void)
{
	if (temp.owner == getpid())
		temp_remove();
}

static bool temp_make(void)
{
	const char *parent = getenv("TMPDIR");
	const bool registered = temp.owner == getpid();

	if (!parent || parent[0] != '/' || strlen(parent) > LONGEST_PARENT)
		parent = "/tmp";
	snprintf(temp.folder, sizeof(temp.folder), "%s/nn-test-XXXXXX", parent);
	if (!mkdtemp(temp.folder)) {
		temp.folder[0] = '\0';
		return false;
	}
	temp.owner = getpid();
	return registered || !atexit(temp_at_exit);
}

const char *temp_folder(void)
{
	bool is_there;

	pthread_mutex_lock(&temp.lock);
	is_there = temp.folder[0] || temp_make();
	pthread_mutex_unlock(&temp.lock);
	assert_true(is_there);
	return temp.folder;
}

/* The kept path that is the same as @path, which is malloc'ed, or @path. */
static const char *temp_keep(char *path)
{
	size_t i = 0;

	pthread_mutex_lock(&temp.lock);
	while (i < temp.num_paths && strcmp(temp.paths[i], path))
		i++;
	if (i < temp.num_paths) {
		free(path);
	} else {
		temp.paths = realloc(temp.paths, (i + 1) * sizeof(*temp.paths));
		if (!temp.paths)
			abort();
		temp.paths[temp.num_paths++] = path;
	}
	path = temp.paths[i];
	pthread_mutex_unlock(&temp.lock);
	return path;
}

const char *temp_path(const char *format, ...)
{
	char *name, *path;
	va_list args;

	va_start(args, format);
	assert_true(vasprintf(&name, format, args) >= 0);
	va_end(args);
	assert_true(asprintf(&path, "%s/%s", temp_folder(), name) >= 0);
	free(name);
	return temp_keep(path);
}

const char *temp_folder_new(void)
{
	char *path;

	assert_true(asprintf(&path, "%s/XXXXXX", temp_folder()) >= 0);
	assert_non_null(mkdtemp(path));
	return temp_keep(path);
}

int temp_file(size_t size)
{
	char path[sizeof(temp.folder) + 8];
	int fd;

	snprintf(path, sizeof(path), "%s/XXXXXX", temp_folder());
	fd = mkostemp(path, O_CLOEXEC);
	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

unsigned int temp_count(const char *pattern, const char **one)
{
	DIR *dir = opendir(temp_folder());
	const struct dirent *entry;
	unsigned int count = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (fnmatch(pattern, entry->d_name, FNM_PERIOD))
			continue;
		count++;
		if (one)
			*one = temp_path("%s", entry->d_name);
	}
	closedir(dir);
	return count;
}

void temp_remove(void)
{
	pthread_mutex_lock(&temp.lock);
	if (temp.folder[0])
		temp_remove_path(temp.folder);
	temp.folder[0] = '\0';
	while (temp.num_paths)
		free(temp.paths[--temp.num_paths]);
	free(temp.paths);
	temp.paths = NULL;
	pthread_mutex_unlock(&temp.lock);
}

int temp_teardown(__attribute__((unused)) void **state)
{
	temp_remove();
	return 0;
}

static int temp_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void temp_remove_path(const char *path)
{
	if (nftw(path, temp_remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) && errno != ENOENT)
		fprintf(stderr, "%s is left: %s\n", path, strerror(errno));
}

void temp_make_folders(const char *path)
{
	char *part = strdup(path);

	assert_non_null(part);
	for (char *end = part; (end = strchr(end + 1, '/')); *end = '/') {
		*end = '\0';
		if (mkdir(part, 0755))
			assert_int_equal(errno, EEXIST);
	}
	free(part);
}

void temp_write(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "we");

	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

void temp_write_text(const char *path, const char *text)
{
	temp_write(path, text, strlen(text));
}

char *temp_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	char *bytes = NULL;
	size_t length = 0, room = 0;

	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	do {
		if (room < length + 4096) {
			room = 2 * room + 4096;
			bytes = realloc(bytes, room + 1);
			assert_non_null(bytes);
		}
		length += fread(bytes + length, 1, room - length, file);
	} while (!feof(file) && !ferror(file));
	assert_false(ferror(file));
	fclose(file);
	/* no more, so that a sanitizer sees a read behind it */
	bytes = realloc(bytes, length + 1);
	assert_non_null(bytes);
	bytes[length] = '\0';
	if (size)
		*size = length;
	return bytes;
}
