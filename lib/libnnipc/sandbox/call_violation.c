// SPDX-License-Identifier: Apache-2.0
/*
 * The kernel does not run the call and raises SIGSYS. The handler tells which one it was and ends
 * the process. Vendor code cannot replace the handler: the filter does not let it. It may jump out
 * of it; the call has not run all the same.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/call_filter.h"
#include "sandbox/warden.h"

/* Names of native system calls; made before the door is shut, since it takes memory. */
#define MOST_CALLS 1024
static char *names[MOST_CALLS];

static size_t append(char *line, size_t used, const char *text)
{
	const size_t length = strlen(text);

	memcpy(line + used, text, length);
	return used + length;
}

static size_t append_number(char *line, size_t used, unsigned int number)
{
	char digits[10];
	size_t count = 0;

	do
		digits[count++] = (char)('0' + number % 10);
	while (number /= 10);
	while (count)
		line[used++] = digits[--count];
	return used;
}

static void on_violation(int number, siginfo_t *info, void *context)
{
	const unsigned int call = (unsigned int)info->si_syscall;
	const char *name = call < MOST_CALLS ? names[call] : NULL;
	char line[256];
	size_t used =
		append(line, 0, "nnaccel-worker: the sandbox does not allow the system call ");

	(void)context;
	/* names of libseccomp are short */
	used = append(line, used, name ? name : "number");
	used = append(line, used, name ? " (" : " ");
	used = append_number(line, used, call);
	used = append(line, used, name ? ")\n" : "\n");
	if (write(STDERR_FILENO, line, used) >= 0 || errno)
		_exit(NNIPC_STATUS_OF_SIGNAL(number));
	_exit(NNIPC_STATUS_OF_SIGNAL(number));
}

int nnipc_watch_violations(void)
{
	struct sigaction action = { .sa_sigaction = on_violation, .sa_flags = SA_SIGINFO };
	sigset_t set;

	for (int call = 0; call < MOST_CALLS; call++)
		names[call] = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, call);
	sigfillset(&action.sa_mask);
	sigemptyset(&set);
	sigaddset(&set, SIGSYS);
	if (sigaction(SIGSYS, &action, NULL) || sigprocmask(SIG_UNBLOCK, &set, NULL))
		return -errno;
	return 0;
}
