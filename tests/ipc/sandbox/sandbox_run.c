// SPDX-License-Identifier: Apache-2.0
#include "sandbox_run.h"
#include "test_case.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

const char *subject_program = SANDBOX_SUBJECT;

void subject_start(struct subject *s, const char *mode, const char *deed, const char *profile)
{
	char *argv[] = { (char *)"subject", (char *)mode, (char *)deed, (char *)profile, NULL };
	struct nnipc_spawn_config config = { .program = subject_program,
					     .argv = argv,
					     .envp = environ };
	char message[256] = "";
	int sockets[2], log[2];

	memset(s, 0, sizeof(*s));
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	assert_int_equal(pipe2(log, O_CLOEXEC), 0);
	config.socket = sockets[1];
	config.log = log[1];
	if (nnipc_spawn(&config, &s->child, message, sizeof(message)))
		fail_msg("%s", message);
	close(sockets[1]);
	close(log[1]);
	s->socket = sockets[0];
	s->log = log[0];
}

static bool more(struct subject *s)
{
	ssize_t got;

	do
		got = read(s->log, s->text + s->length, sizeof(s->text) - 1 - s->length);
	while (got < 0 && errno == EINTR);
	if (got <= 0)
		return false;
	s->length += (size_t)got;
	s->text[s->length] = '\0';
	return true;
}

bool subject_await(struct subject *s, const char *text)
{
	while (!strstr(s->text, text))
		if (!more(s))
			return false;
	return true;
}

int subject_end(struct subject *s, char *how, size_t size)
{
	int status;

	while (more(s))
		;
	status = nnipc_child_wait(&s->child, -1, how, size);
	close(s->log);
	close(s->socket);
	return status;
}

int subject_run(struct subject *s, const char *mode, const char *deed, const char *profile)
{
	subject_start(s, mode, deed, profile);
	return subject_end(s, NULL, 0);
}

bool subject_printed(const struct subject *s, const char *line)
{
	const size_t length = strlen(line);
	const char *at = s->text;

	while ((at = strstr(at, line))) {
		if ((at == s->text || at[-1] == '\n') && (at[length] == '\n' || !at[length]))
			return true;
		at++;
	}
	return false;
}
