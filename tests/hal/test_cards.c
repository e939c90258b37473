// SPDX-License-Identifier: Apache-2.0
/*
 * Cards in a container: nodes that sysfs does not show are found by opening them, and a refusal
 * says which one it was. In a child with /dev and /sys of its own; a node is a file with the name
 * of its driver.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xf86drm.h>

#include "nnhal.h"
#include "own_mounts.h"
#include "test_case.h"

/* ---- the driver ---- */

drmVersionPtr __wrap_drmGetVersion(int fd);
void __wrap_drmFreeVersion(drmVersionPtr v);
int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);

drmVersionPtr __wrap_drmGetVersion(int fd)
{
	static char name[32];
	static struct _drmVersion version = { .version_major = 1, .name = name };
	ssize_t n = read(fd, name, sizeof(name) - 1);

	if (n <= 0)
		return NULL;
	name[n] = '\0';
	return &version;
}

void __wrap_drmFreeVersion(drmVersionPtr v)
{
	(void)v;
}

/* What the kernel says of a node whose driver the file names: a child of root may open any file. */
int __wrap_open64(const char *path, int flags, ...)
{
	char name[32] = "";
	int fd;

	if (!strncmp(path, "/dev/accel/", 11) || !strncmp(path, "/dev/dri/", 9)) {
		fd = __real_open64(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return -1;
		errno = read(fd, name, sizeof(name) - 1) < 0 ? EIO
			: !strcmp(name, "not of the group")  ? EACCES
			: !strcmp(name, "not of cgroup")     ? EPERM
			: !strcmp(name, "without device")    ? ENXIO
							     : 0;
		close(fd);
		if (errno)
			return -1;
	}
	return __real_open64(path, flags, 0600);
}

/* ---- the machine ---- */

static int write_node(const char *name, const char *driver)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = __real_open64(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, driver, strlen(driver)) != (ssize_t)strlen(driver))
		return -1;
	return close(fd);
}

/* 0, or an exit status. */
static int make_machine(void)
{
	int ret = own_mounts();

	if (ret)
		return ret;
	CHECK(!mkdir("/dev/accel", 0755) && !mkdir("/dev/dri", 0755));
	CHECK(!write_node("accel/accel10", "nnaccel") && !write_node("accel/accel0", "nnaccel"));
	CHECK(!write_node("accel/accel1", "another"));
	CHECK(!write_node("accel/accel2", "not of the group"));
	CHECK(!write_node("accel/accel3", "not of cgroup"));
	CHECK(!write_node("accel/accel4", "without device"));
	CHECK(!write_node("accel/accel5", ""));
	CHECK(!write_node("accel/accelerator", "nnaccel") && !write_node("accel/accel", "nnaccel"));
	/* of a kernel without accel nodes, beside those of graphics cards */
	CHECK(!write_node("dri/renderD128", "another"));
	CHECK(!write_node("dri/renderD129", "nnaccel") && !write_node("dri/card1", "nnaccel"));
	CHECK(!write_node("dri/renderD130", "not of the group"));
	return 0;
}

static int add_spec(void *cookie, const char *spec)
{
	char *list = cookie;

	snprintf(list + strlen(list), 128 - strlen(list), "%s ", spec);
	return 0;
}

static int stop(void *cookie, const char *spec)
{
	add_spec(cookie, spec);
	return 7;
}

/* ---- cases ---- */

static int hidden_nodes(void)
{
	char list[128] = "", one[128] = "";
	int ret = make_machine();

	if (ret)
		return ret;
	CHECK(!nnhal_driver.enumerate(add_spec, list));
	CHECK(!strcmp(list, "accel0 accel2 accel3 accel10 renderD129 cpu "));
	CHECK(nnhal_driver.enumerate(stop, one) == 7);
	CHECK(!strcmp(one, "accel0 "));
	return 0;
}

/* A node that sysfs shows is udev's to judge. */
static int shown_nodes(void)
{
	char list[128] = "";
	int ret = make_machine();

	if (ret)
		return ret;
	CHECK(!mkdir("/sys/class", 0755) && !mkdir("/sys/class/accel", 0755));
	CHECK(!mkdir("/sys/class/accel/accel0", 0755) && !mkdir("/sys/class/accel/accel3", 0755));
	CHECK(!mkdir("/sys/class/drm", 0755) && !mkdir("/sys/class/drm/renderD129", 0755));
	CHECK(!nnhal_driver.enumerate(add_spec, list));
	CHECK(!strcmp(list, "accel2 accel10 cpu "));
	return 0;
}

static int refusals(void)
{
	struct nnhal_device *dev;
	char message[256];
	int ret = make_machine();

	if (ret)
		return ret;
	CHECK(nnhal_open("accel2", &dev, message, sizeof(message)) == -EACCES);
	CHECK(strstr(message, "/dev/accel/accel2") && strstr(message, "group"));
	CHECK(nnhal_open("accel3", &dev, message, sizeof(message)) == -EPERM);
	CHECK(strstr(message, "--device /dev/accel/accel3") && !strstr(message, "group"));
	CHECK(nnhal_open("accel1", &dev, message, sizeof(message)) == -ENODEV);
	CHECK(strstr(message, "another driver"));
	CHECK(nnhal_open("renderD130", &dev, message, sizeof(message)) == -EACCES);
	CHECK(strstr(message, "/dev/dri/renderD130") && strstr(message, "group"));
	CHECK(nnhal_open("renderD128", &dev, message, sizeof(message)) == -ENODEV);
	return 0;
}

TEST(test_hidden_nodes)
{
	expect_with_own_mounts(hidden_nodes);
}

TEST(test_shown_nodes)
{
	expect_with_own_mounts(shown_nodes);
}

TEST(test_refusals)
{
	expect_with_own_mounts(refusals);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hidden_nodes),
		cmocka_unit_test(test_shown_nodes),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests_name("hal-cards", tests, NULL, NULL);
}
