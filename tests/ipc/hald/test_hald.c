// SPDX-License-Identifier: Apache-2.0
/*
 * nnaccel-hald: clients that it serves, reasons for clients that it refuses, and ends of clients
 * and workers.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptors.h"
#include "eventually.h"
#include "hald_service.h"
#include "sandbox/sandbox_private.h"
#include "test_case.h"
#include "wire/nnipc_wire.h"

TEST(test_serves)
{
	struct stat facts;
	struct hald h;
	pid_t pid;
	int sock;

	hald_start(&h, "--mode", "0640");
	assert_int_equal(stat(hald_socket(), &facts), 0);
	assert_int_equal(facts.st_mode & 0777, 0640);
	sock = hald_served(&pid);
	assert_true(hald_runs(pid));
	close(sock);
	hald_reads_end(&h, "exit status 0");
	assert_true(EVENTUALLY(!hald_runs(pid)));
	assert_int_equal(hald_stop(&h, SIGTERM), 0);
	assert_int_equal(stat(hald_socket(), &facts), -1);
}

TEST(test_limits)
{
	static const struct {
		const char *option, *value, *why;
	} cases[] = {
		{ "--max-per-user", "2", "has reached the limit of 2 open devices" },
		{ "--max", "3", "it serves 2 clients, what is left of 3 is for other users" },
	};
	char why[256];
	struct hald h;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int socks[3];

		hald_start(&h, cases[i].option, cases[i].value);
		socks[0] = hald_served(NULL);
		socks[1] = hald_served(NULL);
		socks[2] = hald_dial();
		assert_int_equal(hald_greet(socks[2], why, sizeof(why), NULL), 0);
		assert_non_null(strstr(why, cases[i].why));
		hald_await_hang_up(socks[2]);
		close(socks[0]);
		assert_true(EVENTUALLY(hald_serves()));
		close(socks[1]);
		close(socks[2]);
		hald_stop(&h, SIGTERM);
	}
}

/* A client that sends nothing is cut, and delays no other. */
TEST(test_silent)
{
	struct hald h;
	int silent, sock;

	hald_start(&h, NULL, NULL);
	silent = hald_dial();
	sock = hald_served(NULL);
	assert_int_equal(poll(&(struct pollfd){ .fd = silent, .events = POLLIN }, 1, 0), 0);
	hald_await_hang_up(silent);
	assert_true(lines_await(&h.log, "has sent nothing"));
	close(silent);
	close(sock);
	/* silent ones do not keep others out, not even their own user: the oldest make room */
	for (int i = 0; i < 40; i++)
		assert_true(hald_dial() >= 0);
	assert_true(lines_await(&h.log, "has sent nothing, another one takes its place"));
	assert_true(hald_serves());
	hald_stop(&h, SIGTERM);
	for (int fd = silent; fd < silent + 64; fd++)
		if (fd != sock)
			fcntl(fd, F_GETFD) >= 0 ? close(fd) : 0;
}

TEST(test_worker_dies)
{
	struct hald h;
	pid_t pid;
	int sock;

	hald_start(&h, NULL, NULL);
	sock = hald_served(&pid);
	assert_int_equal(kill(pid, SIGKILL), 0);
	hald_await_hang_up(sock);
	close(sock);
	hald_reads_end(&h, "signal 9 (Killed)");
	sock = hald_served(NULL);
	assert_int_equal(send(sock, "abort", 5, MSG_NOSIGNAL), 5);
	hald_await_hang_up(sock);
	close(sock);
	hald_reads_end(&h, "signal 6 (Aborted)");
	hald_stop(&h, SIGTERM);
}

TEST(test_service_dies)
{
	static const int deaths[] = { SIGKILL, SIGTERM };
	struct hald h, second;
	pid_t pid;
	int sock;

	for (size_t i = 0; i < sizeof(deaths) / sizeof(deaths[0]); i++) {
		hald_start(&h, NULL, NULL);
		sock = hald_served(&pid);
		hald_stop(&h, deaths[i]);
		hald_await_hang_up(sock);
		close(sock);
		assert_true(EVENTUALLY(!hald_runs(pid)));
		/* the socket that is left over is no hindrance */
		hald_start(&second, NULL, NULL);
		assert_true(hald_serves());
		hald_stop(&second, SIGTERM);
	}
}

/* A worker that acts as if its door were shut. With a sanitizer the default sandbox has no filter.
 */
