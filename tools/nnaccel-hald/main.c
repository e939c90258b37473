// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <stdlib.h>

#include "hald.h"

int main(int argc, char **argv)
{
	struct hald_options options;
	int ret = hald_options(argc, argv, &options);

	if (ret)
		return ret < 0 ? 2 : EXIT_SUCCESS;
	signal(SIGPIPE, SIG_IGN);
	return hald_listen(&options);
}
