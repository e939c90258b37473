// SPDX-License-Identifier: Apache-2.0
#include "sandbox_run.h"
#include "test_case.h"

#include <fcntl.h>
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

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	assert_int_equal(pipe2(log, O_CLOEXEC), 0);
	config.socket = sockets[1];
	config.log = log[1];
	if (nnipc_spawn(&config, &s->child, message, sizeof(message)))
		fail_msg("%s", message);
	close(sockets[1]);
	close(log[1]);
	s->socket = sockets[0];
	lines_open(&s->log, log[0]);
}

int subject_end(struct subject *s, char *how, size_t size)
{
	int status;

	lines_rest(&s->log, 0);
	status = nnipc_child_wait(&s->child, -1, how, size);
	lines_close(&s->log);
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
	const char *at = s->log.text;

	while ((at = strstr(at, line))) {
		if ((at == s->log.text || at[-1] == '\n') && (at[length] == '\n' || !at[length]))
			return true;
		at++;
	}
	return false;
}
