// SPDX-License-Identifier: Apache-2.0
/* The tables of commands. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnctl_base.h"
#include "commands/nnctl_commands.h"
#include "sensors/nnctl_sensors.h"
#include "shell_completion.h"
#include "trace/nnctl_trace.h"

/* Exit codes: 0 done, 1 failed, 2 bad usage. */
#define EXIT_USAGE 2

struct part {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the part's name */
};

struct command {
	const char *name;
	const char *arguments;
	const char *summary;
	int (*run)(int argc, char **argv); /* argv[0] is the command's name */
	const struct part *parts; /* NULL: it has none */
};

static const struct part trace_parts[] = {
	{ "record", trace_record },
	{ "clock-sync", trace_clock_sync },
	{ "report", trace_report },
	{ "export", trace_export },
	{ 0 },
};

static const struct part sensors_parts[] = {
	{ "list", sensors_list },
	{ "watch", sensors_watch },
	{ "record", sensors_record },
	{ "top", sensors_top },
	{ 0 },
};

/* @names: of the parts, for people */
static int run_part(const struct part *parts, const char *names, int argc, char **argv)
{
	if (argc < 2)
		return usage("%s: one of %s is missing", argv[0], names);
	for (; parts->name; parts++)
		if (!strcmp(argv[1], parts->name))
			return parts->run(argc - 1, argv + 1);
	return usage("%s %s: unknown; one of %s", argv[0], argv[1], names);
}

static int cmd_trace(int argc, char **argv)
{
	return run_part(trace_parts, "record, clock-sync, report and export", argc, argv);
}

static int cmd_sensors(int argc, char **argv)
{
	return run_part(sensors_parts, "list, watch, record and top", argc, argv);
}

static int cmd_completion(int argc, char **argv);

