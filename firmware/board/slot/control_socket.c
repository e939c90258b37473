// SPDX-License-Identifier: Apache-2.0
/*
 * DIR/control.sock: one command per line, one answer per line ("ok ..." or "error ..."), any number
 * of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nnutil_clock.h"
#include "board.h"
#include "slot/slot.h"

/* For a card that has to come out of the kernel first. */
#define STOP_LIMIT_MS 5000

__attribute__((format(printf, 2, 3))) static void answer(struct control_connection *c,
							 const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(c->out, sizeof(c->out) - 1, format, args);
	va_end(args);
	if (n < 0)
		n = 0;
	if ((size_t)n > sizeof(c->out) - 2)
		n = sizeof(c->out) - 2;
	c->out[n++] = '\n';
	c->out_len = (size_t)n;
	c->out_sent = 0;
}

/* Start the card now if possible; answer whether it was. */
static void start_now(struct slot *slot, struct control_connection *c)
{
	slot->immediate = true;
	slot->early_deaths = 0;
	card_process_start_if_due(slot);
	if (slot->pid > 0)
		answer(c, "ok generation=%" PRIu32 " pid=%d", slot->generation, (int)slot->pid);
	else
		answer(c, "ok generation=%" PRIu32 " pid=0 waiting", slot->generation);
}

static void cmd_kill(struct slot *slot, struct control_connection *c, const char *arg)
{
	(void)arg;
	if (slot->pid <= 0) {
		answer(c, "error no card");
		return;
	}
	kill(slot->pid, SIGKILL);
	card_process_died(slot);
	slot->early_deaths = 0;
	slot->start_at_ms =
		(uint64_t)nnutil_monotonic_ns() / NNUTIL_NS_PER_MS + slot->opt.restart_delay_ms;
	answer(c, "ok generation=%" PRIu32, slot->generation);
}

/*
 * Wait until the card's process has stopped, all its threads. On a loaded machine the signal is
 * taken late, and a client with the answer "stopped" would see the card go on.
 */
static bool wait_stopped(const struct slot *slot)
{
	for (int left = STOP_LIMIT_MS; left; left--) {
		siginfo_t info = { 0 };

		/* the status stays: for a second "stop", and card_process.c reaps */
		if (waitid(P_PID, (id_t)slot->pid, &info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT))
			return false;
		if (info.si_pid)
			return info.si_code == CLD_STOPPED;
		nanosleep(&(struct timespec){ .tv_nsec = NNUTIL_NS_PER_MS }, NULL);
	}
	return false;
}

static void cmd_stop(struct slot *slot, struct control_connection *c, const char *arg)
{
	(void)arg;
	if (slot->pid <= 0) {
		answer(c, "error no card");
		return;
	}
	kill(slot->pid, SIGSTOP);
	if (!wait_stopped(slot)) {
		kill(slot->pid, SIGCONT);
		answer(c, "error the card does not stop");
		return;
	}
	slot->stopped = true;
	answer(c, "ok pid=%d", (int)slot->pid);
}

static void cmd_cont(struct slot *slot, struct control_connection *c, const char *arg)
{
	(void)arg;
	if (slot->pid <= 0) {
		answer(c, "error no card");
		return;
	}
	kill(slot->pid, SIGCONT);
	slot->stopped = false;
	answer(c, "ok pid=%d", (int)slot->pid);
}

static void cmd_hold(struct slot *slot, struct control_connection *c, const char *arg)
{
	(void)arg;
	slot->held = true;
	card_process_kill(slot);
	answer(c, "ok generation=%" PRIu32, slot->generation);
}

static void cmd_hold_next(struct slot *slot, struct control_connection *c, const char *arg)
{
	(void)arg;
	if (slot->pid <= 0) {
		answer(c, "error no card");
		return;
	}
	slot->hold_next = true;
	answer(c, "ok generation=%" PRIu32, slot->generation);
}

static void cmd_start(struct slot *slot, struct control_connection *c, const char *arg)
{
	(void)arg;
	slot->held = false;
	slot->hold_next = false;
	start_now(slot, c);
}

static void cmd_fault(struct slot *slot, struct control_connection *c, const char *arg)
{
	struct fault_spec spec;

	if (fault_parse(arg, &spec)) {
		answer(c, "error bad fault \"%.80s\"", arg);
		return;
	}
	/* In this order: killing removes the old card's fault. */
	card_process_kill(slot);
	slot->fault = spec;
	start_now(slot, c);
}

static void cmd_reset_line(struct slot *slot, struct control_connection *c, const char *arg)
{
	if (strcmp(arg, "on") != 0 && strcmp(arg, "off") != 0) {
		answer(c, "error reset line \"%.80s\"", arg);
		return;
	}
	slot->reset_off = strcmp(arg, "off") == 0;
	/* carry out a reset that was requested meanwhile */
	card_process_reset_line(slot);
	answer(c, "ok resets=%" PRIu32, slot->resets);
}

