// SPDX-License-Identifier: Apache-2.0
/* What is wrong with the accelerator's set-up on this machine, and what to do about it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <nnaccel/nnaccel_regs.h>

#include "base/message.h"
#include "commands/commands.h"
#include "commands/kernel_probe.h"
#include "nnutil_number.h"
#include "session/options.h"

enum verdict { GOOD, NOTE, BAD };

static unsigned int problems;

static void say(enum verdict verdict, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(enum verdict verdict, const char *fmt, ...)
{
	static const char *const marks[] = { "ok   ", "note ", "BAD  " };
	va_list ap;

	problems += verdict == BAD;
	fputs(marks[verdict], stdout);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

static void advise(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void advise(const char *fmt, ...)
{
	va_list ap;

	fputs("       -> ", stdout);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

/* First word of a small sysfs file as a number; -1 when there is none. */
static long read_hex(const char *path)
{
	char buf[64] = "";
	FILE *f = fopen(path, "re");
	int64_t value;

	if (!f)
		return -1;
	if (!fgets(buf, sizeof(buf), f))
		buf[0] = '\0';
	fclose(f);
	buf[strcspn(buf, " \n")] = '\0';
	return nnutil_parse_i64(buf, 16, 0, LONG_MAX, &value) ? -1 : (long)value;
}

static void check_kernel(const char *release, const struct kernel_facts *f)
{
	if (f->accel == KERNEL_YES) {
		say(GOOD, "kernel %s has DRM accel (%s)", release, f->by);
	} else if (f->accel == KERNEL_NO) {
		say(BAD, "kernel %s is built without DRM accel: CONFIG_DRM_ACCEL is off in %s",
		    release, f->by);
		advise("boot one that has it; on Debian 12: apt install linux-image-6.12-amd64 "
		       "linux-headers-6.12-amd64");
	} else {
		say(NOTE,
		    "whether kernel %s has DRM accel cannot be seen: no class accel, and no configuration to read",
		    release);
		advise("modprobe drm, then look again; /boot/config-%s would say it, too", release);
	}
	if (f->missing[0]) {
		say(BAD, "the driver needs what kernel %s is built without: %s", release,
		    f->missing);
		advise("boot a kernel that has them, as Debian's do");
	}
}

/* Cards on the bus; *@bound: how many have our driver. */
static unsigned int count_cards(unsigned int *bound)
{
	DIR *dir = opendir("/sys/bus/pci/devices");
	unsigned int cards = 0;
	char path[512], target[512];
	struct dirent *e;
	ssize_t n;

	*bound = 0;
	while (dir && (e = readdir(dir))) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/vendor", e->d_name);
		if (read_hex(path) != 0x1af4)
			continue;
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/device", e->d_name);
		if (read_hex(path) != 0x1110)
			continue;
		cards++;
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver", e->d_name);
		n = readlink(path, target, sizeof(target) - 1);
		if (n < 0)
			continue;
		target[n] = '\0';
		*bound += !strcmp(strrchr(target, '/') ? strrchr(target, '/') + 1 : target,
				  "nnaccel");
	}
	if (dir)
		closedir(dir);
	return cards;
}

static void advise_module(const char *release, const struct kernel_facts *f)
{
	switch (f->module) {
	case KERNEL_MODULE_LOADED:
		break;
	case KERNEL_MODULE_READY:
		advise("modprobe nnaccel; if that fails, dmesg says why");
		break;
	case KERNEL_MODULE_INCOMPLETE:
		advise("it is installed, but %s, which it needs, is not: install the kernel's modules again, then "
		       "depmod -a",
		       f->place);
		break;
	case KERNEL_MODULE_NOT_INDEXED:
		advise("its file is there: depmod -a, then modprobe nnaccel");
		break;
	case KERNEL_MODULE_ELSEWHERE:
		advise("it was built for kernel %s: %s, then modprobe nnaccel", f->place,
		       f->headers
			       ? "dkms autoinstall"
			       : "install the headers of the running one, then dkms autoinstall");
		break;
	case KERNEL_MODULE_NONE:
		if (!f->headers)
			advise("it cannot be built before its headers are there: apt install linux-headers-%s",
			       release);
		advise("make install in the source tree (DKMS), then modprobe nnaccel");
		break;
	}
}

