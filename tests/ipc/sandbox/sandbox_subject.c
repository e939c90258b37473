// SPDX-License-Identifier: Apache-2.0
/*
 * sandbox_subject MODE DEED [PROFILE]: a worker without a device, for the tests of the sandbox. It
 * enters, shuts the door and does one deed; what it has seen goes to the log, in the form
 * "KEY VALUE". Deeds before the sandbox is locked have "open-" in front; "call-NAME" is one of
 * breakout_calls.h, "leave-NAME" the same with leave_handler.h, "libc" all of libc_calls.h,
 * "libc-NAME" one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "breakout_calls.h"
#include "leave_handler.h"
#include "libc_calls.h"
#include "sandbox/sandbox.h"
#include "sandbox_deeds.h"

static void make_libc_calls(void)
{
	for (size_t i = 0; i < num_libc_calls; i++) {
		/* the last line of a worker that is ended names the call */
		printf("makes %s\n", libc_calls[i].name);
		printf("%s %ld\n", libc_calls[i].name, libc_call(libc_calls[i].name));
	}
}

int main(int argc, char **argv)
{
	struct nnipc_sandbox sandbox = { .profile = argc > 3 ? argv[3] : NULL };
	const struct sandbox_deed *deed = argc > 2 ? sandbox_deed_find(argv[2]) : NULL;
	const char *call = argc > 2 && !strncmp(argv[2], "call-", 5) ? argv[2] + 5 : NULL;
	const char *leave = argc > 2 && !strncmp(argv[2], "leave-", 6) ? argv[2] + 6 : NULL;
	const char *one = argc > 2 && !strncmp(argv[2], "libc-", 5) ? argv[2] + 5 : NULL;
	const bool libc = argc > 2 && !strcmp(argv[2], "libc");
	char message[256] = "", text[256];
	int error;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if ((!deed && !call && !leave && !libc && !one) ||
	    nnipc_sandbox_mode_parse(argv[1], &sandbox.mode)) {
		printf("usage MODE DEED\n");
		return 2;
	}
	error = nnipc_sandbox_enter(&sandbox, message, sizeof(message));
	if (error) {
		printf("enter %d %s\n", error, message);
		return 3;
	}
	if (deed && deed->before)
		deed->before();
	error = nnipc_sandbox_lock(&sandbox, message, sizeof(message));
	if (error) {
		printf("close %d %s\n", error, message);
		return 4;
	}
	nnipc_layers_text(sandbox.layers, text, sizeof(text));
	printf("layers %s\n", text);
	if (deed && deed->after)
		deed->after();
	if (one)
		printf("returned %ld\n", libc_call(one));
	if (libc)
		make_libc_calls();
	if (call)
		printf("returned %ld\n", breakout_call(call));
	if (leave)
		printf("left %d\n", leave_handler(leave));
	printf("survived\n");
	return 0;
}
