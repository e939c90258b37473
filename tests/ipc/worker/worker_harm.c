// SPDX-License-Identifier: Apache-2.0
#include "worker_harm.h"

#include <errno.h>
#include <sys/socket.h>

#include "descriptors.h"

static unsigned int random_state;

void harm_seed(unsigned int seed)
{
	random_state = seed;
}

uint32_t harm_random(void)
{
	random_state = random_state * 1664525u + 1013904223u;
	return random_state >> 8;
}

void harm_send(int sock, const void *data, size_t size)
{
	ssize_t n = send(sock, data, size, MSG_NOSIGNAL);

	assert_true(n == (ssize_t)size || errno == EPIPE || errno == ECONNRESET);
}

struct nnipc_header harm_header(uint8_t kind, uint32_t method)
{
	return (struct nnipc_header){
		.magic = NNIPC_MAGIC, .version = NNIPC_VERSION, .kind = kind, .method = method
	};
}

void harm_drain(const struct client *c)
{
	static uint8_t packet[NNIPC_INLINE_MAX + 64];

	while (recv(c->control.sock, packet, sizeof(packet), MSG_DONTWAIT) > 0)
		;
}

int harm_count_fds(const struct client *c)
{
	int count = descriptors_open_of(c->child.pid);

	return count < 0 ? 0 : count;
}
