// SPDX-License-Identifier: Apache-2.0
#include "hald_service.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"
#include "test_case.h"
#include "wire/nnipc_wire.h"

static char folder[64];
void (*hald_prepare)(void);

/* ---- the service ---- */

void hald_exec(char **argv, int log)
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

void hald_socket(char *path, size_t size)
{
	snprintf(path, size, "%s/hald.sock", folder);
}

/* Its lines are written at once. */
static bool hald_reads_more(struct hald *h)
{
	ssize_t got = read(h->log, h->text + h->length, sizeof(h->text) - 1 - h->length);

	if (got <= 0)
		return false;
	h->length += (size_t)got;
	h->text[h->length] = '\0';
	return true;
}

bool hald_reads(struct hald *h, const char *text)
{
	while (!strstr(h->text, text))
		if (!hald_reads_more(h))
			return false;
	return true;
}

/* The next worker ends, and that as @how. */
void hald_reads_end(struct hald *h, const char *how)
{
	const char words[] = "has ended: ";
	const char *end;

	while (!(end = strstr(h->text + h->judged, words)))
		if (!hald_reads_more(h))
			fail_msg("%s", h->text);
	end += sizeof(words) - 1;
	h->judged = (size_t)(end - h->text);
	if (strncmp(end, how, strlen(how)))
		fail_msg("not %s: %s", how, h->text);
}

void hald_start_with(struct hald *h, const char *const *options)
{
	char path[128];
	char *argv[16] = { (char *)"nnaccel-hald", (char *)"--listen", path };
	int log[2];

	for (int i = 0; options[i]; i++)
		argv[3 + i] = (char *)(uintptr_t)options[i];
	memset(h, 0, sizeof(*h));
	hald_socket(path, sizeof(path));
	assert_int_equal(pipe2(log, O_CLOEXEC), 0);
	h->pid = fork();
	if (!h->pid) {
		if (hald_prepare)
			hald_prepare();
		hald_exec(argv, log[1]);
	}
	close(log[1]);
	h->log = log[0];
	if (!hald_reads(h, "nnaccel-hald: listens on "))
		fail_msg("%s", h->text);
}

void hald_start(struct hald *h, const char *option, const char *value)
{
	hald_start_with(h, (const char *[]){ option, value, NULL });
}

int hald_stop(struct hald *h, int signal)
{
	int status;

	assert_int_equal(kill(h->pid, signal), 0);
	assert_int_equal(waitpid(h->pid, &status, 0), h->pid);
	close(h->log);
	return status;
}

/* ---- a client ---- */

int hald_dial(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int on = 1;

	hald_socket(address.sun_path, sizeof(address.sun_path));
	assert_int_equal(setsockopt(sock, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)), 0);
	assert_int_equal(connect(sock, (struct sockaddr *)&address, sizeof(address)), 0);
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

int hald_make_folder(void **state)
{
	(void)state;
	scratch_path(folder, sizeof(folder), "nnaccel-hald-test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

int hald_remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}
