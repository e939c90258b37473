// SPDX-License-Identifier: Apache-2.0
/* The kernel is judged by its configuration and files, not by its version, on copies of file trees.
 */
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "commands/nnctl_commands.h"
#include "temp.h"
#include "test_case.h"

#define OLD "5.4.0-vendor"
#define NEW "6.18.0"

static const char good_config[] = "CONFIG_DRM_ACCEL=y\nCONFIG_DRM_SCHED=m\nCONFIG_DRM_EXEC=m\n"
				  "CONFIG_DRM_GEM_SHMEM_HELPER=m\nCONFIG_MODULES=y\n";

/* Write a file below the folder, and create its folders. */
static void make(const char *name, const char *text)
{
	const char *path = temp_path("%s", name + 1);

	temp_make_folders(path);
	if (path[strlen(path) - 1] != '/')
		temp_write_text(path, text);
}

static struct kernel_facts probe(const char *release)
{
	struct kernel_facts f;

	kernel_probe(temp_folder(), release, &f);
	return f;
}

/* The version does not matter: an old kernel with the class is good, a new one without has no accel
 * nodes. */
TEST(class_decides)
{
	make("/sys/class/drm/", "");
	assert_int_equal(probe(NEW).accel, KERNEL_NO);
	assert_string_equal(probe(NEW).by, "/sys/class/drm alone");
	make("/sys/class/accel/", "");
	assert_int_equal(probe(OLD).accel, KERNEL_YES);
	assert_string_equal(probe(OLD).by, "/sys/class/accel");
}

/* A container that hides /sys has the nodes. */
TEST(nodes_decide)
{
	make("/dev/accel/", "");
	make("/boot/config-" NEW, "# CONFIG_DRM_ACCEL is not set\n");
	assert_int_equal(probe(NEW).accel, KERNEL_YES);
	assert_string_equal(probe(NEW).by, "/dev/accel");
}

TEST(nothing_is_known)
{
	struct kernel_facts f = probe(NEW);

	assert_int_equal(f.accel, KERNEL_UNKNOWN);
	assert_string_equal(f.missing, "");
	assert_int_equal(f.module, KERNEL_MODULE_NONE);
	assert_false(f.loads_modules);
	assert_false(f.headers);
}

TEST(configuration_decides)
{
	struct kernel_facts f;

	make("/boot/config-" OLD, good_config);
	f = probe(OLD);
	assert_int_equal(f.accel, KERNEL_YES);
	assert_string_equal(f.by, "/boot/config-" OLD);
	assert_string_equal(f.missing, "");
	/* the configuration of another kernel is not used */
	assert_int_equal(probe(NEW).accel, KERNEL_UNKNOWN);
	make("/boot/config-" NEW,
	     "CONFIG_DRM=m\n# CONFIG_DRM_ACCEL is not set\nCONFIG_DRM_SCHED=m\nCONFIG_MODULES=y\n");
	f = probe(NEW);
	assert_int_equal(f.accel, KERNEL_NO);
	assert_string_equal(f.missing, "CONFIG_DRM_EXEC CONFIG_DRM_GEM_SHMEM_HELPER");
}

/* Whether a module needs a signature, and has one. */
TEST(signatures)
{
	static const char variable[] =
		"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
	static const char file[] = "/lib/modules/" NEW "/updates/dkms/nnaccel.ko";
	const uint8_t secure[] = { 6, 0, 0, 0, 1 };

	assert_int_equal(probe(NEW).signed_only, KERNEL_UNKNOWN);
	make("/sys/module/module/parameters/sig_enforce", "N\n");
	assert_int_equal(probe(NEW).signed_only, KERNEL_NO);
	/* only where lockdown cannot be seen the firmware's state decides */
	make(variable, "");
	temp_write(temp_path("%s", variable + 1), secure, sizeof(secure));
	assert_int_equal(probe(NEW).signed_only, KERNEL_YES);
	make("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	assert_int_equal(probe(NEW).signed_only, KERNEL_NO);
	make("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	assert_int_equal(probe(NEW).signed_only, KERNEL_YES);

	make("/lib/modules/" NEW "/modules.dep", "updates/dkms/nnaccel.ko:\n");
	make(file, "a module, and nothing behind it, long enough");
	assert_int_equal(probe(NEW).module, KERNEL_MODULE_READY);
	assert_int_equal(probe(NEW).is_signed, KERNEL_NO);
	make(file, "a module~Module signature appended~\n");
	assert_int_equal(probe(NEW).is_signed, KERNEL_YES);
	make(file, "short");
	assert_int_equal(probe(NEW).is_signed, KERNEL_UNKNOWN);
}

TEST(compressed_configuration)
{
	gzFile f;

	make("/proc/", "");
	f = gzopen(temp_path("proc/config.gz"), "w");
	gzputs(f, good_config);
	gzclose(f);
	assert_int_equal(probe(OLD).accel, KERNEL_YES);
}

/* The class is there: the configuration only adds options that are missing. */
TEST(both)
{
	struct kernel_facts f;

	make("/sys/class/accel/", "");
	make("/boot/config-" NEW,
	     "CONFIG_DRM_ACCEL=y\nCONFIG_DRM_EXEC=y\nCONFIG_DRM_GEM_SHMEM_HELPER=y\nCONFIG_MODULES=y\n");
	f = probe(NEW);
	assert_int_equal(f.accel, KERNEL_YES);
	assert_string_equal(f.missing, "CONFIG_DRM_SCHED");
}

#define MODULES(release) "/lib/modules/" release "/"

TEST(module_states)
{
	struct kernel_facts f;

	make("/proc/modules", "");
	make(MODULES(NEW) "build/Makefile", "");
	f = probe(NEW);
	assert_true(f.loads_modules);
	assert_true(f.headers);
	assert_int_equal(f.module, KERNEL_MODULE_NONE);

	make(MODULES(OLD) "updates/dkms/nnaccel.ko.xz", "");
	f = probe(NEW);
	assert_int_equal(f.module, KERNEL_MODULE_ELSEWHERE);
	assert_string_equal(f.place, OLD);

	make(MODULES(NEW) "updates/dkms/nnaccel.ko", "");
	assert_int_equal(probe(NEW).module, KERNEL_MODULE_NOT_INDEXED);

	make(MODULES(NEW) "modules.dep",
	     "kernel/a/nnaccelerate.ko:\nupdates/dkms/nnaccel.ko: kernel/drm/drm.ko kernel/b.ko\n");
	make(MODULES(NEW) "kernel/b.ko", "");
	f = probe(NEW);
	assert_int_equal(f.module, KERNEL_MODULE_INCOMPLETE);
	assert_string_equal(f.place, "kernel/drm/drm.ko");

	make(MODULES(NEW) "kernel/drm/drm.ko", "");
	assert_int_equal(probe(NEW).module, KERNEL_MODULE_READY);

	make("/sys/module/nnaccel/", "");
	assert_int_equal(probe(NEW).module, KERNEL_MODULE_LOADED);
}

#define CASE(name) cmocka_unit_test_teardown(name, temp_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(class_decides),
		CASE(nodes_decide),
		CASE(nothing_is_known),
		CASE(configuration_decides),
		CASE(compressed_configuration),
		CASE(both),
		CASE(module_states),
		CASE(signatures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
