// SPDX-License-Identifier: Apache-2.0
/*
 * How a hostile library goes on after a call that the filter traps: the call comes from a stack on
 * which no frame of a handler fits. The kernel raises SIGSEGV instead of SIGSYS, and the handler of
 * that one is the library's, on a stack of its own.
 */
#include "leave_handler.h"

#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "breakout_calls.h"

#define PAGE ((size_t)65536) /* of any machine */
/* Enough for a call, and less than any processor's frame of a signal. */
#define ROOM 768u

static ucontext_t back, attempt;
static const struct breakout_call *tried;
static char handler_stack[65536];

static void on_no_room(int number)
{
	(void)number;
	setcontext(&back);
}

static void try_call(void)
{
	const long *a = tried->arguments;

	syscall(tried->number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int leave_handler(const char *name)
{
	const struct sigaction action = { .sa_handler = on_no_room, .sa_flags = SA_ONSTACK };
	const stack_t other = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };
	char *pages =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	tried = breakout_find(name);
	if (!tried || pages == MAP_FAILED || mprotect(pages, PAGE, PROT_NONE) ||
	    sigaltstack(&other, NULL) || sigaction(SIGSEGV, &action, NULL) || getcontext(&attempt))
		return -1;
	/* the dynamic linker finds it here: it takes more stack than there is room */
	syscall(SYS_getpid);
	attempt.uc_stack = (stack_t){ .ss_sp = pages + PAGE, .ss_size = ROOM };
	attempt.uc_link = &back;
	makecontext(&attempt, try_call, 0);
	return swapcontext(&back, &attempt);
}