static void check_module(const char *release, const struct kernel_facts *f, unsigned int *bound)
{
	unsigned int cards = count_cards(bound);

	if (!cards) {
		say(NOTE,
		    "no card on the PCI bus (1af4:1110): only the in-process device can be used");
		advise("make run in the source tree boots a virtual machine with an emulated card");
	} else {
		say(GOOD, "%u card%s on the PCI bus", cards, cards == 1 ? "" : "s");
	}
	if (f->module == KERNEL_MODULE_LOADED) {
		say(GOOD, "module nnaccel is loaded");
	} else if (!f->loads_modules) {
		say(cards ? BAD : NOTE,
		    "kernel %s loads no modules: only the in-process device can be used", release);
		return;
	} else if (cards) {
		say(BAD, "module nnaccel is not loaded");
		advise_module(release, f);
		return;
	} else {
		return;
	}
	if (cards && !*bound) {
		say(BAD, "the driver is bound to no card");
		advise("dmesg | grep nnaccel says why; another ivshmem device is left alone on purpose");
	} else if (cards) {
		say(GOOD, "the driver is bound to %u of %u", *bound, cards);
	}
}

static void check_permission(const char *path)
{
	struct stat st;
	struct group *g;

	if (stat(path, &st)) {
		say(BAD, "%s: %s", path, strerror(errno));
		return;
	}
	if (!access(path, R_OK | W_OK)) {
		say(GOOD, "%s can be opened", path);
		return;
	}
	g = getgrgid(st.st_gid);
	say(BAD, "%s: no permission (mode %o, group %s)", path, st.st_mode & 0777,
	    g ? g->gr_name : "?");
	if (st.st_mode & 0060)
		advise("add yourself to the group: usermod -aG %s $USER, then log in again",
		       g ? g->gr_name : "render");
	else
		advise("install the udev rule (make install), then: udevadm trigger -s accel");
}

static unsigned int check_nodes(unsigned int bound)
{
	DIR *dir = opendir("/dev/accel");
	unsigned int nodes = 0;
	char path[300];
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		if (strncmp(e->d_name, "accel", 5))
			continue;
		snprintf(path, sizeof(path), "/dev/accel/%s", e->d_name);
		nodes++;
		check_permission(path);
	}
	if (dir)
		closedir(dir);
	if (bound && !nodes) {
		say(BAD, "the driver is bound but there is no /dev/accel node");
		advise("is devtmpfs mounted on /dev, and udev running?");
	}
	return nodes;
}

static int check_device(void *cookie, const char *spec)
{
	struct nnhal_device_info info = { .size = sizeof(info) };
	struct nnhal_device *dev;
	char message[256] = "";

	(void)cookie;
	if (nnhal_open(spec, &dev, message, sizeof(message))) {
		say(BAD, "%s: %s", spec, message);
		return 0;
	}
	nnhal_device_get_info(dev, &info);
	if (info.contract_version >> 16 != NNACCEL_CONTRACT_MAJOR && info.generation) {
		say(BAD, "%s: firmware speaks contract %u.%u, this library %u.%u", spec,
		    info.contract_version >> 16, info.contract_version & 0xffff,
		    NNACCEL_CONTRACT_MAJOR, NNACCEL_CONTRACT_MINOR);
		advise("update the older of the two: firmware %u.%u.%u", info.fw_version >> 16,
		       info.fw_version >> 8 & 0xff, info.fw_version & 0xff);
	} else if (info.state) {
		static const char *const names[] = { "online", "resetting", "link lost", "failed" };

		say(BAD, "%s: %s", spec,
		    info.state < 4 ? names[info.state] : "in an unknown state");
		advise(info.state == 2 ? "the card is away: is nnaccel-slot running, and its card?"
				       : "dmesg | grep nnaccel says why");
	} else {
		say(GOOD, "%s: %s, firmware %u.%u.%u, contract %u.%u", spec, dev->ops->name(dev),
		    info.fw_version >> 16, info.fw_version >> 8 & 0xff, info.fw_version & 0xff,
		    info.contract_version >> 16, info.contract_version & 0xffff);
	}
	dev->ops->destroy(dev);
	return 0;
}

int cmd_doctor(int argc, char **argv)
{
	struct kernel_facts kernel;
	unsigned int bound = 0;
	struct utsname u;
	struct options o;
	int ret = options_parse(&o, argc, argv, "");

	if (ret)
		return ret;
	if (uname(&u)) {
		complain("uname: %s", strerror(errno));
		return 1;
	}
	kernel_probe("", u.release, &kernel);
	check_kernel(u.release, &kernel);
	check_module(u.release, &kernel, &bound);
	check_nodes(bound);
	nnhal_driver.enumerate(check_device, NULL);
	printf("%u problem%s\n", problems, problems == 1 ? "" : "s");
	return problems ? 1 : 0;
}
