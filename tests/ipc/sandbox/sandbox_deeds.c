// SPDX-License-Identifier: Apache-2.0
#include "sandbox_deeds.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SOCKET 3

/* ---- what it is ---- */

static void show_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(folder))
			printf("fd %s\n", entry->d_name);
	if (folder)
		closedir(folder);
}

static void show_signals(void)
{
	char line[256];
	FILE *status = fopen("/proc/self/status", "re");

	while (status && fgets(line, sizeof(line), status))
		if (!strncmp(line, "SigBlk", 6) || !strncmp(line, "SigIgn", 6) ||
		    !strncmp(line, "Cap", 3) || !strncmp(line, "NoNewPrivs", 10))
			fputs(line, stdout);
	if (status)
		fclose(status);
}

static void show_ids(void)
{
	printf("pid %d\n", (int)getpid());
	printf("ppid %d\n", (int)getppid());
	printf("uid %u\n", getuid());
}

/* ---- how it ends ---- */

static void end_exit(void)
{
	exit(7);
}

static void end_abort(void)
{
	fprintf(stderr, "last words\n");
	abort();
}

static void end_crash(void)
{
	volatile uintptr_t nowhere = 8;

	*(volatile int *)nowhere = 1;
}

/* Until the parent ends it. */
static void end_never(void)
{
	char byte;

	printf("waiting\n");
	while (read(SOCKET, &byte, 1) >= 0 || errno == EINTR)
		pause();
}

static const struct sandbox_deed deeds[] = {
	{ "none", NULL, NULL },
	{ "open-descriptors", show_descriptors, NULL },
	{ "open-signals", show_signals, NULL },
	{ "open-ids", show_ids, NULL },
	{ "open-exit", end_exit, NULL },
	{ "open-abort", end_abort, NULL },
	{ "open-crash", end_crash, NULL },
	{ "open-never", end_never, NULL },
	{ "exit", NULL, end_exit },
	{ "abort", NULL, end_abort },
	{ "crash", NULL, end_crash },
	{ "never", NULL, end_never },
};

const struct sandbox_deed *sandbox_deed_find(const char *name)
{
	for (size_t i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++)
		if (!strcmp(deeds[i].name, name))
			return &deeds[i];
	return NULL;
}