static const struct command commands[] = {
	{ "list", "[--device D | worker | service] [--json]", "the devices that can be used now",
	  cmd_list, NULL },
	{ "info", "[--device D | --devices D] [--json]", "one device: versions, limits, memory",
	  cmd_info, NULL },
	{ "ops", "[--device D] [--op NAME] [--json]",
	  "which operations devices support in which types, and why not", cmd_ops, NULL },
	{ "run",
	  "MODEL.tflite --input FILE [--input FILE ...] [--device D | --runtime [--devices D,D,...]]\n"
	  "             [--labels FILE] [--top K] [--output FILE] [--mean M] [--std S] [--repeat N] [--json]",
	  "run a model on raw, .npy, PNG or JPEG input", cmd_run, NULL },
	{ "bench",
	  "MODEL.tflite [--input FILE ...] [--device D | --runtime [--devices D,D,...]] [--runs N] [--ops]\n"
	  "             [--report FILE.html] [--json]",
	  "latency: median, p95, p99, and the shares of device, driver and host, or of each operation",
	  cmd_bench, NULL },
	{ "explain", "MODEL.tflite [--devices D,D,...] [--json]",
	  "with the runtime: which device runs which operation, why not another, and the cost",
	  cmd_explain, NULL },
	{ "capture",
	  "MODEL.tflite --output FILE.nnt [--input FILE ...] [--device D | --runtime [--devices D,D,...]]\n"
	  "             [--random-weights] [--mean M] [--std S]",
	  "a model, its inputs and the outputs of a device in one file, for replay", cmd_capture,
	  NULL },
	{ "cdi", "[--root DIR]", "the cards and the service as devices for containers (CDI)",
	  cmd_cdi, NULL },
	{ "certify",
	  "DEVICE [--tests DIR] [--vectors DIR] [--models DIR] [--skip TEST,...] [--jobs N] [--limit S]\n"
	  "             [--signed-off-by NAME] [--output FILE.json] [--report FILE.html] [--json]",
	  "all tests on a device: a table by operation and type, as text, JSON and a page",
	  cmd_certify, NULL },
	{ "compare",
	  "MODEL.tflite --devices A,B [--input FILE ...] [--mean M] [--std S] [--steps N] [--tolerance T]\n"
	  "             [--output FILE.nnt] [--json]",
	  "run a model on two devices: how far the outputs differ, and the first operation that does",
	  cmd_compare, NULL },
	{ "completion", "bash | fish | zsh", "a script that completes this command line in a shell",
	  cmd_completion, NULL },
	{ "extensions", "[--json]",
	  "with the runtime: vendor extensions of devices, and whether this program may use them",
	  cmd_extensions, NULL },
	{ "calibrate", "[--device D] [--show | --dry-run] [--json]",
	  "measure the speed of a device relative to the CPU, and store it for its capabilities",
	  cmd_calibrate, NULL },
	{ "coredump", "FILE", "what the driver knew when the card hung or died, from its core dump",
	  cmd_coredump, NULL },
	{ "doctor", "", "find faults in the accelerator's setup, and say what to do", cmd_doctor,
	  NULL },
	{ "examples", "DIR [--op NAME]",
	  "write conformance examples of each operation in each type, with the outputs of the CPU",
	  cmd_examples, NULL },
	{ "metrics", "[--root DIR]", "the cards and their clients as metrics for Prometheus",
	  cmd_metrics, NULL },
	{ "models-check", "DIR [--device D | --runtime [--devices D,D,...]] [--filter NAME]",
	  "run every model of a folder against its expected outputs", cmd_models_check, NULL },
	{ "reduce",
	  "MODEL.tflite --devices A,B --output FILE.nnt [--input FILE ...] [--mean M] [--std S]\n"
	  "             [--steps N] [--tolerance T] [--json]",
	  "the fewest operations of a model that fail on B, or differ from A, as a capture",
	  cmd_reduce, NULL },
	{ "replay",
	  "FILE.nnt [--device D | --runtime [--devices D,D,...]] [--steps N] [--tolerance T] [--json]",
	  "run a capture again, and compare the outputs with those in the file", cmd_replay, NULL },
	{ "top", "[--once] [--csv | --json] [--interval S] [--root DIR]",
	  "the cards and their clients: load, memory, jobs; q ends it", cmd_top, NULL },
	{ "trace",
	  "record [-o FILE] [--detail] [--event SYSTEM[:EVENT] ...] [--buffer-kb N] [--files]\n"
	  "             -- COMMAND [ARGUMENT ...]\n"
	  "  nnctl trace clock-sync [--device D] [--json]\n"
	  "  nnctl trace report [--total-times] [--per-execution] [--strict] [--device | --jobs]\n"
	  "             [--print-detail | --json | --tsv | --tsv-threads] FILE\n"
	  "  nnctl trace export FILE -o OUT.json",
	  "the time of an inference, from application to device", cmd_trace, trace_parts },
	{ "sensors",
	  "list [--json] [--socket PATH]\n"
	  "  nnctl sensors watch SENSOR ... [--rate HZ] [--seconds N] [--json] [--socket PATH]\n"
	  "  nnctl sensors record FILE SENSOR ... [--rate HZ] [--seconds N] [--socket PATH]\n"
	  "  nnctl sensors top [--seconds N] [--json] [--socket PATH]",
	  "the sensors of nnaccel-sensord: what there is, what they say, who uses them",
	  cmd_sensors, sensors_parts },
	{ "validate", "[--device D[,D...]] [--json]",
	  "run built-in models with known answers on every device, or on the named ones",
	  cmd_validate, NULL },
	{ "verify",
	  "DIR [--device D | --runtime [--devices D,D,...]] [--filter OP] [--jobs N] [--every N]\n"
	  "             [--scalar-inputs | --supported-only] [--keep OP] [--by-op] [--json]",
	  "run the conformance examples of a folder (.nnt files), on a device or with the runtime",
	  cmd_verify, NULL },
};

