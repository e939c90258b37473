// SPDX-License-Identifier: Apache-2.0
/* Of a libFuzzer program: "fuzz_X --seeds FOLDER" writes the seeds, as fuzz_driver.c does. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_seeds.h"

/* libFuzzer calls it before it reads its options. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	if (*argc == 3 && !strcmp((*argv)[1], "--seeds"))
		exit(fuzz_write_seeds((*argv)[2]));
	return 0;
}
