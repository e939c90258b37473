// SPDX-License-Identifier: Apache-2.0
/* The way to a worker by the service's socket: who refuses, hangs up, or is another. */
#include "host_test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "descriptors.h"
#include "host/nnipc_host.h"
#include "skip.h"
#include "temp.h"

#define NOBODY 65534

/* A service in a thread: says HELLO with a refusal, or nothing more than that. */
struct service {
	int sock;
	bool refuses;
};

static void *serve_one(void *cookie)
{
	struct service *s = cookie;
	const struct nnipc_header header = { .kind = NNIPC_HELLO };
	int sock = accept(s->sock, NULL, NULL);
	struct nnipc_writer w = { 0 };
	struct nnipc_frame f = { 0 };

	nnipc_frame_receive(sock, &f, -1);
	nnipc_frame_fini(&f);
	nnipc_put_u32(&w, s->refuses ? 0 : NNIPC_VERSION);
	if (s->refuses) {
		nnipc_put_text(&w, "too many of yours");
	} else {
		nnipc_put_u32(&w, 4096);
		nnipc_put_text(&w, "x");
		nnipc_put_text(&w, "y");
	}
	nnipc_frame_send(sock, &header, &w);
	nnipc_writer_fini(&w);
	close(sock);
	return NULL;
}

static int connect_to(const char *path, char *message, size_t size)
{
	struct nnipc_connection *c;
	struct nnipc_target t;
	char text[256];
	int ret;

	snprintf(text, sizeof(text), "service=%s", path);
	assert_int_equal(nnipc_target_parse(text, &t, NULL, 0), 0);
	ret = nnipc_connection_open(&t, NULL, NULL, &c, message, size);
	assert_true(ret < 0);
	assert_null(c);
	nnipc_target_free(&t);
	return ret;
}

TEST(test_service)
{
	const char *own = temp_path("own");
	struct service s = { 0 };
	char message[256] = "", far[300];
	pthread_t thread;

	assert_int_equal(connect_to("/nowhere/at/all", message, sizeof(message)), -ENOENT);
	assert_non_null(strstr(message, "nnaccel-hald"));
	memset(far, 'x', sizeof(far) - 1);
	far[0] = '/';
	far[150] = '\0';
	assert_int_equal(connect_to(far, message, sizeof(message)), -EINVAL);
	assert_non_null(strstr(message, "too long"));

	s.sock = unix_bind(own, SOCK_SEQPACKET);
	assert_int_equal(connect_to(own, message, sizeof(message)), -ECONNREFUSED);
	assert_int_equal(listen(s.sock, 5), 0);
	for (int i = 0; i < 2; i++) {
		s.refuses = !i;
		assert_int_equal(pthread_create(&thread, NULL, serve_one, &s), 0);
		assert_int_equal(connect_to(own, message, sizeof(message)),
				 s.refuses ? -ECONNREFUSED : -EPIPE);
		if (s.refuses)
			assert_non_null(strstr(message, "too many of yours"));
		else
			assert_non_null(strstr(message, "hung up"));
		pthread_join(thread, NULL);
	}
	close(s.sock);
}

/* Takes clients and hangs up, with their HELLO unread or read. */
static void *hang_up_on_all(void *cookie)
{
	struct service *s = cookie;
	struct nnipc_frame f = { 0 };
	int sock;

	for (int i = 0; (sock = accept(s->sock, NULL, NULL)) >= 0; i++) {
		if (i % 2)
			nnipc_frame_receive(sock, &f, -1);
		close(sock);
	}
	nnipc_frame_fini(&f);
	return NULL;
}

/*
 * A service that hangs up before HELLO has made no worker: no crash of it counts, each call tries
 * again, and the message has the service's name.
 */
TEST(test_service_hangs_up)
{
	const char *path = temp_path("hangs-up");
	struct service s = { .sock = unix_bind(path, SOCK_SEQPACKET) };
	struct nnipc_supervisor *supervisor;
	struct nnipc_connection *c;
	struct nnipc_target t;
	char text[128], message[640];
	pthread_t thread;

	assert_int_equal(listen(s.sock, 5), 0);
	assert_int_equal(pthread_create(&thread, NULL, hang_up_on_all, &s), 0);
	snprintf(text, sizeof(text), "service=%s:cpu", path);
	assert_int_equal(nnipc_target_parse(text, &t, NULL, 0), 0);
	supervisor = nnipc_supervisor_get(&t);
	assert_non_null(supervisor);
	for (int i = 0; i < 8; i++) {
		int ret = nnipc_supervisor_start(supervisor, NULL, &c, message, sizeof(message));

		if (ret != -ECONNREFUSED || !strstr(message, path) ||
		    !strstr(message, "nnaccel-hald") || strstr(message, "crash"))
			fail_msg("call %d: %s: %s", i, strerror(-ret), message);
		assert_null(c);
	}
	shutdown(s.sock, SHUT_RDWR);
	pthread_join(thread, NULL);
	close(s.sock);
	nnipc_target_free(&t);
}

/* Another user's process: listens at @others_path, and hangs up on the one that comes. */
static const char *others_path;
static int ready[2];

static int listen_as_nobody(void)
{
	int sock = unix_bind(others_path, SOCK_SEQPACKET);

	CHECK(!chmod(others_path, 0666) && !setresgid(NOBODY, NOBODY, NOBODY));
	CHECK(!setresuid(NOBODY, NOBODY, NOBODY) && !listen(sock, 5));
	CHECK(write(ready[1], "", 1) == 1);
	for (int i = 0; i < 3; i++)
		close(accept(sock, NULL, NULL));
	return 0;
}

/* Who listens is root, this user, or named: models and memory go to no other. */
TEST(test_service_of_another)
{
	static const char *const users[] = { NULL, "65534", "1" };
	char message[256], byte;
	int ret;
	pid_t child;

	if (geteuid())
		skip_host("only root can listen as another user");
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	others_path = temp_path("other");
	child = child_start(NULL, listen_as_nobody);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	for (int i = 0; i < 3; i++) {
		if (users[i])
			setenv("NNACCEL_SERVICE_USER", users[i], 1);
		ret = connect_to(others_path, message, sizeof(message));
		if (ret != (i == 1 ? -ECONNREFUSED : -EPERM) ||
		    (i != 1 && !strstr(message, "user 65534")))
			fail_msg("%d: %s: %s", i, strerror(-ret), message);
	}
	unsetenv("NNACCEL_SERVICE_USER");
	child_end(child);
	close(ready[0]);
	close(ready[1]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		HOST_TEST(test_service),
		HOST_TEST(test_service_hangs_up),
		HOST_TEST(test_service_of_another),
	};

	if (argc < 2)
		return 2;
	host_init(argv[1]);
	return cmocka_run_group_tests_name("ipc-service", tests, NULL, NULL);
}
