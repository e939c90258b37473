// SPDX-License-Identifier: Apache-2.0
#include "stack_test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "descriptors.h"
#include "eventually.h"
#include "hang_mark.h"
#include "lines.h"
#include "task_state.h"
#include "temp.h"
#include "test_case.h"

/* ---- cases ---- */

/* A case that hangs ends so; a loaded machine with sanitizers needs seconds. */
#define CASE_SECONDS 240
/* the program's name when it is the process of one case */
#define AS_CASE "stack-case"

/* Standard error as the case found it: some replace it by a file, for the log of the host. */
static int case_stderr = STDERR_FILENO;

static void show_log(void)
{
	static char bytes[65536];
	struct stat own, now;
	ssize_t got;

	if (fstat(case_stderr, &own) || fstat(STDERR_FILENO, &now) ||
	    (own.st_dev == now.st_dev && own.st_ino == now.st_ino))
		return;
	got = pread(STDERR_FILENO, bytes, sizeof(bytes) - 1, 0);
	if (got > 0)
		dprintf(case_stderr, "the log of the host:\n%.*s\n", (int)got, bytes);
}

void stack_fail(const char *file, int line, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	dprintf(case_stderr, "%s:%d: not so: %s\n", file, line, text);
	show_log();
	/* not exit(): other threads run */
	_exit(1);
}

/* The file by which a worker of the case shows that it hangs. */
static const char *hang_mark(void)
{
	return temp_path("hangs");
}

static void __attribute__((noreturn)) become(const struct stack_case *c)
{
	char *argv[] = { (char *)AS_CASE, (char *)c->name, NULL };

	for (int i = 0; i < STACK_ENV; i++) {
		if (strchr(c->env[i], '='))
			putenv((char *)(uintptr_t)c->env[i]);
	}
	setenv(HANG_MARK, hang_mark(), 1);
	execv("/proc/self/exe", argv);
	_exit(127);
}

/* Processes that a case left become ours: they must end, too. */
static bool reaped_all(void)
{
	while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
		;
	return waitpid(-1, NULL, WNOHANG | __WALL) < 0 && errno == ECHILD;
}

static void run_case(void **state)
{
	const struct stack_case *c = *state;
	pid_t pid;
	int status;

	/* the folder is ours, not the child's */
	temp_folder();
	fflush(NULL);
	pid = fork();
	if (!pid)
		become(c);
	assert_true(pid > 0);
	status = child_wait(pid);
	unlink(hang_mark());
	if (status < 0)
		fail_msg("%s: ended by signal %d%s", c->name, -status,
			 status == -SIGALRM ? " (it hangs)" : "");
	if (status)
		fail_msg("%s: exit status %d", c->name, status);
	if (!EVENTUALLY(reaped_all()))
		fail_msg("%s: a process is left", c->name);
}

static int be_case(const struct stack_case *cases, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(name, cases[i].name)) {
			case_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
			alarm(CASE_SECONDS);
			cases[i].body(&cases[i]);
			return 0;
		}
	return 2;
}

static bool is_wanted(const struct stack_case *c, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strncmp(c->name, argv[i], strlen(argv[i])))
			return true;
	return argc < 2;
}

int stack_main(int argc, char **argv, const struct stack_case *cases, uint32_t count)
{
	struct CMUnitTest *tests;
	size_t wanted = 0;
	int failed;

	if (argc == 2 && !strcmp(argv[0], AS_CASE))
		return be_case(cases, count, argv[1]);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	tests = calloc(count, sizeof(*tests));
	if (!tests)
		return 2;
	for (uint32_t i = 0; i < count; i++)
		if (is_wanted(&cases[i], argc, argv))
			tests[wanted++] = (struct CMUnitTest){ .name = cases[i].name,
							       .test_func = run_case,
							       .initial_state = (void *)&cases[i] };
	failed = _cmocka_run_group_tests("stack", tests, wanted, NULL, NULL);
	free(tests);
	return failed;
}

/* ---- devices ---- */

