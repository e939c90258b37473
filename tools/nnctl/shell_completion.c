// SPDX-License-Identifier: Apache-2.0
#include "shell_completion.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyz-"

/* Length of the option at @p, of the form --name; 0: there is none. */
static size_t option_length(const char *p)
{
	return strncmp(p, "--", 2) ? 0 : strspn(p, LETTERS);
}

/* Whether the option at @p was in @arguments before. */
static bool came_before(const char *arguments, const char *p, size_t length)
{
	for (const char *q = arguments; q < p; q++)
		if (option_length(q) == length && !strncmp(q, p, length))
			return true;
	return false;
}

static void print_options(const char *arguments)
{
	size_t length;

	for (const char *p = arguments; *p; p += length ? length : 1) {
		length = option_length(p);
		/* "--" alone ends options */
		if (length > 2 && !came_before(arguments, p, length))
			printf(" %.*s", (int)length, p);
	}
}

void completion_print_bash(const struct completion_command *commands, size_t count)
{
	puts("# nnctl(1): source it, or write it to ~/.local/share/bash-completion/completions/nnctl\n"
	     "_nnctl()\n"
	     "{\n"
	     "\tlocal word=${COMP_WORDS[COMP_CWORD]} words=\n"
	     "\n"
	     "\tCOMPREPLY=()\n"
	     "\tif ((COMP_CWORD == 1)); then");
	printf("\t\twords='help --version");
	for (size_t i = 0; i < count; i++)
		printf(" %s", commands[i].name);
	puts("'\n"
	     "\telif [[ ${COMP_WORDS[COMP_CWORD - 1]} == --device ]]; then\n"
	     "\t\twords=\"cpu worker service $(cd /dev/accel 2>/dev/null && echo accel*)\"\n"
	     "\telse\n"
	     "\t\tcase ${COMP_WORDS[1]} in");
	for (size_t i = 0; i < count; i++) {
		printf("\t\t%s) words='", commands[i].name);
		print_options(commands[i].arguments);
		puts("' ;;");
	}
	puts("\t\tesac");
	for (size_t i = 0; i < count; i++)
		if (commands[i].parts)
			printf("\t\t[[ $COMP_CWORD != 2 || ${COMP_WORDS[1]} != %s ]] || words='%s'\n",
			       commands[i].name, commands[i].parts);
	puts("\tfi\n"
	     "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
	     "}\n"
	     "complete -o default -F _nnctl nnctl");
}
