// SPDX-License-Identifier: Apache-2.0
/*
 * nnaccel-hald: clients that it serves, reasons for clients that it refuses, and ends of clients
 * and workers.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "eventually.h"
#include "sandbox/sandbox_internal.h"
#include "scratch.h"
#include "wire/frame.h"

static char folder[64];

struct hald {
	pid_t pid;
	int log;
	char text[65536];
	size_t length, judged; /* of @text: what has been read, what is about workers that have
				  ended */
};

/* ---- the service ---- */

static void exec_hald(char **argv, int log)
{
	/* also of a test that fails */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setenv("NNACCEL_WORKER", FAKE_WORKER, 1);
	setenv("NNACCEL_WORKER_LIBRARY", FAKE_WORKER, 1);
	dup2(log, STDERR_FILENO);
	dup2(log, STDOUT_FILENO);
	execv(HALD, argv);
	_exit(99);
}

static void socket_path(char *path, size_t size)
{
	snprintf(path, size, "%s/hald.sock", folder);
}

/* Its lines are written at once. */
static bool reads_more(struct hald *h)
{
	ssize_t got = read(h->log, h->text + h->length, sizeof(h->text) - 1 - h->length);

	if (got <= 0)
		return false;
	h->length += (size_t)got;
	h->text[h->length] = '\0';
	return true;
}

static bool reads(struct hald *h, const char *text)
{
	while (!strstr(h->text, text))
		if (!reads_more(h))
			return false;
	return true;
}

/* The next worker ends, and that as @how. */
static void reads_end(struct hald *h, const char *how)
{
	static const char words[] = "has ended: ";
	const char *end;

	while (!(end = strstr(h->text + h->judged, words)))
		if (!reads_more(h))
			fail_msg("%s", h->text);
	end += sizeof(words) - 1;
	h->judged = (size_t)(end - h->text);
	if (strncmp(end, how, strlen(how)))
		fail_msg("not %s: %s", how, h->text);
}

static void start(struct hald *h, const char *option, const char *value)
{
	char path[128];
	char *argv[] = { (char *)"nnaccel-hald", (char *)"--listen", path,
			 (char *)option,	 (char *)value,	     NULL };
	int log[2];

	memset(h, 0, sizeof(*h));
	socket_path(path, sizeof(path));
	assert_int_equal(pipe2(log, O_CLOEXEC), 0);
	h->pid = fork();
	if (!h->pid)
		exec_hald(argv, log[1]);
	close(log[1]);
	h->log = log[0];
	if (!reads(h, "nnaccel-hald: listens on "))
		fail_msg("%s", h->text);
}

static int stop(struct hald *h, int signal)
{
	int status;

	assert_int_equal(kill(h->pid, signal), 0);
	assert_int_equal(waitpid(h->pid, &status, 0), h->pid);
	close(h->log);
	return status;
}

/* ---- a client ---- */

static int dial(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int on = 1;

	socket_path(address.sun_path, sizeof(address.sun_path));
	assert_int_equal(setsockopt(sock, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)), 0);
	assert_int_equal(connect(sock, (struct sockaddr *)&address, sizeof(address)), 0);
	return sock;
}

/* HELLO both ways; @why: of a refusal. Returns the version; @pid: who answered. */
static uint32_t greet(int sock, char *why, size_t size, pid_t *pid)
{
	const struct nnipc_header header = { .kind = NNIPC_HELLO };
	struct nnipc_writer w = { 0 };
	struct nnipc_frame f = { 0 };
	uint32_t version;

	nnipc_put_u32(&w, NNIPC_VERSION);
	nnipc_put_u32(&w, NNIPC_VERSION);
	nnipc_put_u32(&w, 4096);
	assert_int_equal(nnipc_frame_send(sock, &header, &w), 0);
	nnipc_writer_fini(&w);
	assert_int_equal(nnipc_frame_receive(sock, &f, -1), 0);
	assert_int_equal(f.header.kind, NNIPC_HELLO);
	version = nnipc_get_u32(&f.reader);
	why[0] = '\0';
	if (!version)
		nnipc_get_text_into(&f.reader, why, size);
	if (pid)
		*pid = f.pid;
	nnipc_frame_fini(&f);
	return version;
}

static int served(pid_t *pid)
{
	int sock = dial();
	char why[256];

	if (greet(sock, why, sizeof(why), pid) != NNIPC_VERSION)
		fail_msg("%s", why);
	return sock;
}

/* Whether one is served now; a place that becomes free does so a little later. */
static bool is_served(void)
{
	int sock = dial();
	char why[256];
	bool yes = greet(sock, why, sizeof(why), NULL) == NNIPC_VERSION;

	close(sock);
	return yes;
}

static void await_hang_up(int sock)
{
	char byte;

	assert_true(recv(sock, &byte, 1, 0) <= 0);
}

static bool runs(pid_t pid)
{
	return !kill(pid, 0);
}

/* ---- tests ---- */