const struct nnhal_driver *stack_driver(void)
{
	static const struct nnhal_driver *driver;
	const char *path = getenv("NNACCEL_IPC");
	void *library;

	if (!driver) {
		MUST(path);
		library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		MUST_SAY(library, "%s", dlerror());
		driver = dlsym(library, "nnhal_driver");
		MUST(driver && driver->abi_version == NNHAL_ABI_VERSION);
	}
	return driver;
}

struct nnhal_device *stack_open(void)
{
	char message[512] = "";
	struct nnhal_device *dev = NULL;

	MUST_SAY(!stack_driver()->open("worker:cpu", &dev, message, sizeof(message)),
		 "worker:cpu: %s", message);
	MUST(dev);
	return dev;
}

/* ---- calls ---- */

#define MAX_ANSWERS 65536

static struct stack_answer answers[MAX_ANSWERS];
static atomic_uint num_answers;

struct stack_answer *stack_answer(void)
{
	unsigned int i = num_answers++;

	MUST(i < MAX_ANSWERS);
	sem_init(&answers[i].done, 0, 0);
	return &answers[i];
}

enum nnhal_status stack_answer_wait(struct stack_answer *a)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 120;
	while (sem_timedwait(&a->done, &until))
		MUST_SAY(errno == EINTR, "no callback came");
	return (enum nnhal_status)a->status;
}

static void each_answer_came_once(void)
{
	for (unsigned int i = 0; i < num_answers; i++)
		MUST_SAY(answers[i].calls == 1, "callback %u was called %d times", i,
			 answers[i].calls);
}

/* ---- /proc ---- */

/* It runs: it has not ended, whether or not anybody has waited for it. */
static bool is_live(char state)
{
	return state && state != 'Z' && state != 'X';
}

bool stack_alive(pid_t pid)
{
	return is_live(task_state(pid, pid, NULL));
}

struct stack_processes stack_processes(pid_t reaper, pid_t host)
{
	struct stack_processes p = { .worker = 0 };
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	MUST(proc);
	while ((entry = readdir(proc))) {
		pid_t pid = atoi(entry->d_name), parent, adopter;

		if (pid <= 0 || pid == host || !is_live(task_state(pid, pid, &parent)))
			continue;
		if (parent == reaper) {
			p.monitors++;
		} else if (parent != host && task_state(parent, parent, &adopter) &&
			   adopter == reaper) {
			p.workers++;
			p.worker = pid;
		}
	}
	closedir(proc);
	return p;
}

struct stack_processes stack_mine(void)
{
	return stack_processes(getppid(), getpid());
}

pid_t stack_worker(void)
{
	struct stack_processes p = stack_mine();

	MUST_SAY(p.workers == 1, "%d workers, %d monitors: one is expected", p.workers, p.monitors);
	return p.worker;
}

struct stack_usage stack_usage(pid_t pid)
{
	struct stack_usage usage = { .fds = descriptors_open_of(pid), .rss = -1 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	usage.maps = (int)lines_count(path, NULL);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	usage.rss = lines_number(path, "VmRSS:");
	return usage;
}

void stack_nothing_left(struct stack_usage before)
{
	struct stack_processes p;

	MUST_SAY(EVENTUALLY((p = stack_mine(), !p.monitors && !p.workers)),
		 "%d workers are left, and %d monitors", p.workers, p.monitors);
	/* fewer: the library was about to close some of those before */
	MUST_SAY(EVENTUALLY(stack_usage(getpid()).fds <= before.fds), "%d descriptors, %d before",
		 stack_usage(getpid()).fds, before.fds);
	each_answer_came_once();
}

void stack_prepared(void *cookie, enum nnhal_status status, struct nnhal_prepared_model *model,
		    const char *message)
{
	struct stack_answer *a = cookie;

	(void)message;
	MUST((status == NNHAL_NONE) == (model != NULL));
	a->status = (int)status;
	a->model = model;
	if (!a->calls++)
		sem_post(&a->done);
}

void stack_executed(void *cookie, enum nnhal_status status,
		    const struct nnhal_execution_result *result)
{
	struct stack_answer *a = cookie;

	MUST(result);
	a->status = (int)status;
	if (!a->calls++)
		sem_post(&a->done);
}

struct nnmodel *stack_model(uint32_t ops, uint32_t elements)
{
	struct nnmodel *m = nnmodel_new();
	uint32_t first, prev, next;

