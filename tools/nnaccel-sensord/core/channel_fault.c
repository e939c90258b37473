// SPDX-License-Identifier: Apache-2.0
#include "core/sensord_core.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nnutil_log.h"

static __thread struct channel_pages *written;
static int faults = -1; /* a userfaultfd; -1: there is none */

static bool replace(struct channel_pages *pages)
{
	const int error = errno;
	void *data = mmap(pages->data, pages->size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	errno = error;
	if (data == MAP_FAILED)
		return false;
	atomic_store(&pages->lost, true);
	return true;
}

/* Of the thread that writes: what it has interrupted is one store. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
	struct channel_pages *pages = written;
	const uintptr_t address = (uintptr_t)info->si_addr;

	(void)context;
	if (pages && address - (uintptr_t)pages->data < pages->size && replace(pages))
		return;
	/* no fault of a client: the store is run again, and ends the process */
	signal(number, SIG_DFL);
}

static int open_faults(void)
{
	struct uffdio_api api = {
		.api = UFFD_API,
		.features = UFFD_FEATURE_SIGBUS | UFFD_FEATURE_MISSING_SHMEM,
	};
	const int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);

	if (fd < 0)
		return -errno;
	if (ioctl(fd, UFFDIO_API, &api)) {
		const int error = -errno;

		close(fd);
		return error;
	}
	return fd;
}

void channel_fault_prepare(void)
{
	struct sigaction action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
	if (faults < 0)
		faults = open_faults();
	if (faults < 0)
		nnutil_log(NNUTIL_LOG_WARNING,
			   "no userfaultfd (%s): a client can have the service pay for pages of "
			   "its channels, as many as it may have at a time",
			   strerror(-faults));
}

bool channel_fault_watch(const struct channel_pages *pages)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct uffdio_register range = {
		.range = { (uintptr_t)pages->data, (pages->size + page - 1) / page * page },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	return faults >= 0 && !ioctl(faults, UFFDIO_REGISTER, &range);
}

void channel_fault_begin(struct channel_pages *pages)
{
	written = pages;
	/* the handler sees it */
	atomic_signal_fence(memory_order_seq_cst);
}

void channel_fault_end(void)
{
	atomic_signal_fence(memory_order_seq_cst);
	written = NULL;
}
