// SPDX-License-Identifier: Apache-2.0
/*
 * The emulated card's control port: one line to its slot, one line back. In a virtual machine the slot is on the
 * host; that of nnaccel-emud has a socket (NNACCEL_CONTROL names it).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "nnaccel_load.h"

#define PORT	"/dev/virtio-ports/nnaccel.control"

bool nn_has_control(void)
{
	return access(getenv("NNACCEL_CONTROL") ?: PORT, R_OK | W_OK) == 0;
}

static int open_socket(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), ret;

	if (fd < 0)
		return -errno;
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	if (!connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return fd;
	ret = errno == EAGAIN ? -EBUSY : -errno;
	close(fd);
	return ret;
}

/* The port has one user at a time. */
static int open_port(void)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	const char *path = getenv("NNACCEL_CONTROL");

	for (;;) {
		int fd = path ? open_socket(path) : open(PORT, O_RDWR | O_NONBLOCK | O_CLOEXEC);

		if (fd < 0 && !path)
			fd = -errno;
		if (fd != -EBUSY || nn_now() > end)
			return fd;
		nn_sleep_ms(20);
	}
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		struct pollfd p = { .fd = fd, .events = POLLOUT };
		ssize_t n = write(fd, text, len);

		if (n > 0) {
			text += n;
			len -= n;
		} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
			return -errno;
		} else if (poll(&p, 1, NN_WAIT_S * 1000) == 0) {
			return -ETIMEDOUT;
		}
	}
	return 0;
}

static int read_line(int fd, char *line, size_t size)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	size_t len = 0;

	while (nn_now() < end) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		char c;
		ssize_t n = read(fd, &c, 1);

		if (n == 1 && c == '\n') {
			line[len] = '\0';
			return 0;
		}
		if (n == 1) {
			if (len + 1 < size)
				line[len++] = c;
		} else if (n == 0) {
			/* The slot is not connected yet. */
			nn_sleep_ms(20);
		} else if (errno != EAGAIN && errno != EINTR) {
			return -errno;
		} else {
			poll(&p, 1, 1000);
		}
	}
	return -ETIMEDOUT;
}

int nn_control(char *answer, size_t size, const char *format, ...)
{
	char line[160];
	va_list args;
	int fd, n, ret;

	va_start(args, format);
	n = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(line) - 1)
		return -EINVAL;
	line[n++] = '\n';

	fd = open_port();
	if (fd < 0)
		return fd;
	ret = write_all(fd, line, n);
	if (!ret)
		ret = read_line(fd, answer, size);
	close(fd);
	if (!ret && strncmp(answer, "ok", 2) != 0)
		ret = -EREMOTEIO;
	return ret;
}

/* The generation of a card that was just started; if none is running, the next generation. */
static int next_generation(const char *answer, uint32_t *generation)
{
	const char *g = strstr(answer, "generation="), *pid = strstr(answer, "pid=");

	if (!g)
		return -EPROTO;
	*generation = strtoul(g + strlen("generation="), NULL, 10);
	if (!pid || strtoul(pid + strlen("pid="), NULL, 10) == 0)
		++*generation;
	return 0;
}

static int wait_started(int fd, const char *answer)
{
	uint32_t generation;
	int ret = next_generation(answer, &generation);

	return ret ? ret : nn_wait_state(fd, DRM_NNACCEL_DEVICE_ONLINE, generation);
}

int nn_card_fault(int fd, const char *spec)
{
	char answer[256];
	int ret = nn_control(answer, sizeof(answer), "fault %s", spec);

	return ret ? ret : wait_started(fd, answer);
}

int nn_card_hold(int fd)
{
	char answer[256];
	int ret = nn_control(answer, sizeof(answer), "hold");

	return ret ? ret : nn_wait_state(fd, DRM_NNACCEL_DEVICE_LINK_LOST, 0);
}

int nn_card_do(const char *command)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	char answer[256];
	int ret;

	/* Between two generations there is no card, for long on a busy machine. */
	while ((ret = nn_control(answer, sizeof(answer), "%s", command)) == -EREMOTEIO &&
	       strcmp(answer, "error no card") == 0 && nn_now() < end)
		nn_sleep_ms(10);
	return ret;
}

int nn_card_start(int fd)
{
	char answer[256];
	int ret = nn_control(answer, sizeof(answer), "start");

	return ret ? ret : wait_started(fd, answer);
}

int nn_board_repair(int fd)
{
	struct drm_nnaccel_device_info info;
	char address[64];
	int ret = nn_dev_address(fd, address, sizeof(address));

	if (ret || !nn_is_board(address))
		return ret;
	ret = nn_device_info(fd, &info);
	if (ret || info.state != DRM_NNACCEL_DEVICE_FAILED)
		return ret;
	ret = nn_unbind(address);
	if (!ret)
		ret = nn_bind(address);
	if (!ret)
		ret = nn_works_again();
	return ret ? ret : 1;
}

int nn_card_heal(int fd)
{
	char answer[256];
	int ret;

	nn_params_heal();
	if (nn_has_control()) {
		ret = nn_control(answer, sizeof(answer), "status");
		if (ret)
			return ret;
		if (strstr(answer, " reset_line=off")) {
			char reset[256];

			ret = nn_control(reset, sizeof(reset), "reset-line on");
			if (ret)
				return ret;
		}
		if (strstr(answer, " held=1")) {
			ret = nn_card_start(fd);
			if (ret)
				return ret;
		}
		if (strstr(answer, " stopped=1") || !strstr(answer, " fault=none"))
			return nn_card_fault(fd, "none");
	}
	if (nn_board_repair(fd) > 0)
		return 0;
	return nn_wait_state(fd, DRM_NNACCEL_DEVICE_ONLINE, 0);
}