static void cmd_status(struct slot *slot, struct control_connection *c, const char *arg)
{
	char fault[FAULT_TEXT_SIZE];

	(void)arg;
	fault_format(&slot->fault, fault, sizeof(fault));
	answer(c,
	       "ok generation=%" PRIu32 " pid=%d link=%s restarts=%" PRIu32 " resets=%" PRIu32
	       " held=%d stopped=%d reset_line=%s guest=%d fw_state=%" PRIu32 " fault=%s",
	       slot->generation, (int)slot->pid, slot->pid > 0 ? "present" : "absent",
	       slot->starts ? slot->starts - 1 : 0, slot->resets, slot->held, slot->stopped,
	       slot->reset_off ? "off" : "on", slot->peer >= 0, reg_get32(&slot->regs->fw_state),
	       fault);
}

static void cmd_quit(struct slot *slot, struct control_connection *c, const char *arg)
{
	(void)arg;
	slot->quit = true;
	answer(c, "ok");
}

static const struct {
	const char *name;
	bool argument;
	void (*run)(struct slot *slot, struct control_connection *c, const char *arg);
} commands[] = {
	{ "kill", false, cmd_kill },	       { "stop", false, cmd_stop },
	{ "cont", false, cmd_cont },	       { "hold", false, cmd_hold },
	{ "hold-next", false, cmd_hold_next }, { "start", false, cmd_start },
	{ "fault", true, cmd_fault },	       { "reset-line", true, cmd_reset_line },
	{ "status", false, cmd_status },       { "quit", false, cmd_quit },
};

static void run_line(struct slot *slot, struct control_connection *c, char *line)
{
	size_t len = strlen(line);
	char *arg;

	while (len && (line[len - 1] == '\r' || line[len - 1] == ' '))
		line[--len] = '\0';
	if (!len)
		return;
	arg = strchr(line, ' ');
	if (arg)
		*arg++ = '\0';
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(line, commands[i].name) != 0)
			continue;
		if (commands[i].argument != (arg != NULL))
			answer(c, "error \"%s\" takes %s argument", line,
			       commands[i].argument ? "an" : "no");
		else
			commands[i].run(slot, c, arg);
		return;
	}
	answer(c, "error unknown command \"%.80s\"", line);
}

static bool control_socket_flush(struct control_connection *c)
{
	while (c->out_sent < c->out_len) {
		ssize_t n = send(c->fd, c->out + c->out_sent, c->out_len - c->out_sent,
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return true;
		if (n <= 0)
			return false;
		c->out_sent += (size_t)n;
	}
	c->out_len = 0;
	c->out_sent = 0;
	return true;
}

/* Serve the lines in the buffer as long as answers can be sent. */
static bool serve_lines(struct slot *slot, struct control_connection *c)
{
	char *end;

	while (!c->out_len && (end = memchr(c->in, '\n', c->in_len))) {
		size_t line = (size_t)(end - c->in);

		*end = '\0';
		if (c->skip || memchr(c->in, '\0', line))
			answer(c, "error bad line");
		else
			run_line(slot, c, c->in);
		c->skip = false;
		c->in_len -= line + 1;
		memmove(c->in, end + 1, c->in_len);
		if (!control_socket_flush(c))
			return false;
	}
	if (c->in_len == sizeof(c->in) && !c->out_len) {
		c->skip = true;
		c->in_len = 0;
	}
	return true;
}

void control_socket_close(struct control_connection *c)
{
	if (c->fd >= 0)
		close(c->fd);
	*c = (struct control_connection){ .fd = -1 };
}

void control_socket_accept(struct slot *slot)
{
	int fd = accept4(slot->control_listen, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	for (unsigned int i = 0; i < SLOT_CONTROLS; i++) {
		if (slot->controls[i].fd < 0) {
			slot->controls[i].fd = fd;
			return;
		}
	}
	close(fd);
}

short control_socket_events(const struct control_connection *c)
{
	return c->out_len ? POLLOUT : POLLIN;
}

void control_socket_event(struct slot *slot, struct control_connection *c, short revents)
{
	bool ok = true;

	if (c->out_len) {
		ok = !(revents & (POLLERR | POLLHUP)) && control_socket_flush(c);
	} else if (revents & (POLLIN | POLLHUP | POLLERR)) {
		ssize_t n = recv(c->fd, c->in + c->in_len, sizeof(c->in) - c->in_len, MSG_DONTWAIT);

		if (n > 0)
			c->in_len += (size_t)n;
		else
			ok = n < 0 && (errno == EAGAIN || errno == EINTR);
	}
	if (!ok || !serve_lines(slot, c))
		control_socket_close(c);
}
