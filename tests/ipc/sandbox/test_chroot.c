// SPDX-License-Identifier: Apache-2.0
/*
 * A host in a chroot whose root is no mount point, as builders of packages have it, and whose
 * mounts are shared: a worker's mounts would come out in the host's namespace. There is none of
 * them, and no layer that needs them.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "child.h"
#include "sandbox_run.h"
#include "skip.h"
#include "temp.h"

/* An exit status that is no line of this file. */
#define NO_MOUNTS 250

static char root[64];

static int folder_make(const char *path, char *made, size_t size)
{
	if ((size_t)snprintf(made, size, "%s%s", root, path) >= size)
		return -1;
	for (char *at = made + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(made, 0755);
		*at = '/';
	}
	return mkdir(made, 0755);
}

static int bind(const char *path)
{
	char made[256];

	if (access(path, F_OK))
		return 0;
	return folder_make(path, made, sizeof(made)) ||
	       mount(path, made, NULL, MS_BIND | MS_REC, NULL);
}

/* Programs, and what the test was built from; /tmp is a plain folder. */
static int enter_chroot(void)
{
	static const char *const places[] = { "/usr", "/lib", "/lib64", "/bin",
					      "/etc", "/dev", "/sys",	"/proc" };
	char folder[256];

	snprintf(folder, sizeof(folder), "%.*s",
		 (int)(strrchr(subject_program, '/') - subject_program), subject_program);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (bind(places[i]))
			return -1;
	/* the build may be below /tmp */
	if (bind(folder) || (folder_make("/tmp", folder, sizeof(folder)) && errno != EEXIST))
		return -1;
	return chroot(root) || chdir("/");
}

static int check_chroot(void)
{
	static struct subject s;
	unsigned int before;

	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL))
		return NO_MOUNTS;
	CHECK(!enter_chroot());
	before = lines_count("/proc/self/mountinfo", NULL);
	CHECK(before > 4);
	CHECK(subject_run(&s, "default", "none", NULL) == 0);
	CHECK(strstr(s.log.text, "layers ") && !strstr(s.log.text, " mount ") &&
	      !strstr(s.log.text, " root "));
	CHECK(lines_count("/proc/self/mountinfo", NULL) == before);
	CHECK(subject_run(&s, "strict", "none", NULL) == 3);
	CHECK(lines_count("/proc/self/mountinfo", NULL) == before);
	return 0;
}

TEST(test_mounts_stay_inside)
{
	char command[128];
	int status;

	if (geteuid())
		skip_host("only root enters a chroot");
	strcpy(root, temp_folder_new());
	status = child_wait(child_start(NULL, check_chroot));
	/* folders only: what was mounted there has gone with the child */
	snprintf(command, sizeof(command), "find %s -xdev -depth -type d -exec rmdir {} +", root);
	assert_int_equal(system(command), 0);
	if (status == NO_MOUNTS)
		skip_host("a process may not have mounts of its own here");
	child_expect(status);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_mounts_stay_inside) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
