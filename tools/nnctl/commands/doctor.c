// SPDX-License-Identifier: Apache-2.0
/* "nnctl doctor": find faults in the setup of the accelerator, and say what to do. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <nnaccel/nnaccel_regs.h>

#include "base/nnctl_base.h"
#include "commands/nnctl_commands.h"
#include "nnutil_node.h"
#include "nnutil_text.h"
#include "session/nnctl_session.h"

/* First word of a small sysfs file as a hexadecimal number; -1: there is none. */
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

/* Unknown releases are not. */
static bool is_too_old(const char *release)
{
	uint64_t major, minor;

	return !nnutil_scan_u64(&release, 10, 0, UINT32_MAX, &major) && *release++ == '.' &&
	       !nnutil_scan_u64(&release, 10, 0, UINT32_MAX, &minor) &&
	       (major < 6 || (major == 6 && minor < 12));
}

static void check_kernel(const char *release, const struct kernel_facts *f)
{
	if (f->accel == KERNEL_YES) {
		say(GOOD, "kernel %s has DRM accel (%s)", release, f->by);
	} else if (f->accel == KERNEL_NO && is_too_old(release)) {
		say(BAD, "kernel %s has no DRM accel (%s), and the driver needs 6.12 or newer",
		    release, f->by);
		advise("boot a newer one; on Debian 12: apt install linux-image-6.12-amd64 "
		       "linux-headers-6.12-amd64");
	} else if (f->accel == KERNEL_NO) {
		say(NOTE,
		    "kernel %s has no DRM accel (%s): the driver makes render nodes, /dev/dri/renderDN",
		    release, f->by);
	} else {
		say(NOTE,
		    "cannot tell whether kernel %s has DRM accel: no class accel, and no readable configuration",
		    release);
		advise("run modprobe drm, then nnctl doctor again, or look into /boot/config-%s",
		       release);
	}
	if (f->missing[0]) {
		say(BAD, "kernel %s lacks options that the driver needs: %s", release, f->missing);
		advise("boot a kernel that has them; Debian's kernels do");
	}
}

struct bus {
	unsigned int devices; /* all of PCI; 0: the bus cannot be seen */
	unsigned int cards; /* on PCI */
	unsigned int others; /* on the platform bus: of the device tree, or emulated */
	unsigned int bound; /* of both, those that have our driver */
	unsigned int foreign; /* ivshmem devices without an expansion ROM, which are no cards */
};

/* Whether the device tree describes the device in @folder as an accelerator of ours. */
static bool is_npu(const char *folder)
{
	char path[600], names[512];
	bool found = false;
	size_t size;
	FILE *f;

	snprintf(path, sizeof(path), "%s/of_node/compatible", folder);
	f = fopen(path, "re");
	if (!f)
		return false;
	size = fread(names, 1, sizeof(names) - 1, f);
	fclose(f);
	names[size] = '\0';
	for (const char *name = names; name < names + size; name += strlen(name) + 1)
		found |= !strcmp(name, "nnaccel,npu");
	return found;
}

static void look_at_platform(struct bus *bus)
{
	DIR *dir = opendir("/sys/bus/platform/devices");
	char path[512];
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		bool bound;

		snprintf(path, sizeof(path), "/sys/bus/platform/devices/%s", e->d_name);
		bound = nnutil_has_driver(path, "nnaccel");
		bus->others += bound || is_npu(path);
		bus->bound += bound;
	}
	if (dir)
		closedir(dir);
}

static void look_at_bus(struct bus *bus)
{
	DIR *dir = opendir("/sys/bus/pci/devices");
	char path[512];
	struct dirent *e;

	*bus = (struct bus){ 0 };
	while (dir && (e = readdir(dir))) {
		bus->devices += e->d_name[0] != '.';
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/vendor", e->d_name);
		if (read_hex(path) != 0x1af4)
			continue;
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/device", e->d_name);
		if (read_hex(path) != 0x1110)
			continue;
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/rom", e->d_name);
		if (access(path, F_OK)) {
			bus->foreign++;
			continue;
		}
		bus->cards++;
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s", e->d_name);
		bus->bound += nnutil_has_driver(path, "nnaccel");
	}
	if (dir)
		closedir(dir);
	look_at_platform(bus);
}

static void advise_module(const char *release, const struct kernel_facts *f)
{
	switch (f->module) {
	case KERNEL_MODULE_LOADED:
		break;
	case KERNEL_MODULE_READY:
		if (f->signed_only == KERNEL_YES && f->is_signed == KERNEL_NO)
			advise("this kernel loads signed modules only (Secure Boot), and this one has no signature: "
			       "install it again by DKMS 3, which signs it");
		advise("run modprobe nnaccel; if it fails, dmesg shows the reason");
		if (f->signed_only == KERNEL_YES)
			advise("if it reports \"Key was rejected by service\", enroll the key of DKMS: run mokutil "
			       "--import /var/lib/dkms/mok.pub, boot again, and choose Enroll MOK");
		break;
	case KERNEL_MODULE_INCOMPLETE:
		advise("it needs module %s, which is missing: install the modules of the kernel again, then run "
		       "depmod -a",
		       f->place);
		break;
	case KERNEL_MODULE_NOT_INDEXED:
		advise("it is installed but not indexed: run depmod -a, then modprobe nnaccel");
		break;
	case KERNEL_MODULE_ELSEWHERE:
		advise("it was built for kernel %s: run %s, then modprobe nnaccel", f->place,
		       f->headers
			       ? "dkms autoinstall"
			       : "install the headers of the running one, then dkms autoinstall");
		break;
	case KERNEL_MODULE_NONE:
		if (!f->headers)
			advise("building it needs the kernel headers: run apt install linux-headers-%s",
			       release);
		advise("run make install in the source tree (DKMS), then modprobe nnaccel");
		break;
	}
}

