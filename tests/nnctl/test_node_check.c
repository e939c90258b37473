// SPDX-License-Identifier: Apache-2.0
/*
 * Nodes are checked by opening them: each refusal of the kernel has its own message and remedy.
 * In a child with a /dev of its own; the kernel's answers are the names of the nodes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/nnctl_commands.h"
#include "own_mounts.h"

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);

int __wrap_open64(const char *path, int flags, ...)
{
	errno = !strcmp(path, "/dev/accel/accel1")   ? EACCES
		: !strcmp(path, "/dev/accel/accel2") ? EPERM
		: !strcmp(path, "/dev/accel/accel3") ? ENXIO
						     : 0;
	return errno ? -1 : __real_open64(path, flags, 0600);
}

/* ---- the lines ---- */

static char lines[2048];
static unsigned int bad;

static void add_line(const char *mark, const char *fmt, va_list ap)
{
	const size_t at = strlen(lines);
	const int n = snprintf(lines + at, sizeof(lines) - at, "%s ", mark);

	vsnprintf(lines + at + n, sizeof(lines) - at - (size_t)n, fmt, ap);
	strncat(lines, "\n", sizeof(lines) - strlen(lines) - 1);
}

void say(enum verdict verdict, const char *fmt, ...)
{
	va_list ap;

	bad += verdict == BAD;
	va_start(ap, fmt);
	add_line(verdict == BAD ? "BAD" : "ok", fmt, ap);
	va_end(ap);
}

void advise(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_line("->", fmt, ap);
	va_end(ap);
}

/* ---- cases ---- */

static int make_node(const char *path, mode_t mode)
{
	const int fd = __real_open64(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode);

	return fd < 0 ? -1 : fchmod(fd, mode) || close(fd);
}

static int refusals(void)
{
	int ret = own_mounts();

	if (ret)
		return ret;
	CHECK(!node_check_any());
	CHECK(!mkdir("/dev/accel", 0755) && !node_check_any());
	node_check(1);
	CHECK(bad == 1 && strstr(lines, "there is no node /dev/accel/accelN"));
	for (int i = 0; i < 4; i++) {
		char path[32];

		snprintf(path, sizeof(path), "/dev/accel/accel%d", i);
		CHECK(!make_node(path, 0660));
	}
	CHECK(node_check_any());
	bad = 0;
	lines[0] = '\0';
	node_check(4);
	CHECK(bad == 3);
	CHECK(strstr(lines, "ok /dev/accel/accel0 can be opened\n"));
	CHECK(strstr(lines, "BAD /dev/accel/accel1: no permission (mode 660, group "));
	CHECK(strstr(lines, "-> add your user to the group: usermod -aG "));
	CHECK(strstr(lines, "BAD /dev/accel/accel2: the policy for devices "));
	CHECK(strstr(lines,
		     "-> pass the node as a device, not as a volume: --device /dev/accel/accel2 "));
	CHECK(strstr(lines, "BAD /dev/accel/accel3: No such device or address\n"));
	/* the group is advice for one of them */
	CHECK(strstr(strstr(lines, "usermod") + 1, "usermod") == NULL);
	return 0;
}

TEST(test_refusals)
{
	expect_with_own_mounts(refusals);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_refusals) };

	return cmocka_run_group_tests_name("nnctl-node-check", tests, NULL, NULL);
}
