// SPDX-License-Identifier: Apache-2.0
/*
 * calibration-<device>-<firmware>.json. A new file is written and renamed, so that readers see a
 * whole file. Its content only decides where models run, but is checked: another user may have
 * written it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "calibration/nnhal_calibration.h"
#include "nnutil_file.h"

#define FORMAT 1
#define MAX_SIZE 65536u
#define MAX_NS 60e9 /* no execution takes longer */

int nnhal_calibration_path(char *path, size_t size, const char *folder,
			   const struct nnhal_calibration_key *key)
{
	int n = snprintf(path, size, "%s/calibration-%s-%s.json", folder, key->device,
			 key->firmware);

	return n > 0 && (size_t)n < size ? 0 : -ENAMETOOLONG;
}

/* ---- reading ---- */

static int read_file(const char *path, char **text, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	int ret;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		ret = -errno;
	else if (!S_ISREG(st.st_mode) || st.st_mode & (S_IWGRP | S_IWOTH) ||
		 (st.st_uid != 0 && st.st_uid != geteuid()))
		ret = -EPERM;
	else
		ret = nnutil_read_to_end(fd, MAX_SIZE, text, size);
	close(fd);
	return ret;
}

static bool is_text(const cJSON *root, const char *name, const char *want)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, name);

	return cJSON_IsString(item) && !strcmp(item->valuestring, want);
}

static bool is_number(const cJSON *root, const char *name, double want)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, name);

	return cJSON_IsNumber(item) && item->valuedouble == want;
}

static bool get_ns(const cJSON *item, int64_t *ns)
{
	if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) || item->valuedouble < 1 ||
	    item->valuedouble > MAX_NS)
		return false;
	*ns = (int64_t)item->valuedouble;
	return true;
}

static int calibration_file_parse(const cJSON *root, const struct nnhal_calibration_key *key,
				  struct nnhal_calibration *cal)
{
	const cJSON *programs = cJSON_GetObjectItemCaseSensitive(root, "programs");

	if (!is_number(root, "format", FORMAT) || !is_number(root, "opset", key->opset_version) ||
	    !is_text(root, "device", key->device) || !is_text(root, "firmware", key->firmware) ||
	    !is_text(root, "library", key->library) || !is_text(root, "cpu", key->cpu) ||
	    !cJSON_IsObject(programs))
		return -EINVAL;
	memset(cal, 0, sizeof(*cal));
	for (int i = 0; i < NNHAL_CAL_PROGRAMS; i++) {
		const cJSON *item =
			cJSON_GetObjectItemCaseSensitive(programs, nnhal_calibration_name(i));

		/* null: it did not run. A missing program means another version of the library. */
		if (cJSON_IsNull(item))
			continue;
		if (!cJSON_IsObject(item) ||
		    !get_ns(cJSON_GetObjectItemCaseSensitive(item, "device_ns"),
			    &cal->device_ns[i]) ||
		    !get_ns(cJSON_GetObjectItemCaseSensitive(item, "reference_ns"),
			    &cal->reference_ns[i]))
			return -EINVAL;
	}
	return 0;
}

int nnhal_calibration_read(const char *folder, const struct nnhal_calibration_key *key,
			   struct nnhal_calibration *cal)
{
	char path[PATH_MAX], *text;
	size_t size = 0;
	cJSON *root;
	int ret;

	ret = nnhal_calibration_path(path, sizeof(path), folder, key);
	if (ret)
		return ret;
	ret = read_file(path, &text, &size);
	if (ret)
		return ret;
	root = cJSON_ParseWithLength(text, size);
	ret = root ? calibration_file_parse(root, key, cal) : -EINVAL;
	cJSON_Delete(root);
	free(text);
	return ret;
}

/* ---- writing ---- */

static bool add_program(cJSON *programs, const struct nnhal_calibration *cal, int i)
{
	cJSON *item;

	if (!cal->device_ns[i] || !cal->reference_ns[i])
		return cJSON_AddNullToObject(programs, nnhal_calibration_name(i));
	item = cJSON_AddObjectToObject(programs, nnhal_calibration_name(i));
	return item && cJSON_AddNumberToObject(item, "device_ns", (double)cal->device_ns[i]) &&
	       cJSON_AddNumberToObject(item, "reference_ns", (double)cal->reference_ns[i]);
}

static char *calibration_file_print(const struct nnhal_calibration_key *key,
				    const struct nnhal_calibration *cal)
{
	cJSON *root = cJSON_CreateObject(), *programs = NULL;
	char *text = NULL;
	bool ok;

	ok = root && cJSON_AddNumberToObject(root, "format", FORMAT) &&
	     cJSON_AddStringToObject(root, "device", key->device) &&
	     cJSON_AddStringToObject(root, "firmware", key->firmware) &&
	     cJSON_AddStringToObject(root, "library", key->library) &&
	     cJSON_AddStringToObject(root, "cpu", key->cpu) &&
	     cJSON_AddNumberToObject(root, "opset", key->opset_version) &&
	     cJSON_AddStringToObject(root, "reference", NNHAL_REFERENCE_SPEC);
	if (ok)
		programs = cJSON_AddObjectToObject(root, "programs");
	ok = ok && programs;
	for (int i = 0; ok && i < NNHAL_CAL_PROGRAMS; i++)
		ok = add_program(programs, cal, i);
	if (ok)
		text = cJSON_Print(root);
	cJSON_Delete(root);
	return text;
}

static int write_file(int fd, const char *text)
{
	int ret = nnutil_write_all(fd, text, strlen(text));

	if (ret)
		return ret;
	return fchmod(fd, 0644) || fsync(fd) ? -errno : 0;
}

int nnhal_calibration_write(const char *folder, const struct nnhal_calibration_key *key,
			    const struct nnhal_calibration *cal)
{
	char path[PATH_MAX], new[PATH_MAX];
	char *text;
	int fd, ret;

	ret = nnhal_calibration_path(path, sizeof(path), folder, key);
	if (!ret &&
	    snprintf(new, sizeof(new), "%s/.calibration-XXXXXX", folder) >= (int)sizeof(new))
		ret = -ENAMETOOLONG;
	if (ret)
		return ret;
	text = calibration_file_print(key, cal);
	if (!text)
		return -ENOMEM;
	fd = mkostemp(new, O_CLOEXEC);
	if (fd < 0) {
		ret = -errno;
	} else {
		ret = write_file(fd, text);
		close(fd);
		if (!ret && rename(new, path))
			ret = -errno;
		if (ret)
			unlink(new);
	}
	free(text);
	return ret;
}
