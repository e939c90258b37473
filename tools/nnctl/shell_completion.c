// SPDX-License-Identifier: Apache-2.0
#include "shell_completion.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyz-"

/* Length of the option at @p, of the form --name; 0: there is none. */
static size_t option_length(const char *p)
{
	return strncmp(p, "--", 2) ? 0 : strspn(p, LETTERS);
}

/* Whether the first @size characters of @arguments have the option, of @length characters. */
static bool has_option(const char *arguments, size_t size, const char *option, size_t length)
{
	for (const char *p = arguments; p < arguments + size; p++)
		if (option_length(p) == length && !strncmp(p, option, length))
			return true;
	return false;
}

/* Each option once, without its dashes, between @before and @after. */
static void print_options(const char *arguments, const char *before, const char *after)
{
	size_t length;

	for (const char *p = arguments; *p; p += length ? length : 1) {
		length = option_length(p);
		/* "--" alone ends options */
		if (length > 2 && !has_option(arguments, (size_t)(p - arguments), p, length))
			printf("%s%.*s%s", before, (int)length - 2, p + 2, after);
	}
}

static void print_names(const struct completion_command *commands, size_t count)
{
	printf("help --version");
	for (size_t i = 0; i < count; i++)
		printf(" %s", commands[i].name);
}

static void print_bash(const struct completion_command *commands, size_t count)
{
	puts("# nnctl(1): source it, or write it to ~/.local/share/bash-completion/completions/nnctl\n"
	     "_nnctl()\n"
	     "{\n"
	     "\tlocal word=${COMP_WORDS[COMP_CWORD]} words=\n"
	     "\n"
	     "\tCOMPREPLY=()\n"
	     "\tif ((COMP_CWORD == 1)); then");
	printf("\t\twords='");
	print_names(commands, count);
	puts("'\n"
	     "\telif [[ ${COMP_WORDS[COMP_CWORD - 1]} == --device ]]; then\n"
	     "\t\twords=\"cpu worker service $(cd /dev/accel 2>/dev/null && echo accel*)\"\n"
	     "\telse\n"
	     "\t\tcase ${COMP_WORDS[1]} in");
	for (size_t i = 0; i < count; i++) {
		printf("\t\t%s) words='", commands[i].name);
		print_options(commands[i].arguments, " --", "");
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

static void print_zsh(const struct completion_command *commands, size_t count)
{
	puts("#compdef nnctl\n"
	     "# nnctl(1): write it to a file _nnctl in a folder of $fpath\n"
	     "_nnctl()\n"
	     "{\n"
	     "\tif ((CURRENT == 2)); then");
	printf("\t\tcompadd -- ");
	print_names(commands, count);
	puts("\n"
	     "\t\treturn\n"
	     "\telif [[ ${words[CURRENT-1]} == --device ]]; then\n"
	     "\t\tcompadd -- cpu worker service /dev/accel/accel*(N:t)\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tcase ${words[2]} in");
	for (size_t i = 0; i < count; i++) {
		printf("\t%s)", commands[i].name);
		if (commands[i].parts)
			printf(" ((CURRENT != 3)) || compadd -- %s;", commands[i].parts);
		printf(" compadd --");
		print_options(commands[i].arguments, " --", "");
		puts(" ;;");
	}
	puts("\tesac\n"
	     "\t_files\n"
	     "}\n"
	     "_nnctl \"$@\"");
}

/* fish asks for a condition with each word: that of a command is the second word. */
#define FISH "complete -c nnctl -n 'string match -q -- %s (commandline -opc)[2]"

static void print_fish(const struct completion_command *commands, size_t count)
{
	puts("# nnctl(1): write it to ~/.config/fish/completions/nnctl.fish");
	printf("complete -c nnctl -n __fish_use_subcommand -f -a '");
	print_names(commands, count);
	puts("'");
	for (size_t i = 0; i < count; i++) {
		const char *name = commands[i].name, *arguments = commands[i].arguments;
		char before[128];

		snprintf(before, sizeof(before), FISH "' -l ", name);
		print_options(arguments, before, "\n");
		if (has_option(arguments, strlen(arguments), "--device", strlen("--device")))
			printf(FISH "' -l device -x -a 'cpu worker service "
				    "(path basename /dev/accel/accel* 2>/dev/null)'\n",
			       name);
		if (commands[i].parts)
			printf(FISH "; and test (count (commandline -opc)) -eq 2' -f -a '%s'\n",
			       name, commands[i].parts);
	}
}

int completion_print(const char *shell, const struct completion_command *commands, size_t count)
{
	static const struct {
		const char *name;
		void (*print)(const struct completion_command *commands, size_t count);
	} shells[] = { { "bash", print_bash }, { "fish", print_fish }, { "zsh", print_zsh } };

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		if (strcmp(shells[i].name, shell))
			continue;
		shells[i].print(commands, count);
		return 0;
	}
	return -EINVAL;
}
