// SPDX-License-Identifier: Apache-2.0
#include "hald_service.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "descriptors.h"
#include "temp.h"
#include "test_case.h"
#include "wire/nnipc_wire.h"

void (*hald_prepare)(void);

/* ---- the service ---- */

const char *hald_socket(void)
{
	return temp_path("hald.sock");
}

static void hald_environment(void)
{
	if (hald_prepare)
		hald_prepare();
	setenv("NNACCEL_WORKER", FAKE_WORKER, 1);
	setenv("NNACCEL_WORKER_LIBRARY", FAKE_WORKER, 1);
}

struct child_program hald_program(const char *const *argv)
{
	return (struct child_program){ .path = HALD, .argv = argv, .first = hald_environment };
}

/* The next worker ends, and that as @how. */
void hald_reads_end(struct hald *h, const char *how)
{
	const char *end = lines_next(&h->log, "has ended: ");

	if (!end)
		fail_msg("%s", h->log.text);
	if (strncmp(end, how, strlen(how)))
		fail_msg("not %s: %s", how, h->log.text);
}

void hald_start_with(struct hald *h, const char *const *options)
{
	const char *argv[16] = { "nnaccel-hald", "--listen", hald_socket() };
	const struct child_program program = hald_program(argv);

	for (int i = 0; options[i]; i++)
		argv[3 + i] = options[i];
	h->pid = lines_execute(&h->log, &program);
	if (!lines_await(&h->log, "nnaccel-hald: listens on "))
		fail_msg("%s", h->log.text);
}

void hald_start(struct hald *h, const char *option, const char *value)
{
	hald_start_with(h, (const char *[]){ option, value, NULL });
}

int hald_stop(struct hald *h, int signal)
{
	const int status = child_kill(h->pid, signal);

	lines_close(&h->log);
	return status;
}

/* ---- a client ---- */

int hald_dial(void)
{
	int sock = unix_dial(hald_socket(), SOCK_SEQPACKET), on = 1;

	assert_true(sock >= 0);
	assert_int_equal(setsockopt(sock, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)), 0);
	return sock;
}

/* HELLO both ways; @why: of a refusal. Returns the version; @pid: who answered. */
uint32_t hald_greet(int sock, char *why, size_t size, pid_t *pid)
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

int hald_served(pid_t *pid)
{
	int sock = hald_dial();
	char why[256];

	if (hald_greet(sock, why, sizeof(why), pid) != NNIPC_VERSION)
		fail_msg("%s", why);
	return sock;
}

/* Whether one is served now; a place that becomes free does so a little later. */
bool hald_serves(void)
{
	int sock = hald_dial();
	char why[256];
	bool yes = hald_greet(sock, why, sizeof(why), NULL) == NNIPC_VERSION;

	close(sock);
	return yes;
}

void hald_await_hang_up(int sock)
{
	char byte;

	assert_true(recv(sock, &byte, 1, 0) <= 0);
}

bool hald_runs(pid_t pid)
{
	return !kill(pid, 0);
}
