// SPDX-License-Identifier: Apache-2.0
/*
 * A worker for the tests of nnaccel-hald: in the sandbox, without a device. It answers the first
 * message by HELLO; then "abort", "deaf" (it does not see the client go), "chat", "limit" (print
 * how much memory it may use) and "eat N" (use N MiB of memory) are obeyed.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/sandbox.h"
#include "wire/nnipc_wire.h"

#define SOCKET 3

static void eat(size_t mib)
{
	volatile char *memory = malloc(mib << 20);

	for (size_t i = 0; memory && i < mib << 20; i += 4096)
		memory[i] = 1;
	fprintf(stderr, "has eaten %zu MiB: %s\n", mib, memory ? "yes" : "no");
}

static void obey(const char *order)
{
	if (!strcmp(order, "abort"))
		abort();
	while (!strcmp(order, "deaf"))
		pause();
	for (int i = 0; !strcmp(order, "chat") && i < 1000; i++)
		fprintf(stderr, "line %d of many\033[31m\n", i);
	if (!strcmp(order, "limit"))
		fprintf(stderr, "may use %s\n", getenv("NNACCEL_MEMORY_LIMIT"));
	if (!strncmp(order, "eat ", 4))
		eat(strtoul(order + 4, NULL, 10));
}

int main(int argc, char **argv)
{
	const struct nnipc_header header = { .kind = NNIPC_HELLO };
	struct nnipc_sandbox sandbox = { .mode = NNIPC_SANDBOX_OFF };
	struct nnipc_frame hello = { 0 };
	struct nnipc_writer w = { 0 };
	/* a hostile one lets go of its monitor and has the door open */
	const bool hostile = getenv("NNHAL_TEST_OPEN_DOOR") != NULL;
	char order[64], message[256];
	ssize_t got;

	/* nnaccel-worker --library PATH --sandbox MODE */
	if (argc < 5 || nnipc_sandbox_mode_parse(argv[4], &sandbox.mode) ||
	    nnipc_sandbox_enter(&sandbox, message, sizeof(message)) ||
	    nnipc_frame_receive(SOCKET, &hello, -1) || hello.header.kind != NNIPC_HELLO ||
	    (!hostile && nnipc_sandbox_lock(&sandbox, message, sizeof(message))))
		return 1;
	nnipc_put_u32(&w, NNIPC_VERSION);
	nnipc_frame_send(SOCKET, &header, &w);
	nnipc_writer_fini(&w);
	nnipc_frame_fini(&hello);
	if (hostile && (close(sandbox.process) || close(sandbox.monitor)))
		return 1;
	while ((got = recv(SOCKET, order, sizeof(order) - 1, 0)) > 0) {
		order[got] = '\0';
		obey(order);
	}
	_exit(0); /* as a worker does: the sandbox has no /proc for LeakSanitizer */
}
