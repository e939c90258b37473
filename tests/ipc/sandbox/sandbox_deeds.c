// SPDX-License-Identifier: Apache-2.0
#include "sandbox_deeds.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SOCKET 3

static int result(int value)
{
	return value < 0 ? -errno : 0;
}

/* ---- what it is ---- */

static void show_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(folder))
			printf("fd %s\n", entry->d_name);
	if (folder)
		closedir(folder);
}

static void show_signals(void)
{
	char line[256];
	FILE *status = fopen("/proc/self/status", "re");

	while (status && fgets(line, sizeof(line), status))
		if (!strncmp(line, "SigBlk", 6) || !strncmp(line, "SigIgn", 6) ||
		    !strncmp(line, "Cap", 3) || !strncmp(line, "NoNewPrivs", 10))
			fputs(line, stdout);
	if (status)
		fclose(status);
}

static void show_own(const char *key, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[16] = "";

	if (read(fd, text, sizeof(text) - 1) > 0)
		printf("%s %s", key, text);
	close(fd);
}

static void show_oom_score(void)
{
	show_own("oom", "/proc/self/oom_score_adj");
	show_own("dumps", "/proc/self/coredump_filter");
	printf("dump-more %d\n", result(open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)));
}

static void show_ids(void)
{
	printf("pid %d\n", (int)getpid());
	printf("ppid %d\n", (int)getppid());
	printf("uid %u\n", getuid());
}

/* ---- what it tries while the door is open ---- */

static void try_files(void)
{
	char path[64];

	printf("library %d\n", result(open("/usr/lib", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
	printf("machine %d\n", result(open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC)));
	printf("read %d\n", result(open("/etc/passwd", O_RDONLY | O_CLOEXEC)));
	printf("group %d\n", result(open("/etc/group", O_RDONLY | O_CLOEXEC)));
	printf("write-library %d\n", result(open("/etc/ld.so.cache", O_RDWR | O_CLOEXEC)));
	printf("socket %d\n", result(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)));
	printf("create %d\n",
	       result(open("/tmp/nnipc-made", O_CREAT | O_WRONLY | O_CLOEXEC, 0600)));
	printf("mkdir %d\n", result(mkdir("/tmp/nnipc-made", 0700)));
	printf("execute %d\n", result(execl("/bin/true", "true", NULL)));
	printf("mount %d\n", result(mount("none", "/tmp", "tmpfs", 0, NULL)));
	snprintf(path, sizeof(path), "/proc/%s/mem", getenv("SANDBOX_HOST"));
	printf("host-memory %d\n", result(open(path, O_RDWR | O_CLOEXEC)));
}

static void try_processes(void)
{
	const pid_t host = atoi(getenv("SANDBOX_HOST"));

	/* the monitor is in no namespace of its */
	printf("parent %d\n", (int)getppid());
	printf("host %d\n", result(kill(host, SIGKILL)));
	printf("trace-host %d\n", result((int)ptrace(PTRACE_ATTACH, host, NULL, NULL)));
}

/* ---- what it does to others' processors ---- */

/* @when: "open" or "shut" */
static void move_host(const char *when)
{
	const pid_t host = atoi(getenv("SANDBOX_HOST"));
	cpu_set_t processors;

	sched_getaffinity(0, sizeof(processors), &processors);
	printf("%s-pin-host %d\n", when,
	       result(sched_setaffinity(host, sizeof(processors), &processors)));
	printf("%s-nice-host %d\n", when, result(setpriority(PRIO_PROCESS, (id_t)host, 19)));
	printf("%s-pin %d\n", when, result(sched_setaffinity(0, sizeof(processors), &processors)));
	printf("%s-nice %d\n", when, result(setpriority(PRIO_PROCESS, 0, 19)));
}

static void move_host_before(void)
{
	const pid_t host = atoi(getenv("SANDBOX_HOST"));

	move_host("open");
	printf("open-nice-user %d\n", result(setpriority(PRIO_USER, 0, 19)));
	printf("open-io-host %d\n", result((int)syscall(SYS_ioprio_set, 1, host, 3 << 13)));
	printf("open-batch-host %d\n",
	       result(sched_setscheduler(host, SCHED_BATCH, &(struct sched_param){ 0 })));
}

static void move_host_after(void)
{
	move_host("shut");
}

/* ---- allowed once the sandbox is locked ---- */

static void *print_thread(void *cookie)
{
	void *block = malloc(1 << 20);

	memset(block, 1, 1 << 20);
	printf("thread %s\n", (const char *)cookie);
	free(block);
	return NULL;
}

static void on_user_signal(int number)
{
	(void)number;
}

static void do_useful_things(void)
{
	struct sigaction action = { .sa_handler = on_user_signal };
	pthread_t threads[8];
	int sockets[2], memory;
	void *map;

	for (size_t i = 0; i < 8; i++)
		if (pthread_create(&threads[i], NULL, print_thread, (void *)"runs"))
			abort();
	for (size_t i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	sigaction(SIGUSR1, &action, NULL);
	pthread_kill(pthread_self(), SIGUSR1);
	memory = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (memory < 0 || ftruncate(memory, 4096) || fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK) < 0)
		abort();
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	if (map == MAP_FAILED || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) ||
	    send(sockets[0], map, 16, MSG_NOSIGNAL) != 16)
		abort();
	printf("clone3 %d\n", result((int)syscall(SYS_clone3, NULL, 0)));
	printf("done\n");
}