	MUST(m);
	first = prev = (uint32_t)nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32,
						     NNMODEL_SUBGRAPH_INPUT, &elements, 1, 0, 0);
	for (uint32_t i = 0; i < ops; i++) {
		next = (uint32_t)nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32,
						     i + 1 < ops ? NNMODEL_TEMPORARY_VARIABLE
								 : NNMODEL_SUBGRAPH_OUTPUT,
						     &elements, 1, 0, 0);
		MUST(nnmodel_add_operation(m, NNMODEL_SIN, &prev, 1, &next, 1) >= 0);
		prev = next;
	}
	MUST(!nnmodel_set_io(m, &first, 1, &prev, 1));
	return m;
}

void stack_call_init(struct stack_call *call, uint32_t elements)
{
	memset(call, 0, sizeof(*call));
	call->size = (elements * sizeof(float) + 4095) / 4096 * 4096;
	for (int i = 0; i < 2; i++) {
		int fd = memfd_new(call->size);

		call->map[i] = memfd_map(fd, call->size);
		call->pools[i].memory = (struct nnhal_memory){
			.fd = fd, .prot = PROT_READ | (i ? PROT_WRITE : 0), .size = call->size
		};
	}
	for (uint32_t i = 0; i < elements; i++)
		call->map[0][i] = 0.5f;
	call->in.length = call->out.length = elements * sizeof(float);
	call->out.pool = 1;
	call->request = (struct nnhal_request){ .size = sizeof(call->request),
						.inputs = &call->in,
						.num_inputs = 1,
						.outputs = &call->out,
						.num_outputs = 1,
						.pools = call->pools,
						.num_pools = 2 };
}

void stack_call_fini(struct stack_call *call)
{
	for (int i = 0; i < 2; i++) {
		munmap(call->map[i], call->size);
		close(call->pools[i].memory.fd);
	}
}

enum nnhal_status stack_prepare(struct nnhal_device *dev, struct nnmodel *m,
				struct nnhal_prepared_model **model)
{
	static const struct nnhal_prepare_config config = NNHAL_PREPARE_CONFIG_INIT;
	struct stack_answer *a = stack_answer();
	enum nnhal_status launch, status;

	launch = dev->ops->prepare_model(dev, m, &config, stack_prepared, a);
	nnmodel_free(m);
	status = stack_answer_wait(a);
	MUST(!launch || launch == status);
	*model = a->model;
	return status;
}

enum nnhal_status stack_run(struct nnhal_prepared_model *pm, struct stack_call *call)
{
	static const struct nnhal_execution_config config = NNHAL_EXECUTION_CONFIG_INIT;
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status;

	status =
		pm->ops->execute_synchronously(pm, &call->request, &config, NNHAL_NO_TIME, &result);
	nnhal_execution_result_clear(&result);
	return status;
}

/* Prepare and run. */
static enum nnhal_status try_model(struct nnhal_device *dev)
{
	struct nnhal_prepared_model *pm = NULL;
	enum nnhal_status status = stack_prepare(dev, stack_model(1, 4), &pm);
	struct stack_call call;

	if (status)
		return status;
	stack_call_init(&call, 4);
	status = stack_run(pm, &call);
	stack_call_fini(&call);
	pm->ops->destroy(pm);
	return status;
}

void stack_works_again(struct nnhal_device *dev)
{
	enum nnhal_status status;

	/* the worker that is there may be one that is about to die */
	MUST_SAY(EVENTUALLY((status = try_model(dev)) != NNHAL_DEAD_OBJECT), "no new worker");
	MUST_SAY(status == NNHAL_NONE, "the device says %s", nnhal_status_name(status));
}

void stack_recovers(struct nnhal_device *dev, struct stack_usage before)
{
	char message[512];

	if (!dev)
		MUST_SAY(EVENTUALLY(!stack_driver()->open("worker:cpu", &dev, message,
							  sizeof(message))),
			 "%s", message);
	stack_works_again(dev);
	dev->ops->destroy(dev);
	stack_nothing_left(before);
}