static void report_no_card(const struct bus *bus)
{
	if (!bus->devices && node_check_any()) {
		say(NOTE,
		    "no PCI bus can be seen (/sys is hidden, as in a container): cards are judged by their nodes");
		return;
	}
	say(NOTE, "no card on the PCI bus (1af4:1110): only the in-process device can be used");
	advise("to boot a virtual machine with an emulated card, run make run in the source tree; to emulate one on "
	       "this machine, modprobe nnaccel_emu, then nnaccel-emud");
	if (bus->foreign)
		advise("%u ivshmem device%s without an expansion ROM: if that is the card, start QEMU with "
		       "romfile=DIR/card.rom, the file that nnaccel-slot writes",
		       bus->foreign, bus->foreign == 1 ? "" : "s");
}

/* How many cards the driver is bound to. */
static unsigned int check_module(const char *release, const struct kernel_facts *f)
{
	unsigned int cards;
	struct bus bus;

	look_at_bus(&bus);
	cards = bus.cards + bus.others;
	if (!cards)
		report_no_card(&bus);
	if (bus.cards)
		say(GOOD, "%u card%s on the PCI bus", bus.cards, bus.cards == 1 ? "" : "s");
	if (bus.others)
		say(GOOD, "%u accelerator%s on the platform bus", bus.others,
		    bus.others == 1 ? "" : "s");
	if (f->module == KERNEL_MODULE_LOADED) {
		say(GOOD, "module nnaccel is loaded");
	} else if (!f->loads_modules) {
		say(cards ? BAD : NOTE,
		    "kernel %s has no support for modules: only the in-process device can be used",
		    release);
		return bus.bound;
	} else {
		if (cards) {
			say(BAD, "module nnaccel is not loaded");
			advise_module(release, f);
		}
		return bus.bound;
	}
	if (cards && !bus.bound) {
		say(BAD, "the driver is bound to no card");
		advise("dmesg | grep nnaccel shows the reason; an expansion ROM that is not the card's is ignored");
	} else if (cards) {
		say(GOOD, "the driver is bound to %u of %u devices", bus.bound, cards);
	}
	return bus.bound;
}

static void check_calibration(const char *spec)
{
	char remedy[128];

	if (calibrated(spec, NULL, 0) != CALIBRATED_NEVER)
		return;
	say(NOTE, "%s was never calibrated: %s", spec, calibrated_never_means);
	advise("%s", calibrated_remedy(spec, remedy, sizeof(remedy)));
}

static int check_device(void *cookie, const char *spec)
{
	struct nnhal_device_info info = { .size = sizeof(info) };
	struct nnhal_device *dev;
	char message[256] = "";
	int ret;

	(void)cookie;
	ret = nnhal_open(spec, &dev, message, sizeof(message));
	if (ret) {
		/* node_check() has reported what forbids it */
		if (!nnutil_node_kind(spec) || (ret != -EACCES && ret != -EPERM))
			say(BAD, "%s: %s", spec, message);
		return 0;
	}
	nnhal_device_get_info(dev, &info);
	if (info.contract_version >> 16 != NNACCEL_CONTRACT_MAJOR && info.generation) {
		say(BAD, "%s: the firmware has contract version %u.%u, this library %u.%u", spec,
		    info.contract_version >> 16, info.contract_version & 0xffff,
		    NNACCEL_CONTRACT_MAJOR, NNACCEL_CONTRACT_MINOR);
		advise("update the older of the two: firmware %u.%u.%u", info.fw_version >> 16,
		       info.fw_version >> 8 & 0xff, info.fw_version & 0xff);
	} else if (info.state != NNHAL_STATE_ONLINE) {
		static const char *const names[] = { "online", "resetting", "link lost", "failed" };

		say(BAD, "%s: %s", spec,
		    info.state < NNHAL_STATE_UNKNOWN ? names[info.state] : "in an unknown state");
		advise(info.state == NNHAL_STATE_LINK_LOST
			       ? "the card does not answer: check that nnaccel-slot and nnaccel-card run"
			       : "dmesg | grep nnaccel shows the reason");
	} else {
		say(GOOD, "%s: %s%s, firmware %u.%u.%u, contract %u.%u", spec, dev->ops->name(dev),
		    info.node[0] ? ", reached through its node" : ", reached in the process",
		    info.fw_version >> 16, info.fw_version >> 8 & 0xff, info.fw_version & 0xff,
		    info.contract_version >> 16, info.contract_version & 0xffff);
		check_calibration(spec);
	}
	dev->ops->destroy(dev);
	return 0;
}

int cmd_doctor(int argc, char **argv)
{
	struct kernel_facts kernel;
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
	node_check(check_module(u.release, &kernel));
	nnhal_driver.enumerate(check_device, NULL);
	check_worker();
	check_service();
	printf("%u problem%s\n", problems(), problems() == 1 ? "" : "s");
	return problems() ? 1 : 0;
}
