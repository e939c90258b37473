// SPDX-License-Identifier: Apache-2.0
/* nnctl coredump: what the driver knew when the card hung or died. */
#include <stdlib.h>

#include "base/nnctl_base.h"
#include "commands/nnctl_commands.h"
#include "coredump/coredump.h"

int cmd_coredump(int argc, char **argv)
{
	struct coredump dump;
	char message[160];
	size_t size;
	void *data;
	int ret;

	if (argc != 2 || argv[1][0] == '-')
		return usage("%s: one file, such as /sys/class/devcoredump/devcd1/data", argv[0]);
	data = read_file(argv[1], COREDUMP_MAX_SIZE, &size);
	if (!data)
		return 1;
	ret = coredump_check(data, size, &dump, message, sizeof(message));
	if (ret)
		complain("%s: %s", argv[1], message);
	else
		coredump_print(stdout, &dump);
	free(data);
	return ret ? 1 : 0;
}