TEST(test_open_door)
{
	static const char *const modes[] = { "strict", "default" };
	const size_t count = NNIPC_SANITIZED ? 1 : 2;
	struct hald h;
	int sock;

	for (size_t i = 0; i < count; i++) {
		setenv("NNHAL_TEST_OPEN_DOOR", "1", 1);
		hald_start(&h, "--sandbox", modes[i]);
		unsetenv("NNHAL_TEST_OPEN_DOOR");
		sock = hald_served(NULL);
		hald_await_hang_up(sock);
		close(sock);
		assert_true(lines_await(&h.log, "is ended: "));
		assert_non_null(strstr(h.log.text, "seccomp"));
		hald_stop(&h, SIGTERM);
	}
}

/* A worker that does not end when its client goes is ended. */
TEST(test_deaf_worker)
{
	struct hald h;
	pid_t pid;
	int sock;

	hald_start(&h, NULL, NULL);
	sock = hald_served(&pid);
	assert_int_equal(send(sock, "deaf", 4, MSG_NOSIGNAL), 4);
	close(sock);
	hald_reads_end(&h, "signal 9 (Killed)");
	assert_true(EVENTUALLY(!hald_runs(pid)));
	hald_stop(&h, SIGTERM);
}

/* Its lines come with its name, not all of them, and nothing that a terminal obeys. */
TEST(test_log)
{
	struct hald h;
	int sock;

	hald_start(&h, NULL, NULL);
	sock = hald_served(NULL);
	assert_int_equal(send(sock, "chat", 4, MSG_NOSIGNAL), 4);
	close(sock);
	hald_reads_end(&h, "exit status 0");
	assert_non_null(strstr(h.log.text, ": line 7 of many?[31m\n"));
	assert_null(strstr(h.log.text, "line 999 of many"));
	hald_stop(&h, SIGTERM);
}

/* Two services on one socket. */
TEST(test_in_use)
{
	const char *const argv[] = { "nnaccel-hald", "--listen", hald_socket(), NULL };
	const struct child_program program = hald_program(argv);
	struct hald h;

	hald_start(&h, NULL, NULL);
	assert_int_equal(child_wait(child_execute(&program)), 1);
	assert_true(hald_serves());
	hald_stop(&h, SIGTERM);
}

TEST(test_options)
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
	struct lines output;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *argv[6] = { "nnaccel-hald" };
		const struct child_program program = hald_program(argv);

		memcpy(argv + 1, cases[i], sizeof(cases[i]));
		assert_int_equal(lines_run(&output, &program), 2);
	}
}

/* ---- systemd's socket ---- */

/* As systemd does it. */
static pid_t pass(int sock)
{
	static const char *const argv[] = { "nnaccel-hald", "--max-per-user", "1", NULL };
	struct child_program program = hald_program(argv);

	program.socket = sock;
	program.output = CHILD_QUIET;
	return child_execute(&program);
}

/* Clients that come and go at once are no reason to serve no others. */
TEST(test_passed_socket)
{
	int sock = unix_bind(hald_socket(), SOCK_SEQPACKET), refused, client;
	char why[256];
	pid_t pid;

	assert_int_equal(listen(sock, 64), 0);
	/* a client may be there before the service */
	client = hald_dial();
	pid = pass(sock);
	assert_int_equal(hald_greet(client, why, sizeof(why), NULL), NNIPC_VERSION);
	refused = hald_dial();
	assert_int_equal(hald_greet(refused, why, sizeof(why), NULL), 0);
	assert_non_null(strstr(why, "has reached the limit of 1 open devices"));
	close(refused);
	close(client);
	for (int i = 0; i < 1100; i++)
		close(hald_dial());
	assert_true(EVENTUALLY(hald_serves()));
	assert_int_equal(child_kill(pid, SIGTERM), 0);
	/* the socket is systemd's: the next client starts the next service */
	assert_int_equal(access(hald_socket(), F_OK), 0);
	unlink(hald_socket());
	close(sock);
}

TEST(test_wrong_passed_socket)
{
	static const int types[] = { SOCK_SEQPACKET, SOCK_STREAM };
	static const char *const argv[] = { "nnaccel-hald", NULL };
	const struct child_program alone = hald_program(argv);
	struct lines log;

	for (size_t i = 0; i < 2; i++) {
		/* one that does not listen, one of another type */
		int sock = unix_bind(hald_socket(), types[i]);

		if (types[i] == SOCK_STREAM)
			assert_int_equal(listen(sock, 5), 0);
		assert_int_equal(child_wait(pass(sock)), 1);
		close(sock);
	}
	/* without systemd */
	unsetenv("LISTEN_PID");
	assert_int_equal(lines_run(&log, &alone), 1);
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

	return cmocka_run_group_tests(tests, NULL, NULL);
}
