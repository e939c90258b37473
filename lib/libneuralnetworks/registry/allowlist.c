// SPDX-License-Identifier: Apache-2.0
/*
 * Which processes may use vendor extensions (Documentation/allowlist.rst). It guards against
 * accident, not malice: it is a decision of a library inside the process that it is about.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nnutil_log.h"

#include "base/nnr_base.h"
#include "registry/nnr_registry.h"

#define MAX_FILE (1024u * 1024)
#define BLANKS " \t"
#define PRODUCT "/product"
#define TEST_BINARIES "/data/nativetest"
#define TEST_PREFIX "/tmp/NeuralNetworksTest_"
/* The compatibility tests of NNAPI are always listed. */
#define TEST_SUITE "/tmp/CTSNNAPITestCases"
#define DELETED " (deleted)"
#define FLATPAK_INFO "/.flatpak-info"

/* ---- the decision ---- */

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static bool is_folder(const char *folder, size_t length, const char *name)
{
	return length == strlen(name) && !memcmp(folder, name, length);
}

static bool in_partition(const char *binary, const struct nnr_allowlist *list)
{
	const char *folder = list->partitions;
	size_t length;

	for (length = nnr_list_next(&folder, 0, BLANKS); length;
	     length = nnr_list_next(&folder, length, BLANKS)) {
		if (!nnr_partition_permitted(folder, length))
			continue;
		if (is_folder(folder, length, PRODUCT) && !list->product_enabled)
			continue;
		if (!strncmp(binary, folder, length) && binary[length] == '/')
			return true;
	}
	return false;
}

static bool allowlist_listed(const char *name, const struct nnr_allowlist *list)
{
	for (uint32_t i = 0; name && i < list->num_entries; i++)
		if (!strcmp(list->entries[i], name))
			return true;
	return false;
}

static bool allowlist_answer(bool allowed, const char *reason, const char **why)
{
	if (why)
		*why = reason;
	return allowed;
}

static bool decide_binary(const struct nnr_identity *who, const struct nnr_allowlist *list,
			  const char **why)
{
	if (list->unlisted_allowed)
		return allowlist_answer(true, "binaries of its partition need not be listed", why);
	if (list->debuggable &&
	    (starts_with(who->binary, TEST_BINARIES) || starts_with(who->binary, TEST_PREFIX)))
		return allowlist_answer(true, "it is a test of the system", why);
	if (allowlist_listed(who->binary, list))
		return allowlist_answer(true, "its binary is listed", why);
	return allowlist_answer(false, "its binary is not listed", why);
}

static bool decide_application(const struct nnr_identity *who, const struct nnr_allowlist *list,
			       const char **why)
{
	if (who->system_app && !who->on_vendor_image &&
	    !(who->on_product_image && list->product_enabled))
		return allowlist_answer(false, "it is an application of the system", why);
	if (list->unlisted_allowed)
		return allowlist_answer(true, "applications need not be listed", why);
	if (allowlist_listed(who->application, list))
		return allowlist_answer(true, "the application is listed", why);
	return allowlist_answer(false, "the application is not listed", why);
}

bool nnr_allowlist_decide(const struct nnr_identity *who, const struct nnr_allowlist *list,
			  const char **why)
{
	if (in_partition(who->binary, list))
		return decide_binary(who, list, why);
	if (!strcmp(who->binary, NNR_APP_PROCESS64) || !strcmp(who->binary, NNR_APP_PROCESS32))
		return decide_application(who, list, why);
	return allowlist_answer(false, "its binary is in no partition that may use extensions",
				why);
}

/* ---- lists ---- */

static int add_entry(const char *entry, const char ***entries, uint32_t *num_entries)
{
	const char **list = realloc(*entries, (*num_entries + 1) * sizeof(*list));
	char *copy;

	if (!list)
		return -ENOMEM;
	*entries = list;
	copy = strdup(entry);
	if (!copy)
		return -ENOMEM;
	list[(*num_entries)++] = copy;
	return 0;
}

