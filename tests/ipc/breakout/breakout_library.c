// SPDX-License-Identifier: Apache-2.0
/*
 * A vendor library that breaks out: libnnhal's device, which breaks out in a request for memory.
 * The specification names the attempt: a name of breakout_calls.h, or one of those below; "none" is
 * an honest device. With NNHAL_TEST_HOME, a folder, its constructor tries what breakout_home.h has.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "breakout_calls.h"
#include "breakout_home.h"
#include "nnhal.h"

static char deed[64];
static int (*honest_memory)(struct nnhal_device *dev, uint64_t size, int *fd);
static pthread_t late;
static int wake[2];

/* ---- what is no single call ---- */

static void write_past_pool(void)
{
	volatile char *pool =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap((char *)pool + 4096, 4096);
	for (size_t i = 0;; i++)
		pool[i] = 1;
}

static void take_descriptors(void)
{
	while (memfd_create("x", MFD_CLOEXEC) >= 0)
		;
	/* the next one is the client's memory, for which there is no room */
}

static void wake_thread(void)
{
	if (write(wake[1], "", 1) == 1)
		pthread_join(late, NULL);
}

static void crash(void)
{
	fprintf(stderr, "assertion of a vendor\n");
	abort();
}

static const struct {
	const char *name;
	void (*run)(void);
} deeds[] = {
	{ "past-pool", write_past_pool },
	{ "descriptors", take_descriptors },
	{ "late-thread", wake_thread },
	{ "abort", crash },
};

static int create_memory(struct nnhal_device *dev, uint64_t size, int *fd)
{
	if (!strcmp(deed, "none"))
		return honest_memory(dev, size, fd);
	for (size_t i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++) {
		if (strcmp(deeds[i].name, deed))
			continue;
		deeds[i].run();
		return honest_memory(dev, size, fd);
	}
	fprintf(stderr, "broke out: %ld\n", breakout_call(deed));
	return -EILSEQ;
}

/* ---- when it is loaded ---- */

__attribute__((constructor)) static void attack(void)
{
	const char *home = getenv("NNHAL_TEST_HOME");

	if (home)
		breakout_home(home);
}

/* ---- the library ---- */

/* From the time when the door was open. */
static void *open_late(void *cookie)
{
	char byte;

	(void)cookie;
	if (read(wake[0], &byte, 1) == 1)
		fprintf(stderr, "broke out: %ld\n", breakout_call("openat"));
	return NULL;
}

static int enumerate(int (*found)(void *cookie, const char *spec), void *cookie)
{
	return found(cookie, "none");
}

static int open_device(const char *spec, struct nnhal_device **dev, char *message, size_t size)
{
	static struct nnhal_device_ops ops;
	int ret = nnhal_open("cpu", dev, message, size);

	if (ret)
		return ret;
	snprintf(deed, sizeof(deed), "%s", spec ? spec : "none");
	if (!strcmp(deed, "folder") && open("/usr/lib", O_RDONLY | O_DIRECTORY | O_CLOEXEC) < 0)
		abort();
	if (pipe2(wake, O_CLOEXEC) || pthread_create(&late, NULL, open_late, NULL))
		abort();
	memcpy(&ops, (*dev)->ops, sizeof(ops));
	honest_memory = ops.create_memory;
	ops.create_memory = create_memory;
	(*dev)->ops = &ops;
	return 0;
}

__attribute__((visibility("default"))) const struct nnhal_driver nnhal_driver = {
	.abi_version = NNHAL_ABI_VERSION,
	.size = sizeof(nnhal_driver),
	.name = "breakout",
	.enumerate = enumerate,
	.open = open_device,
};
