// SPDX-License-Identifier: Apache-2.0
/* "nnctl certify": all tests on one device, as a table, a JSON file and a page. */
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/nnctl_base.h"
#include "certify/nnctl_certify.h"
#include "commands/nnctl_commands.h"
#include "session/nnctl_session.h"

/* Of the certificate's fields. */
#define CERTIFICATE_FORMAT 1

static cJSON *certificate_new(const struct options *o)
{
	cJSON *c = cJSON_CreateObject(), *machine;
	const time_t now = time(NULL);
	struct utsname name;
	struct tm utc;
	char date[32];

	uname(&name);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	cJSON_AddNumberToObject(c, "certificate", CERTIFICATE_FORMAT);
	cJSON_AddStringToObject(c, "spec", o->model);
	cJSON_AddStringToObject(c, "date", date);
	cJSON_AddStringToObject(c, "nnctl", NNACCEL_VERSION);
	if (o->signed_off_by)
		cJSON_AddStringToObject(c, "signed_off_by", o->signed_off_by);
	machine = cJSON_AddObjectToObject(c, "machine");
	cJSON_AddStringToObject(machine, "kernel", name.release);
	cJSON_AddStringToObject(machine, "architecture", name.machine);
	return c;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* The examples, made by another process, as each test is. 0, or -1 after a complaint. */
static int examples_make(const char *folder)
{
	static const char *const environment[] = { "NNACCEL_CALIBRATION=off", NULL };
	char *argv[] = { "/proc/self/exe", "examples", (char *)folder, NULL };
	struct program_end end;
	int ret = program_run(argv, environment, 600, &end);

	if (ret)
		complain("nnctl examples: %s", strerror(-ret));
	else if (!WIFEXITED(end.status) || WEXITSTATUS(end.status))
		complain("nnctl examples: %s", end.output);
	ret = ret || !WIFEXITED(end.status) || WEXITSTATUS(end.status) ? -1 : 0;
	free(end.output);
	return ret;
}

static void digest_of(const char *text, char hex[2 * SHA256_DIGEST_SIZE + 1])
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	sha256_update(&ctx, strlen(text), (const uint8_t *)text);
	sha256_digest(&ctx, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

static void text_print(FILE *f, const void *text)
{
	fputs(text, f);
}

static void certificate_print(const cJSON *c)
{
	const cJSON *totals = cJSON_GetObjectItemCaseSensitive(c, "totals"), *reason;

	coverage_print(cJSON_GetObjectItemCaseSensitive(c, "coverage"));
	printf("\n%.0f of %.0f combinations of operation and type are supported, %.0f of them failed\n",
	       json_number(totals, "combinations_supported"), json_number(totals, "combinations"),
	       json_number(totals, "combinations_failed"));
	cJSON_ArrayForEach(reason, cJSON_GetObjectItemCaseSensitive(c, "reasons"))
	{
		printf("  %s\n", cJSON_GetStringValue(reason));
	}
	printf("%s: %s; %.0f passed, %.0f failed\n", json_text(c, "spec"), json_text(c, "verdict"),
	       json_number(totals, "passed"), json_number(totals, "failed"));
}

/* The exit code. */
static int certificate_finish(const struct options *o, cJSON *c)
{
	char digest[2 * SHA256_DIGEST_SIZE + 1], *text;
	const bool passed = certify_judge(c);
	int ret = passed ? 0 : 1;

	text = cJSON_Print(c);
	if (!text) {
		complain("out of memory");
		return 1;
	}
	digest_of(text, digest);
	if (o->output && file_print(o->output, text_print, text))
		ret = 1;
	if (o->report && certificate_html_write(c, digest, o->report))
		ret = 1;
	if (o->json)
		puts(text);
	else
		certificate_print(c);
	if (!o->json && o->output)
		printf("%s: SHA-256 %s\n", o->output, digest);
	free(text);
	return ret;
}

int cmd_certify(int argc, char **argv)
{
	const char *tmp = secure_getenv("TMPDIR");
	char examples[512], jobs[24];
	struct certify_options what;
	struct options o;
	cJSON *c;
	int ret = options_parse(
		&o, argc, argv,
		"ARGUMENT tests vectors models skip jobs limit signed-off-by output report json");

	if (ret)
		return ret;
	snprintf(examples, sizeof(examples), "%s/nnctl-certify.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(examples)) {
		complain("%s: %s", examples, strerror(errno));
		return 1;
	}
	snprintf(jobs, sizeof(jobs), "%" PRId64, o.jobs);
	what = (struct certify_options){
		.device = o.model,
		.tests = o.tests ? o.tests : NNACCEL_TESTS,
		.vectors = o.vectors,
		.models = o.models,
		.skip = o.skip,
		.examples = examples,
		.jobs = jobs,
		.limit_s = (unsigned int)o.limit,
		.quiet = o.json,
	};
	c = certificate_new(&o);
	ret = examples_make(examples) || certify_steps(&what, c) ? 1 : certificate_finish(&o, c);
	cJSON_Delete(c);
	nftw(examples, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return ret;
}
