// SPDX-License-Identifier: Apache-2.0
#include "child.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

pid_t child_start(void (*first)(void), int (*body)(void))
{
	pid_t pid = fork();

	if (!pid) {
		if (first)
			first();
		alarm(CHILD_SECONDS);
		_exit(body());
	}
	assert_true(pid > 0);
	return pid;
}

void child_expect(int status)
{
	if (status < 0)
		fail_msg("the child was killed by signal %d", -status);
	if (status)
		fail_msg("line %d of the test is not so in the child", status << 1);
}

void child_end(pid_t pid)
{
	child_expect(child_wait(pid));
}

void child_run(void (*first)(void), int (*body)(void))
{
	child_end(child_start(first, body));
}

static void child_write_to(int output)
{
	dup2(output, STDERR_FILENO);
	dup2(output, STDOUT_FILENO);
}

static void child_pass_socket(int sock)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", (int)getpid());
	setenv("LISTEN_PID", number, 1);
	setenv("LISTEN_FDS", "1", 1);
	/* without close-on-exec, which it keeps if it is the third already */
	dup2(sock, 3);
	fcntl(3, F_SETFD, 0);
}

pid_t child_execute(const struct child_program *program)
{
	pid_t pid = fork();

	if (!pid) {
		/* a test that ends early leaves no process behind */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (program->first)
			program->first();
		if (program->output)
			child_write_to(program->output == CHILD_QUIET ? open("/dev/null", O_WRONLY)
								      : program->output);
		if (program->socket)
			child_pass_socket(program->socket);
		execv(program->path, (char **)(uintptr_t)program->argv);
		_exit(99);
	}
	assert_true(pid > 0);
	return pid;
}

int child_wait(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

int child_kill(pid_t pid, int signal)
{
	assert_int_equal(kill(pid, signal), 0);
	return child_wait(pid);
}

bool child_has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) && info.si_pid;
}
