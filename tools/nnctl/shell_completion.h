/* SPDX-License-Identifier: Apache-2.0 */
/* Completion of nnctl's command line in a shell, made from the table that its help is made from. */
#ifndef NNCTL_SHELL_COMPLETION_H
#define NNCTL_SHELL_COMPLETION_H

#include <stddef.h>

struct completion_command {
	const char *name;
	const char *arguments; /* as in the help: its options are the words that begin with -- */
	const char *parts; /* names of its parts, separated by blanks; NULL: it has none */
};

/** Print the script for @shell: "bash", "fish" or "zsh". 0, or -EINVAL: another shell. */
int completion_print(const char *shell, const struct completion_command *commands, size_t count);

#endif
