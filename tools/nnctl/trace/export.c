// SPDX-License-Identifier: Apache-2.0
/* "nnctl trace export": a trace for ui.perfetto.dev. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/nnctl_base.h"
#include "nntrace_parse.h"
#include "trace/nnctl_trace.h"

static void show_progress(void *ctx, uint64_t done, uint64_t total)
{
	progress_update(ctx, (size_t)(done >> 20), (size_t)(total >> 20));
}

static int export(const char *path, const char *out_path, struct nntp_source *source)
{
	FILE *out = strcmp(out_path, "-") ? fopen(out_path, "we") : stdout;
	struct progress progress;
	uint64_t dropped;
	struct stat st;
	int ret;

	if (!out) {
		complain("%s: %s", out_path, strerror(errno));
		return EXIT_FAILURE;
	}
	progress_start(&progress, "exporting (MiB)");
	ret = nntp_export(source, out, show_progress, &progress, &dropped);
	progress_end(&progress);
	if (fflush(out) && !ret)
		ret = -errno;
	if (out != stdout && fclose(out) && !ret)
		ret = -errno;
	if (!ret && dropped)
		complain("%s: left out %llu end marks whose begin is not in the trace", path,
			 (unsigned long long)dropped);
	if (!ret)
		return 0;
	if (ret == -ENOMSG)
		complain("%s: contains no trace (ftrace text, or trace.dat, is expected)", path);
	else
		complain("%s: %s", ret == -EIO ? out_path : path, strerror(-ret));
	/* remove an incomplete file, but no device or pipe */
	if (out != stdout && !lstat(out_path, &st) && S_ISREG(st.st_mode))
		remove(out_path);
	return EXIT_FAILURE;
}

int trace_export(int argc, char **argv)
{
	static const struct option options[] = { { "output", required_argument, NULL, 'o' },
						 { 0 } };
	const char *out_path = NULL;
	struct nntp_source *source;
	char message[512];
	int option, ret;

	optind = 1;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		if (option != 'o')
			return usage("export: unknown option %s, or its value is missing",
				     argv[optind - 1]);
		out_path = optarg;
	}
	if (argc - optind != 1 || !out_path)
		return usage(
			"export: exactly one file and -o FILE are needed (-o - is standard output)");
	if (nntp_source_open(argv[optind], &source, message, sizeof(message))) {
		complain("%s", message);
		return EXIT_FAILURE;
	}
	ret = export(argv[optind], out_path, source);
	nntp_source_close(source);
	return ret;
}
