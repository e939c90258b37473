// SPDX-License-Identifier: Apache-2.0
/*
 * Hostile clients of the card's control socket. The card's process is replaced by a number: no
 * process is started; kill() and waitid() are caught. Every answer is one line, "ok ..." or "error
 * ...", and there are at most as many answers as lines.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz_target.h"
#include "slot/slot.h"

#define CARD 0x3fffffff /* no process has this id: PID_MAX_LIMIT is 2^22 */
#define MAX_INPUT 65536u

static uint64_t inputs, answers, ok_answers, closed;
static struct nnaccel_regs *regs;
static struct slot slot;

/* ---- instead of the card's process ---- */

int __wrap_kill(pid_t pid, int signal);
int __wrap_kill(pid_t pid, int signal)
{
	if (pid != CARD || slot.pid != CARD ||
	    (signal != SIGKILL && signal != SIGSTOP && signal != SIGCONT))
		abort();
	return 0;
}

/* What the card answers to SIGSTOP: it stops; or it has just died. */
int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options);
int __wrap_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	if (type != P_PID || id != CARD || slot.pid != CARD || !(options & WSTOPPED) ||
	    !(options & WNOWAIT))
		abort();
	info->si_pid = CARD;
	info->si_code = inputs % 8 ? CLD_STOPPED : CLD_KILLED;
	return 0;
}

static void gone(void)
{
	slot.pid = 0;
	slot.stopped = false;
}

int card_process_start_if_due(struct slot *s)
{
	if (s->held || s->pid > 0)
		return -1;
	s->pid = CARD;
	s->generation++;
	s->starts++;
	return -1;
}

void card_process_kill(struct slot *s)
{
	if (s->pid > 0)
		gone();
}

void card_process_died(struct slot *s)
{
	if (s->pid <= 0)
		abort();
	gone();
}

void card_process_reset_line(struct slot *s)
{
	s->resets += !s->reset_off;
}

/* ---- the target ---- */

struct client {
	int fd;
	char line[SLOT_ANSWER_MAX + 1];
	size_t len;
	uint64_t answers;
};

static void take_answers(struct client *c)
{
	char byte;

	while (recv(c->fd, &byte, 1, MSG_DONTWAIT) == 1) {
		if (byte != '\n') {
			if (c->len == SLOT_ANSWER_MAX)
				abort();
			c->line[c->len++] = byte;
			continue;
		}
		c->line[c->len] = '\0';
		if (strncmp(c->line, "ok", 2) && strncmp(c->line, "error ", 6))
			abort();
		ok_answers += c->line[0] == 'o';
		c->answers++;
		c->len = 0;
	}
}

/* Serve the connection until it has nothing to read. */
static void serve(struct control_connection *control, struct client *c)
{
	for (;;) {
		struct pollfd p = { .fd = control->fd, .events = control_socket_events(control) };

		if (control->fd < 0 || poll(&p, 1, 0) <= 0 || !p.revents)
			return;
		control_socket_event(&slot, control, p.revents);
		if (control->in_len > sizeof(control->in) ||
		    control->out_len > sizeof(control->out) || control->out_sent > control->out_len)
			abort();
		take_answers(c);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct client client = { .fd = -1 };
	struct control_connection *control = &slot.controls[0];
	size_t chunk = size ? 1 + (size_t)data[0] % 64 * 8 : 1, lines = 0;
	int fds[2], event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (!regs)
		regs = aligned_alloc(4096, 2 * 4096);
	if (!regs || event < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		abort();
	memset(regs, 0, 2 * 4096);
	slot = (struct slot){ .regs = regs, .peer = -1, .generation = 1, .pid = CARD, .starts = 1 };
	for (unsigned int i = 0; i < SLOT_VECTORS; i++)
		slot.irq[i] = event;
	for (unsigned int i = 0; i < SLOT_CONTROLS; i++)
		slot.controls[i].fd = -1;
	control->fd = fds[0];
	client.fd = fds[1];
	inputs++;
	if (size > MAX_INPUT)
		size = MAX_INPUT;
	for (size_t at = 1; at < size && control->fd >= 0; at += chunk) {
		size_t n = size - at < chunk ? size - at : chunk;

		for (size_t i = at; i < at + n; i++)
			lines += data[i] == '\n';
		if (send(client.fd, data + at, n, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)n)
			break;
		serve(control, &client);
	}
	/* the client leaves */
	shutdown(client.fd, SHUT_WR);
	serve(control, &client);
	if (client.answers > lines || client.len)
		abort();
	answers += client.answers;
	closed += control->fd < 0;
	if (control->fd >= 0)
		control_socket_close(control);
	close(client.fd);
	close(event);
	return 0;
}

/* ---- for the driver ---- */

/* The first byte is the size of the chunks in which the client sends. */
static const char *const scripts[] = {
	"\x40status\nkill\nstatus\nstart\nstatus\n",
	"\x01stop\ncont\nhold\nstatus\nstart\nquit\n",
	/* octal: a hexadecimal escape would take in the f */
	"\003fault die-at-job=3\nfault nonsense=bad-queue@1\nfault early-death=2:always\nstatus\n",
	"\x20reset-line off\nreset-line on\nreset-line x\nstart \nunknown\n\n \r\nstatus\r\n",
};

static size_t seeds(struct fuzz_seed **list)
{
	static const char *const names[] = { "kill", "hold", "fault", "reset" };
	size_t count = 0;

	*list = NULL;
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		fuzz_add_seed(list, &count, names[i], scripts[i], strlen(scripts[i]));
	return count;
}

static size_t mutate(uint8_t *data, size_t size, uint64_t *random)
{
	static const char *const tokens[] = {
		"\n",
		"\r\n",
		" ",
		"=",
		":",
		"@",
		"-1",
		"\xff",
		"kill\n",
		"stop\n",
		"cont\n",
		"hold\n",
		"start\n",
		"quit\n",
		"status\n",
		"fault ",
		"reset-line",
		"hang-at-job=",
		":always",
		"4294967296",
		"18446744073709551616",
		"slow-job=1,10",
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	};

	for (uint32_t k = 1 + fuzz_random(random) % 6; k--;) {
		const char *token =
			tokens[fuzz_random(random) % (sizeof(tokens) / sizeof(tokens[0]))];
		size_t at = fuzz_random(random) % size, length = strlen(token);

		if (fuzz_random(random) % 2) {
			data[at] = (uint8_t)fuzz_random(random);
		} else {
			memmove(data + at + length, data + at, size - at);
			memcpy(data + at, token, length);
			size += length;
		}
	}
	return size;
}

static bool reached(uint64_t rounds)
{
	return ok_answers >= rounds && answers - ok_answers >= rounds / 10;
}

static void report(void)
{
	printf("%llu inputs, %llu answers, %llu of them ok, %llu connections closed\n",
	       (unsigned long long)inputs, (unsigned long long)answers,
	       (unsigned long long)ok_answers, (unsigned long long)closed);
}

static void stop(void)
{
	free(regs);
	regs = NULL;
}

const struct fuzz_target fuzz_target = {
	.suffix = ".script",
	.seeds = seeds,
	.mutate = mutate,
	.reached = reached,
	.report = report,
	.stop = stop,
};