int nnr_allowlist_parse(const char *file, char *text, size_t size, const char ***entries,
			uint32_t *num_entries)
{
	char *position = text, *line;
	unsigned int number = 0;
	bool zero;

	while ((line = nnr_next_line(&position, text + size, &zero)) != NULL) {
		number++;
		if (zero || (line[0] != '/' && !strchr(line, '.')))
			nnutil_log(
				NNUTIL_LOG_ERROR,
				"%s:%u: \"%.64s\" ignored: not a path, and not the name of an application",
				file, number, line);
		else if (add_entry(line, entries, num_entries))
			return -ENOMEM;
	}
	return 0;
}

/* Append the entries of a file. False: the file does not exist. */
static bool read_list(const char *file, const char ***entries, uint32_t *num_entries)
{
	char *text = NULL;
	size_t size;
	int ret = nnr_read_text(file, MAX_FILE, &text, &size);

	if (ret == -ENOENT || ret == -ENOTDIR)
		return false;
	if (!ret)
		ret = nnr_allowlist_parse(file, text, size, entries, num_entries);
	if (ret)
		nnutil_log(NNUTIL_LOG_ERROR,
			   "cannot read the allowlist %s: %s: its entries are ignored", file,
			   strerror(-ret));
	free(text);
	return true;
}

static bool read_lists(const char ***entries, uint32_t *num_entries)
{
	const char *item = nnr_settings()->allowlist;
	bool any = false;
	char file[PATH_MAX];
	size_t length;

	for (length = nnr_list_next(&item, 0, ":"); length;
	     length = nnr_list_next(&item, length, ":")) {
		if (length >= sizeof(file))
			continue;
		memcpy(file, item, length);
		file[length] = '\0';
		any |= read_list(file, entries, num_entries);
	}
	if (any)
		add_entry(TEST_SUITE, entries, num_entries);
	return any;
}

/* ---- this process ---- */

/* The path of the program, also if the file was replaced since. "": unknown. */
static void own_binary(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size);
	struct stat st;

	if (n < 0 || (size_t)n >= size)
		n = 0;
	path[n] = '\0';
	if ((size_t)n > strlen(DELETED) && !strcmp(path + n - strlen(DELETED), DELETED) &&
	    !stat("/proc/self/exe", &st) && !st.st_nlink)
		path[(size_t)n - strlen(DELETED)] = '\0';
}

/* The name of this process as an installed application (Flatpak). False: it is not one. */
static bool own_application(char *name, size_t size)
{
	char *text = NULL, *position, *line;
	bool section = false, zero;
	size_t length = 0;

	name[0] = '\0';
	if (nnr_read_text(FLATPAK_INFO, MAX_FILE, &text, &length))
		return false;
	position = text;
	while ((line = nnr_next_line(&position, text + length, &zero)) != NULL) {
		if (line[0] == '[')
			section = !strcmp(line, "[Application]");
		else if (section && starts_with(line, "name=") && strlen(line + 5) < size)
			strcpy(name, line + 5);
	}
	free(text);
	return name[0];
}

static bool allowed;
static pthread_once_t allowed_once = PTHREAD_ONCE_INIT;

static void decide_for_this_process(void)
{
	char binary[PATH_MAX], application[256];
	struct nnr_identity who = { .binary = binary };
	struct nnr_allowlist list = { .partitions = nnr_settings()->partitions,
				      .product_enabled = true };
	const char **entries = NULL, *why;
	uint32_t num_entries = 0;

	if (!read_lists(&entries, &num_entries)) {
		allowed = true;
		return;
	}
	list.entries = entries;
	list.num_entries = num_entries;
	if (own_application(application, sizeof(application))) {
		who.application = application;
		who.binary = NNR_APP_PROCESS64;
	} else {
		own_binary(binary, sizeof(binary));
	}
	allowed = nnr_allowlist_decide(&who, &list, &why);
	nnutil_log(allowed ? NNUTIL_LOG_INFO : NNUTIL_LOG_ERROR,
		   "vendor extensions are %s for %s: %s (allowlist %s)",
		   allowed ? "allowed" : "denied", who.application ? who.application : binary, why,
		   nnr_settings()->allowlist);
	for (uint32_t i = 0; i < num_entries; i++)
		free((char *)entries[i]);
	free(entries);
}

bool nnr_extensions_allowed(void)
{
	pthread_once(&allowed_once, decide_for_this_process);
	return allowed;
}