static void take_descriptors(void)
{
	int taken = 0;

	while (memfd_create("x", MFD_CLOEXEC) >= 0 && taken < 100000)
		taken++;
	printf("descriptors %s %s\n", taken < 4096 ? "few" : "many", strerrorname_np(errno));
}

static void grow_file(void)
{
	int memory = memfd_create("x", MFD_CLOEXEC);

	printf("large %d\n", result(ftruncate(memory, (off_t)32 << 30)));
}

/* As a pool of a client that is shorter than the model says. */
static void write_past_pool(void)
{
	char *pool = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(pool + 4096, 4096);
	for (size_t i = 0;; i++)
		((volatile char *)pool)[i] = 1;
}

static void write_past_file(void)
{
	int memory = memfd_create("x", MFD_CLOEXEC);
	char *pool = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);

	pool[4096] = 1;
}

#if defined(__x86_64__)
/* The other table of system calls of the processor. */
static void call_as_32_bit(void)
{
	long number = 20;

	__asm__ volatile("int $0x80" : "+a"(number) : : "memory");
	printf("int80 %ld\n", number);
}
#endif

static void open_nowhere(void)
{
	printf("open %ld\n", syscall(SYS_openat, AT_FDCWD, 8, O_RDONLY));
}

static void take_random(void)
{
	printf("random %d\n", result((int)getrandom(&(char){ 0 }, 1, 0)));
}

/* ---- a thread that was there before ---- */

static int wake[2];

static void *open_late(void *cookie)
{
	char byte;

	(void)cookie;
	if (read(wake[0], &byte, 1) == 1)
		printf("late %d\n", result(open("/etc/passwd", O_RDONLY | O_CLOEXEC)));
	return NULL;
}

static pthread_t late;

static void make_thread(void)
{
	if (pipe2(wake, O_CLOEXEC) || pthread_create(&late, NULL, open_late, NULL))
		abort();
}

static void wake_thread(void)
{
	if (write(wake[1], "", 1) == 1)
		pthread_join(late, NULL);
}

/* ---- how it ends ---- */

static void end_exit(void)
{
	exit(7);
}

static void end_abort(void)
{
	fprintf(stderr, "last words\n");
	abort();
}

static void end_crash(void)
{
	volatile uintptr_t nowhere = 8;

	*(volatile int *)nowhere = 1;
}

/* Until the parent ends it. */
static void end_never(void)
{
	char byte;

	printf("waiting\n");
	while (read(SOCKET, &byte, 1) >= 0 || errno == EINTR)
		pause();
}

static void keep_folder(void)
{
	if (open("/usr/lib", O_RDONLY | O_DIRECTORY | O_CLOEXEC) < 0)
		abort();
}

static sem_t hidden;

/* In a table of descriptors of the thread's own, if it gets one. */
static void *hide_folder(void *cookie)
{
	(void)cookie;
	printf("own-table %d\n",
	       result((int)syscall(SYS_close_range, SOCKET + 1, ~0u, CLOSE_RANGE_UNSHARE)));
	keep_folder();
	sem_post(&hidden);
	for (;;)
		pause();
	return NULL;
}

static void hide_folder_in_thread(void)
{
	pthread_t thread;

	if (sem_init(&hidden, 0, 0) || pthread_create(&thread, NULL, hide_folder, NULL))
		abort();
	while (sem_wait(&hidden))
		;
}

static const struct sandbox_deed deeds[] = {
	{ "none", NULL, NULL },
	{ "open-descriptors", show_descriptors, NULL },
	{ "open-signals", show_signals, NULL },
	{ "open-ids", show_ids, NULL },
	{ "open-oom", show_oom_score, NULL },
	{ "open-exit", end_exit, NULL },
	{ "open-abort", end_abort, NULL },
	{ "open-crash", end_crash, NULL },
	{ "open-never", end_never, NULL },
	{ "open-files", try_files, NULL },
	{ "open-processes", try_processes, NULL },
	{ "move-host", move_host_before, move_host_after },
	{ "useful", NULL, do_useful_things },
	{ "descriptors", NULL, take_descriptors },
	{ "grow", NULL, grow_file },
	{ "past-pool", NULL, write_past_pool },
	{ "past-file", NULL, write_past_file },
	{ "random", NULL, take_random },
	{ "nowhere", NULL, open_nowhere },
	{ "late-thread", make_thread, wake_thread },
#if defined(__x86_64__)
	{ "int80", NULL, call_as_32_bit },
#endif
	{ "exit", NULL, end_exit },
	{ "abort", NULL, end_abort },
	{ "crash", NULL, end_crash },
	{ "never", NULL, end_never },
	{ "folder", keep_folder, end_never },
	{ "hidden-folder", hide_folder_in_thread, end_never },
};

const struct sandbox_deed *sandbox_deed_find(const char *name)
{
	for (size_t i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++)
		if (!strcmp(deeds[i].name, name))
			return &deeds[i];
	return NULL;
}
