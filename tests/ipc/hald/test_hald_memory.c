// SPDX-License-Identifier: Apache-2.0
/*
 * nnaccel-hald --user-memory: a cgroup for each user's workers. The VM has cgroups of version 2; a
 * machine that has not shows that the service goes on without.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eventually.h"
#include "hald_service.h"
#include "skip.h"
#include "temp.h"
#include "test_case.h"

#define ROOT "/sys/fs/cgroup"
#define GROUP ROOT "/nnaccel-hald-test"
/* What the service may use, and what a user may. */
#define ALL_MIB 256

static const char *const half[] = { "--mode", "0666", "--user-memory", "50", NULL };
static bool counts_memory;

static bool text_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

/* A cgroup with a limit, in mounts of our own. */
FIXTURE(make_group)
{
	char limit[32];

	/* other users connect */
	if (chmod(temp_folder(), 0711))
		return -1;
	if (geteuid() || unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return 0;
	if (mount("none", ROOT, "cgroup2", 0, NULL) ||
	    !text_write(ROOT "/cgroup.subtree_control", "+memory"))
		return 0;
	snprintf(limit, sizeof(limit), "%d", ALL_MIB << 20);
	if ((mkdir(GROUP, 0755) && errno != EEXIST) || !text_write(GROUP "/memory.max", limit))
		return -1;
	counts_memory = true;
	return 0;
}

FIXTURE(remove_group)
{
	if (counts_memory && (rmdir(GROUP "/service") || rmdir(GROUP)))
		perror(GROUP);
	return 0;
}

/* As systemd starts it: in a group without children. */
static void join_group(void)
{
	if (!counts_memory)
		return;
	rmdir(GROUP "/service");
	if (!text_write(GROUP "/cgroup.subtree_control", "-memory") ||
	    !text_write(GROUP "/cgroup.procs", "0"))
		_exit(98);
}

/* A client of another user. */
static int served_as(uid_t user, pid_t *pid)
{
	int sock;

	assert_int_equal(seteuid(user), 0);
	sock = hald_served(pid);
	assert_int_equal(seteuid(0), 0);
	return sock;
}

static void order(int sock, const char *text)
{
	assert_int_equal(send(sock, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

static bool worker_is_in(pid_t pid, const char *group)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	return lines_count(path, group) > 0;
}

/* The user that takes too much loses its worker; another user keeps its own. */
TEST(test_user_has_a_limit)
{
	pid_t pids[2];
	struct hald h;
	int socks[2];

	if (!counts_memory)
		skip_host("no memory controller of cgroup version 2");
	hald_prepare = join_group;
	hald_start_with(&h, half);
	assert_true(lines_await(&h.log, "workers of a user have 128 MiB of memory, 50 % of the "));
	socks[0] = served_as(1001, &pids[0]);
	socks[1] = served_as(1002, &pids[1]);
	assert_true(worker_is_in(pids[0], "/nnaccel-hald-test/user-1001\n"));
	assert_true(worker_is_in(pids[1], "/nnaccel-hald-test/user-1002\n"));
	assert_true(lines_count(GROUP "/user-1001/memory.max", "134217728\n"));
	order(socks[1], "limit");
	assert_true(lines_await(&h.log, "may use 134217728\n"));
	order(socks[1], "eat 32");
	assert_true(lines_await(&h.log, "has eaten 32 MiB: yes"));

	order(socks[0], "eat 192");
	hald_await_hang_up(socks[0]);
	hald_reads_end(&h, "signal 9 (Killed): the memory of its user is used up\n");
	close(socks[0]);
	assert_true(hald_runs(pids[1]));
	order(socks[1], "eat 33");
	assert_true(lines_await(&h.log, "has eaten 33 MiB: yes"));

	/* it may come again */
	socks[0] = served_as(1001, &pids[0]);
	order(socks[0], "eat 34");
	assert_true(lines_await(&h.log, "has eaten 34 MiB: yes"));
	close(socks[0]);
	close(socks[1]);
	hald_reads_end(&h, "exit status 0\n");
	hald_reads_end(&h, "exit status 0\n");
	assert_true(EVENTUALLY(access(GROUP "/user-1001", F_OK)));
	assert_true(EVENTUALLY(access(GROUP "/user-1002", F_OK)));
	assert_int_equal(hald_stop(&h, SIGTERM), 0);
}

/* The largest of them is ended, and the other one goes on. */
TEST(test_workers_of_a_user_share_it)
{
	struct hald h;
	int socks[2];

	if (!counts_memory)
		skip_host("no memory controller of cgroup version 2");
	hald_prepare = join_group;
	hald_start_with(&h, half);
	socks[0] = served_as(1001, NULL);
	socks[1] = served_as(1001, NULL);
	order(socks[0], "eat 80");
	assert_true(lines_await(&h.log, "has eaten 80 MiB: yes"));
	order(socks[1], "eat 81");
	hald_reads_end(&h, "signal 9 (Killed): the memory of its user is used up\n");
	assert_true(lines_await(&h.log, "has eaten 81 MiB: yes"));
	close(socks[0]);
	close(socks[1]);
	hald_reads_end(&h, "");
	assert_int_equal(hald_stop(&h, SIGTERM), 0);
}

/* Where it has no cgroup of its own it serves without a limit, and leaves no folder behind. */
TEST(test_no_cgroup)
{
	struct hald h;
	int sock;

	if (counts_memory)
		skip_host("this machine counts memory by cgroups of version 2");
	hald_prepare = NULL;
	hald_start_with(&h, half);
	assert_true(lines_await(&h.log, "memory of a user has no limit: "));
	assert_true(lines_await(&h.log, "Delegate=memory"));
	sock = hald_served(NULL);
	order(sock, "eat 192");
	assert_true(lines_await(&h.log, "has eaten 192 MiB: yes"));
	close(sock);
	hald_reads_end(&h, "exit status 0\n");
	assert_int_not_equal(access(ROOT "/service", F_OK), 0);
	assert_int_equal(hald_stop(&h, SIGTERM), 0);
}

/* Without the option it touches no cgroup. */
TEST(test_no_option)
{
	struct hald h;

	hald_prepare = join_group;
	hald_start(&h, NULL, NULL);
	assert_null(strstr(h.log.text, "memory of a user"));
	assert_true(hald_serves());
	assert_int_not_equal(access(GROUP "/service", F_OK), 0);
	assert_int_equal(hald_stop(&h, SIGTERM), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_option),
		cmocka_unit_test(test_user_has_a_limit),
		cmocka_unit_test(test_workers_of_a_user_share_it),
		cmocka_unit_test(test_no_cgroup),
	};

	return cmocka_run_group_tests(tests, make_group, remove_group);
}