static void test_serves(void **state)
{
	struct stat facts;
	struct hald h;
	char path[128];
	pid_t pid;
	int sock;

	(void)state;
	start(&h, "--mode", "0640");
	socket_path(path, sizeof(path));
	assert_int_equal(stat(path, &facts), 0);
	assert_int_equal(facts.st_mode & 0777, 0640);
	sock = served(&pid);
	assert_true(runs(pid));
	close(sock);
	reads_end(&h, "exit status 0");
	assert_true(EVENTUALLY(!runs(pid)));
	assert_int_equal(stop(&h, SIGTERM), 0);
	assert_int_equal(stat(path, &facts), -1);
}

static void test_limits(void **state)
{
	static const struct {
		const char *option, *value, *why;
	} cases[] = {
		{ "--max-per-user", "2", "has reached the limit of 2 open devices" },
		{ "--max", "3", "it serves 2 clients, what is left of 3 is for other users" },
	};
	char why[256];
	struct hald h;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int socks[3];

		start(&h, cases[i].option, cases[i].value);
		socks[0] = served(NULL);
		socks[1] = served(NULL);
		socks[2] = dial();
		assert_int_equal(greet(socks[2], why, sizeof(why), NULL), 0);
		assert_non_null(strstr(why, cases[i].why));
		await_hang_up(socks[2]);
		close(socks[0]);
		assert_true(EVENTUALLY(is_served()));
		close(socks[1]);
		close(socks[2]);
		stop(&h, SIGTERM);
	}
}

/* A client that sends nothing is cut, and delays no other. */
static void test_silent(void **state)
{
	struct hald h;
	int silent, sock;

	(void)state;
	start(&h, NULL, NULL);
	silent = dial();
	sock = served(NULL);
	assert_int_equal(poll(&(struct pollfd){ .fd = silent, .events = POLLIN }, 1, 0), 0);
	await_hang_up(silent);
	assert_true(reads(&h, "has sent nothing"));
	close(silent);
	close(sock);
	/* silent ones do not keep others out, not even their own user: the oldest make room */
	for (int i = 0; i < 40; i++)
		assert_true(dial() >= 0);
	assert_true(reads(&h, "has sent nothing, another one takes its place"));
	assert_true(is_served());
	stop(&h, SIGTERM);
	for (int fd = silent; fd < silent + 64; fd++)
		if (fd != sock)
			fcntl(fd, F_GETFD) >= 0 ? close(fd) : 0;
}

static void test_worker_dies(void **state)
{
	struct hald h;
	pid_t pid;
	int sock;

	(void)state;
	start(&h, NULL, NULL);
	sock = served(&pid);
	assert_int_equal(kill(pid, SIGKILL), 0);
	await_hang_up(sock);
	close(sock);
	reads_end(&h, "signal 9 (Killed)");
	sock = served(NULL);
	assert_int_equal(send(sock, "abort", 5, MSG_NOSIGNAL), 5);
	await_hang_up(sock);
	close(sock);
	reads_end(&h, "signal 6 (Aborted)");
	stop(&h, SIGTERM);
}

static void test_service_dies(void **state)
{
	static const int deaths[] = { SIGKILL, SIGTERM };
	struct hald h, second;
	pid_t pid;
	int sock;

	(void)state;
	for (size_t i = 0; i < sizeof(deaths) / sizeof(deaths[0]); i++) {
		start(&h, NULL, NULL);
		sock = served(&pid);
		stop(&h, deaths[i]);
		await_hang_up(sock);
		close(sock);
		assert_true(EVENTUALLY(!runs(pid)));
		/* the socket that is left over is no hindrance */
		start(&second, NULL, NULL);
		assert_true(is_served());
		stop(&second, SIGTERM);
	}
}

/* A worker that acts as if its door were shut. With a sanitizer the default sandbox has no filter.
 */
static void test_open_door(void **state)
{
	static const char *const modes[] = { "strict", "default" };
	const size_t count = NNIPC_SANITIZED ? 1 : 2;
	struct hald h;
	int sock;

	(void)state;
	for (size_t i = 0; i < count; i++) {
		setenv("NNHAL_TEST_OPEN_DOOR", "1", 1);
		start(&h, "--sandbox", modes[i]);
		unsetenv("NNHAL_TEST_OPEN_DOOR");
		sock = served(NULL);
		await_hang_up(sock);
		close(sock);
		assert_true(reads(&h, "is ended: "));
		assert_non_null(strstr(h.text, "seccomp"));
		stop(&h, SIGTERM);
	}
}

/* A worker that does not end when its client goes is ended. */
static void test_deaf_worker(void **state)
{
	struct hald h;
	pid_t pid;
	int sock;

	(void)state;
	start(&h, NULL, NULL);
	sock = served(&pid);
	assert_int_equal(send(sock, "deaf", 4, MSG_NOSIGNAL), 4);
	close(sock);
	reads_end(&h, "signal 9 (Killed)");
	assert_true(EVENTUALLY(!runs(pid)));
	stop(&h, SIGTERM);
}

