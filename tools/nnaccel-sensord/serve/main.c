// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <stdlib.h>

#include "serve/sensord_serve.h"

int main(int argc, char **argv)
{
	struct sensord_options options;
	int ret = sensord_options(argc, argv, &options);

	signal(SIGPIPE, SIG_IGN);
	if (!ret)
		ret = sensord_service(&options);
	else
		ret = ret < 0 ? 2 : EXIT_SUCCESS;
	sensord_config_fini(&options.config);
	return ret;
}
