// SPDX-License-Identifier: Apache-2.0
/* Whether udevd runs, by its socket: in a child with a /run of its own. */
#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "child.h"
#include "nnutil_node.h"
#include "test_case.h"

#define NOBODY 65534u

/* What a child finds out: its exit status. */
enum { AS_EXPECTED, WRONG_WITHOUT, WRONG_LISTENING, WRONG_ENDED, WRONG_FOR_OTHERS, NO_SOCKET };

/* As udevd's: of root, mode 0600. The socket, or -1. */
static int control(void)
{
	static const struct sockaddr_un at = { .sun_family = AF_UNIX,
					       .sun_path = "/run/udev/control" };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	unlink(at.sun_path);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&at, sizeof(at)) ||
	    chmod(at.sun_path, 0600) || listen(fd, 8))
		return -1;
	return fd;
}

static int look(bool other_user)
{
	int fd;

	if (nnutil_udevd_runs())
		return WRONG_WITHOUT;
	fd = control();
	if (fd < 0)
		return NO_SOCKET;
	if (!nnutil_udevd_runs())
		return WRONG_LISTENING;
	if (other_user) {
		if (setuid(NOBODY) || !nnutil_udevd_runs())
			return WRONG_FOR_OTHERS;
		/* the file stays */
		close(fd);
		return nnutil_udevd_runs() ? WRONG_FOR_OTHERS : AS_EXPECTED;
	}
	close(fd);
	return nnutil_udevd_runs() ? WRONG_ENDED : AS_EXPECTED;
}

enum { NO_NAMESPACE = 77, IN_CHROOT };

/* A socket's path is found in this network namespace only: one without a udevd of its own. */
static int own_run(bool root)
{
	if (unshare(CLONE_NEWNS | CLONE_NEWNET | (root ? 0 : CLONE_NEWUSER)))
		return NO_NAMESPACE;
	/* what is mounted below would be seen outside */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return errno == EINVAL ? IN_CHROOT : NO_NAMESPACE;
	return mount("run", "/run", "tmpfs", 0, NULL) || mkdir("/run/udev", 0755) ? NO_NAMESPACE
										  : 0;
}

static int find_out(bool other_user)
{
	bool root = !geteuid();
	int ret = own_run(root);

	return ret ? ret : look(other_user && root);
}

static void expect(bool other_user)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child)
		_exit(find_out(other_user));
	status = child_wait(child);
	/* who may not have namespaces, or no mounts of their own, cannot pretend a udevd */
	if (status == IN_CHROOT || (status == NO_NAMESPACE && geteuid()))
		return;
	assert_int_equal(status, AS_EXPECTED);
}

TEST(test_root)
{
	expect(false);
}

TEST(test_other_user)
{
	expect(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_root),
		cmocka_unit_test(test_other_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