/* Its lines come with its name, not all of them, and nothing that a terminal obeys. */
static void test_log(void **state)
{
	struct hald h;
	int sock;

	(void)state;
	start(&h, NULL, NULL);
	sock = served(NULL);
	assert_int_equal(send(sock, "chat", 4, MSG_NOSIGNAL), 4);
	close(sock);
	reads_end(&h, "exit status 0");
	assert_non_null(strstr(h.text, ": line 7 of many?[31m\n"));
	assert_null(strstr(h.text, "line 999 of many"));
	stop(&h, SIGTERM);
}

/* Two services on one socket. */
static void test_in_use(void **state)
{
	char path[128];
	char *argv[] = { (char *)"nnaccel-hald", (char *)"--listen", path, NULL };
	struct hald h;
	pid_t second;
	int status;

	(void)state;
	start(&h, NULL, NULL);
	socket_path(path, sizeof(path));
	second = fork();
	if (!second)
		exec_hald(argv, STDERR_FILENO);
	assert_int_equal(waitpid(second, &status, 0), second);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	assert_true(is_served());
	stop(&h, SIGTERM);
}

static void test_options(void **state)
{
	static const char *const cases[][4] = {
		{ "--nosuch" },
		{ "--listen" },
		{ "--connection" },
		{ "--listen", "/x", "--mode", "8" },
		{ "--listen", "/x", "--max", "0" },
		{ "--listen", "/x", "--sandbox", "some" },
		{ "--listen", "/x", "--group", "no such group" },
		{ "--listen", "/x", "--library", "relative" },
		{ "--listen", "/x", "--library", "/nowhere/library" },
		{ "--listen", "/x", "behind" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *argv[6] = { (char *)"nnaccel-hald" };
		int status;
		pid_t pid;

		for (size_t a = 0; a < 4; a++)
			argv[a + 1] = (char *)cases[i][a];
		pid = fork();
		if (!pid)
			exec_hald(argv, open("/dev/null", O_WRONLY));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 2);
	}
}

/* ---- systemd's socket ---- */

/* Another socket than the one of start(). */
static int bound(int type)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	socket_path(address.sun_path, sizeof(address.sun_path));
	unlink(address.sun_path);
	assert_int_equal(bind(sock, (struct sockaddr *)&address, sizeof(address)), 0);
	return sock;
}

/* As systemd does it. */
static pid_t pass(int sock, int log)
{
	char *argv[] = { (char *)"nnaccel-hald", (char *)"--max-per-user", (char *)"1", NULL };
	pid_t pid = fork();
	char text[16];

	if (pid)
		return pid;
	snprintf(text, sizeof(text), "%d", (int)getpid());
	setenv("LISTEN_PID", text, 1);
	setenv("LISTEN_FDS", "1", 1);
	/* without close-on-exec, which it keeps if it is the third already */
	dup2(sock, 3);
	fcntl(3, F_SETFD, 0);
	exec_hald(argv, log);
	return 0;
}

/* Clients that come and go at once are no reason to serve no others. */
static void test_passed_socket(void **state)
{
	int sock = bound(SOCK_SEQPACKET), refused, client, status;
	char path[128], why[256];
	pid_t pid;

	(void)state;
	assert_int_equal(listen(sock, 64), 0);
	/* a client may be there before the service */
	client = dial();
	pid = pass(sock, open("/dev/null", O_WRONLY));
	assert_int_equal(greet(client, why, sizeof(why), NULL), NNIPC_VERSION);
	refused = dial();
	assert_int_equal(greet(refused, why, sizeof(why), NULL), 0);
	assert_non_null(strstr(why, "has reached the limit of 1 open devices"));
	close(refused);
	close(client);
	for (int i = 0; i < 1100; i++)
		close(dial());
	assert_true(EVENTUALLY(is_served()));
	assert_int_equal(kill(pid, SIGTERM), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* the socket is systemd's: the next client starts the next service */
	socket_path(path, sizeof(path));
	assert_int_equal(access(path, F_OK), 0);
	unlink(path);
	close(sock);
}

static void test_wrong_passed_socket(void **state)
{
	static const int types[] = { SOCK_SEQPACKET, SOCK_STREAM };
	char *argv[] = { (char *)"nnaccel-hald", NULL };
	int status;
	pid_t pid;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		/* one that does not listen, one of another type */
		int sock = bound(types[i]);

		if (types[i] == SOCK_STREAM)
			assert_int_equal(listen(sock, 5), 0);
		pid = pass(sock, open("/dev/null", O_WRONLY));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
		close(sock);
	}
	/* without systemd */
	pid = fork();
	if (!pid) {
		unsetenv("LISTEN_PID");
		exec_hald(argv, open("/dev/null", O_WRONLY));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

static int make_folder(void **state)
{
	(void)state;
	scratch_path(folder, sizeof(folder), "nnaccel-hald-test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_serves),	      cmocka_unit_test(test_limits),
		cmocka_unit_test(test_silent),	      cmocka_unit_test(test_worker_dies),
		cmocka_unit_test(test_service_dies),  cmocka_unit_test(test_open_door),
		cmocka_unit_test(test_deaf_worker),   cmocka_unit_test(test_log),
		cmocka_unit_test(test_in_use),	      cmocka_unit_test(test_options),
		cmocka_unit_test(test_passed_socket), cmocka_unit_test(test_wrong_passed_socket),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
