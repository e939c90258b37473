// SPDX-License-Identifier: Apache-2.0
/*
 * The kernel does not run the call and raises SIGSYS. The handler answers one that libc makes for a
 * descriptor, and could be made for a name; of all others it prints which one it was and ends the
 * process. Vendor code cannot replace the handler: the filter does not let it. It may leave it, or
 * leave it no stack; the call has not run all the same. Calls of attacks do not come here:
 * seccomp_refused.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "sandbox/sandbox_private.h"

/* Names of native system calls; made before the sandbox is locked, since it takes memory. */
static char *names[NNIPC_MOST_CALLS];

static size_t append(char *line, size_t used, const char *text)
{
	while (*text)
		line[used++] = *text++;
	return used;
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

/* Calls that name a file; which argument does. */
static const struct {
	int call;
	unsigned int argument;
} named_files[] = {
	{ SCMP_SYS(open), 0 },	 { SCMP_SYS(openat), 1 },     { SCMP_SYS(execve), 0 },
	{ SCMP_SYS(access), 0 }, { SCMP_SYS(faccessat), 1 },  { SCMP_SYS(readlink), 0 },
	{ SCMP_SYS(stat), 0 },	 { SCMP_SYS(newfstatat), 1 }, { SCMP_SYS(unlink), 0 },
};
/* To look at bytes that may not be there: the kernel reads them. */
static int mirror[2] = { -1, -1 };

/* Arguments of the interrupted call; NULL: not known on this processor. */
static const char *text_argument(const ucontext_t *context, unsigned int argument)
{
#if defined(__x86_64__)
	const greg_t *regs = context->uc_mcontext.gregs;

	return (const char *)(argument ? regs[REG_RSI] : regs[REG_RDI]);
#elif defined(__aarch64__)
	return (const char *)context->uc_mcontext.regs[argument];
#else
	(void)context;
	(void)argument;
	return NULL;
#endif
}

static size_t append_file(char *line, size_t used, size_t most, const char *name)
{
	const char quote[] = " of \"";
	char c;

	used = append(line, used, quote);
	for (size_t i = 0; name && used < most; i++) {
		if (write(mirror[1], name + i, 1) != 1 || read(mirror[0], &c, 1) != 1 || !c)
			break;
		line[used++] = c >= ' ' && c < 0x7f ? c : '?';
	}
	return append(line, used, "\"");
}

#if NNIPC_ANSWERS_STAT
#if defined(__x86_64__)
#define ARGUMENT(context, name, number) ((context)->uc_mcontext.gregs[name])
#define RESULT(context) ((context)->uc_mcontext.gregs[REG_RAX])
#else
#define ARGUMENT(context, name, number) ((context)->uc_mcontext.regs[number])
#define RESULT(context) ((context)->uc_mcontext.regs[0])
#endif

/*
 * newfstatat() of a descriptor: fstat(), whatever another thread makes of the name meanwhile. A
 * name that cannot be read ends the process here. False: it has a name.
 */
static bool answer_stat(ucontext_t *context)
{
	const int fd = (int)ARGUMENT(context, REG_RDI, 0);
	const char *name = (const char *)(uintptr_t)ARGUMENT(context, REG_RSI, 1);
	void *facts = (void *)(uintptr_t)ARGUMENT(context, REG_RDX, 2);
	const int flags = (int)ARGUMENT(context, REG_R10, 3);
	const int saved = errno;

	if (!(flags & AT_EMPTY_PATH) || *(const volatile char *)name)
		return false;
	/* of a signed or of an unsigned type */
	RESULT(context) = (__typeof__(RESULT(context)))(syscall(SYS_fstat, fd, facts) ? -errno : 0);
	errno = saved;
	return true;
}
#else
static bool answer_stat(ucontext_t *context)
{
	(void)context;
	return false;
}
#endif

static void on_violation(int number, siginfo_t *info, void *context)
{
	const unsigned int call = (unsigned int)info->si_syscall;
	const char *name = call < NNIPC_MOST_CALLS ? names[call] : NULL;
	char line[512];
	size_t used =
		append(line, 0, "nnaccel-worker: the sandbox does not allow the system call ");

	if ((int)call == SCMP_SYS(newfstatat) && answer_stat(context))
		return;
	/* names of libseccomp are short */
	used = append(line, used, name ? name : "number");
	used = append(line, used, name ? " (" : " ");
	used = append_number(line, used, call);
	used = append(line, used, name ? ")" : "");
	for (size_t i = 0; i < sizeof(named_files) / sizeof(named_files[0]); i++)
		if ((int)call == named_files[i].call)
			used = append_file(line, used, sizeof(line) - 8,
					   text_argument(context, named_files[i].argument));
	used = append(line, used, "\n");
	/* a failure to write changes nothing */
	if (write(STDERR_FILENO, line, used) < 0)
		_exit(NNIPC_STATUS_OF_SIGNAL(number));
	_exit(NNIPC_STATUS_OF_SIGNAL(number));
}

int nnipc_watch_violations(void)
{
	struct sigaction action = { .sa_sigaction = on_violation, .sa_flags = SA_SIGINFO };
	sigset_t set;

	for (int call = 0; call < NNIPC_MOST_CALLS; call++)
		names[call] = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, call);
	if (mirror[0] < 0 && pipe2(mirror, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	sigfillset(&action.sa_mask);
	sigemptyset(&set);
	sigaddset(&set, SIGSYS);
	if (sigaction(SIGSYS, &action, NULL) || sigprocmask(SIG_UNBLOCK, &set, NULL))
		return -errno;
	return 0;
}