#define NUM_COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* Whether "--help" is among the arguments; those after "--" are another program's. */
static bool asks_for_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "--help") || (i == 1 && !strcmp(argv[i], "-h")))
			return true;
	return false;
}

static int command_help(const struct command *command)
{
	printf("usage: nnctl %s %s\n\n  %s\n\n\"man nnctl\" describes the options.\n",
	       command->name, command->arguments, command->summary);
	return 0;
}

static int main_run(const struct command *command, int argc, char **argv)
{
	int ret;

	if (asks_for_help(argc, argv))
		return command_help(command);
	ret = command->run(argc, argv);
	if (ret != USAGE_ERROR)
		return ret;
	fprintf(stderr, "usage: nnctl %s %s\n", command->name, command->arguments);
	return EXIT_USAGE;
}

static void main_help(FILE *out)
{
	fputs("nnctl: run models on NNAPI devices\n\n", out);
	for (size_t i = 0; i < NUM_COMMANDS; i++)
		fprintf(out, "  nnctl %s %s\n             %s\n", commands[i].name,
			commands[i].arguments, commands[i].summary);
	fputs("\n--device D is accel0 (or renderD128), a node's path, or cpu (in process); worker:D is the same in a\n"
	      "sandboxed worker process, service:D behind nnaccel-hald. The default is the first\n"
	      "accelerator, else cpu. --runtime uses libneuralnetworks.so with all of its devices, --devices\n"
	      "with the named ones (such as nnapi-reference). A command prints its arguments with --help.\n"
	      "Exit codes: 0 done, 1 failed, 2 bad usage.\n",
	      out);
}

/* The names of a command's parts, separated by blanks; NULL: it has none. */
static const char *names_of_parts(const struct command *command, char *text, size_t size)
{
	size_t used = 0;

	for (const struct part *part = command->parts; part && part->name && used < size; part++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "",
					 part->name);
	return used ? text : NULL;
}

static int cmd_completion(int argc, char **argv)
{
	struct completion_command table[NUM_COMMANDS];
	char parts[NUM_COMMANDS][64];

	if (argc != 2)
		return usage("%s: name the shell: bash, fish or zsh", argv[0]);
	for (size_t i = 0; i < NUM_COMMANDS; i++)
		table[i] = (struct completion_command){
			.name = commands[i].name,
			.arguments = commands[i].arguments,
			.parts = names_of_parts(&commands[i], parts[i], sizeof(parts[i])),
		};
	if (completion_print(argv[1], table, NUM_COMMANDS))
		return usage("%s: there is none for the shell %s: bash, fish or zsh", argv[0],
			     argv[1]);
	return 0;
}

static int unknown_command(const char *name)
{
	size_t best = name_distance_limit(name) + 1, distance;
	const char *near = NULL;

	for (size_t i = 0; i < NUM_COMMANDS; i++) {
		distance = name_distance(name, commands[i].name);
		if (distance < best) {
			best = distance;
			near = commands[i].name;
		}
	}
	if (near)
		complain("unknown command %s; is it %s? nnctl help lists the commands", name, near);
	else
		complain("unknown command %s; nnctl help lists the commands", name);
	return EXIT_USAGE;
}

/* A command whose output cannot be written has failed. */
static int main_finish(int ret)
{
	if (!fflush(stdout) && !ferror(stdout))
		return ret;
	complain("standard output: %s", errno ? strerror(errno) : "write error");
	return ret ? ret : EXIT_FAILURE;
}

static const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < NUM_COMMANDS; i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		main_help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "help") && argc > 2) {
		command = command_find(argv[2]);
		return command ? main_finish(command_help(command)) : unknown_command(argv[2]);
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		main_help(stdout);
		return main_finish(0);
	}
	if (!strcmp(argv[1], "--version")) {
		puts("nnctl " NNACCEL_VERSION);
		return main_finish(0);
	}
	command = command_find(argv[1]);
	return command ? main_finish(main_run(command, argc - 1, argv + 1))
		       : unknown_command(argv[1]);
}
