// SPDX-License-Identifier: Apache-2.0
#include "breakout_home.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* fits into the address of a socket */
static char path[100];

static const char *in(const char *folder, const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static int result(long value)
{
	return value < 0 ? -errno : 0;
}

static int append(const char *folder)
{
	int fd = open(in(folder, BREAKOUT_FILE), O_WRONLY | O_APPEND | O_CLOEXEC);

	return result(fd < 0 ? fd : write(fd, "evil", 4));
}

static int spy(const char *folder)
{
	return result(open(in(folder, BREAKOUT_FILE), O_RDONLY | O_CLOEXEC));
}

static int create(const char *folder)
{
	return result(open(in(folder, BREAKOUT_NEW), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

static int change_mode(const char *folder)
{
	return result(chmod(in(folder, BREAKOUT_FILE), 0777));
}

static int change_time(const char *folder)
{
	return result(utimensat(AT_FDCWD, in(folder, BREAKOUT_FILE), NULL, 0));
}

static int call_bus(const char *folder)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (sock < 0)
		return -errno;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", in(folder, BREAKOUT_SOCKET));
	return result(connect(sock, (struct sockaddr *)&address, sizeof(address)));
}

/* A pair of datagram sockets sends to addresses. */
static int post(const char *folder)
{
	int sockets[2];

	(void)folder;
	return result(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, sockets));
}

static int make_child(const char *folder)
{
	pid_t child = fork();

	if (!child) {
		append(folder);
		_exit(0);
	}
	if (child < 0)
		return -errno;
	waitpid(child, NULL, 0);
	return 0;
}

static int make_program(const char *folder)
{
	char *argv[] = { (char *)"true", NULL };

	(void)folder;
	return result(execv("/bin/true", argv));
}

/* A filter of one thread would keep the second one of all away. */
static int filter(const char *folder)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = { .len = 1, .filter = &allow };

	(void)folder;
	return result(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
}

/* To outlive the monitor. */
static int outlive(const char *folder)
{
	(void)folder;
	return result(prctl(PR_SET_PDEATHSIG, 0));
}

static const struct {
	const char *name;
	int (*run)(const char *folder);
} attempts[] = {
	{ "append", append },	 { "spy", spy },	  { "create", create },
	{ "mode", change_mode }, { "time", change_time }, { "bus", call_bus },
	{ "post", post },	 { "child", make_child }, { "program", make_program },
	{ "filter", filter },	 { "outlive", outlive },
};

void breakout_home(const char *folder)
{
	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
		fprintf(stderr, "constructor: %s %d\n", attempts[i].name, attempts[i].run(folder));
}
