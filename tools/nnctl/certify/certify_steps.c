// SPDX-License-Identifier: Apache-2.0
#include "certify/nnctl_certify.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/nnctl_base.h"
#include "nnutil_node.h"
#include "session/nnctl_session.h"

#define MAX_ARGS 16
/* of a step, in the certificate */
#define MAX_FAILURES 50
/* for a node to come back after a test that took the device away */
#define NODE_WAIT_MS 30000
#define NODE_TICK_MS 100
#define NO_PROGRAMS \
	"no programs: install them (TESTS=1 make install), or name their folder with --tests"

struct route;

struct runner {
	const struct certify_options *o;
	cJSON *steps, *coverage;
	const struct route *routes; /* ends with one without a name */
	char self[PATH_MAX]; /* this program */
	char name[128]; /* of the device, for the runtime */
	char device[256]; /* for nnhal_open(); of our driver, the node that it has now */
	char sysfs[PATH_MAX]; /* the folder of a device of our driver; "": it is another */
};

/* ---- a step ---- */

static cJSON *step_new(struct runner *r, const char *group, const char *name, const char *route)
{
	cJSON *step = cJSON_CreateObject();

	cJSON_AddStringToObject(step, "group", group);
	cJSON_AddStringToObject(step, "name", name);
	cJSON_AddStringToObject(step, "route", route);
	cJSON_AddArrayToObject(step, "failures");
	cJSON_AddArrayToObject(step, "skips");
	cJSON_AddItemToArray(r->steps, step);
	return step;
}

static void step_fail(cJSON *step, const char *name, const char *why)
{
	cJSON *entry = cJSON_CreateObject();

	cJSON_AddStringToObject(entry, "case", name);
	cJSON_AddStringToObject(entry, "why", why);
	cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(step, "failures"), entry);
}

/* Counts that the step has: the certificate has the first failures only. */
static void step_end(struct runner *r, cJSON *step, struct tap_counts counts, double seconds)
{
	cJSON *failures = cJSON_GetObjectItemCaseSensitive(step, "failures");
	const cJSON *first;

	cJSON_AddNumberToObject(step, "passed", counts.passed);
	cJSON_AddNumberToObject(step, "failed", counts.failed);
	cJSON_AddNumberToObject(step, "skipped", counts.skipped);
	cJSON_AddNumberToObject(step, "seconds", seconds);
	if (!r->o->quiet) {
		printf("%-12s %-28s %-22s %6u passed %4u failed", json_text(step, "group"),
		       json_text(step, "name"), json_text(step, "route"), counts.passed,
		       counts.failed);
		printf(counts.skipped ? " %4u skipped\n" : "\n", counts.skipped);
		cJSON_ArrayForEach(first, failures)
		{
			printf("    FAIL %s: %s\n", json_text(first, "case"),
			       json_text(first, "why"));
		}
		fflush(stdout);
	}
	while (cJSON_GetArraySize(failures) > MAX_FAILURES)
		cJSON_DeleteItemFromArray(failures, MAX_FAILURES);
}

static void step_not_run(struct runner *r, const char *group, const char *name, const char *route,
			 const char *why)
{
	cJSON *step = step_new(r, group, name, route);

	cJSON_AddStringToObject(step, "not_run", why);
	if (!r->o->quiet)
		printf("%-12s %-28s %-22s not run: %s\n", group, name, route, why);
}

/* ---- running ---- */

static void command_add(cJSON *step, char *const argv[])
{
	char text[1024];
	size_t used = 0;

	for (; *argv && used < sizeof(text); argv++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used ? " " : "",
					 *argv);
	cJSON_AddStringToObject(step, "command", text);
}

/* The last line of an output, for a program that ended without a result. */
static const char *output_last_line(const char *output)
{
	const char *end = output + strlen(output);

	while (end > output && end[-1] == '\n')
		end--;
	while (end > output && end[-1] != '\n')
		end--;
	return end;
}

/* A program that ended badly is a failure of its own, unless a failed case explains its status. */
static void end_judge(cJSON *step, struct program_end *end, struct tap_counts *counts)
{
	const unsigned int results = counts->passed + counts->failed + counts->skipped;
	char how[160], why[600];

	program_end_text(end, how, sizeof(how));
	if (end->cut)
		snprintf(how, sizeof(how), "more output than can be read");
	else if (!how[0] && !results)
		snprintf(how, sizeof(how), "no result in its output");
	else if (!how[0] && counts->planned > results)
		snprintf(how, sizeof(how), "%u of %u planned results are missing",
			 counts->planned - results, counts->planned);
	else if (!how[0] || (counts->failed && !end->timed_out && !WIFSIGNALED(end->status)))
		return;
	snprintf(why, sizeof(why), "%s: %.400s", how, output_last_line(end->output));
	step_fail(step, json_text(step, "name"), why);
	counts->failed++;
}

/* Counts the results of an output, and adds the failures to the step. The output may be changed. */
typedef struct tap_counts (*results_read)(struct runner *r, cJSON *step, char *output,
					  const void *cookie);

static void step_run(struct runner *r, cJSON *step, char *const argv[],
		     const char *const environment[], results_read read, const void *cookie)
{
	struct tap_counts counts = { 0 };
	struct program_end end;
	int ret;

	command_add(step, argv);
	ret = program_run(argv, environment, r->o->limit_s, &end);
	if (ret) {
		step_fail(step, argv[0], strerror(-ret));
		counts.failed = 1;
		end.seconds = 0;
	} else {
		char *copy = strdup(end.output);

		if (copy)
			counts = read(r, step, copy, cookie);
		free(copy);
		end_judge(step, &end, &counts);
	}
	free(end.output);
	step_end(r, step, counts, end.seconds);
}

static struct tap_counts tap_results(struct runner *r, cJSON *step, char *output,
				     const void *cookie)
{
	(void)r;
	(void)cookie;
	return tap_read(output, cJSON_GetObjectItemCaseSensitive(step, "failures"),
			cJSON_GetObjectItemCaseSensitive(step, "skips"));
}

static void tap_step(struct runner *r, const char *group, const char *name, const char *program,
		     const char *const environment[])
{
	step_run(r, step_new(r, group, name, "device"), (char *[]){ (char *)program, NULL },
		 environment, tap_results, NULL);
}

/* The object or list that nnctl printed, perhaps behind warnings. */
static cJSON *output_json(const char *output, char bracket)
{
	const char *at = output;

	while (at && *at != bracket) {
		at = strchr(at, '\n');
		if (at)
			at++;
	}
	return at ? cJSON_ParseWithOpts(at, NULL, false) : NULL;
}

/* Where a command of nnctl has its results: each entry of the list has "passed". */
struct result_list {
	const char *list, *name, *why; /* members: of the output, and of an entry */
};

static const struct result_list validate_results = { "results", "model", "message" };
static const struct result_list verify_results = { "examples", "example", "why" };

static struct tap_counts json_results(struct runner *r, cJSON *step, char *output,
				      const void *cookie)
{
	const struct result_list *members = cookie;
	struct tap_counts counts = { 0 };
	cJSON *json = output_json(output, '{');
	const cJSON *entry;

	cJSON_ArrayForEach(entry, cJSON_GetObjectItemCaseSensitive(json, members->list))
	{
		if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(entry, "unsupported"))) {
			counts.skipped++;
		} else if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(entry, "passed"))) {
			counts.passed++;
		} else {
			counts.failed++;
			step_fail(step, json_text(entry, members->name),
				  json_text(entry, members->why));
		}
	}
	coverage_add(r->coverage, cJSON_GetObjectItemCaseSensitive(json, "operations"),
		     json_text(step, "route"));
	cJSON_Delete(json);
	return counts;
}

/* models-check prints "ok  NAME: ..." or "FAIL NAME: ...". */
static struct tap_counts models_results(struct runner *r, cJSON *step, char *output,
					const void *cookie)
{
	struct tap_counts counts = { 0 };
	char *rest = NULL;

	(void)r;
	(void)cookie;
	for (char *line = strtok_r(output, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *text = strchr(line, ':');

		counts.passed += !strncmp(line, "ok  ", 4);
		if (strncmp(line, "FAIL ", 5) || !text)
			continue;
		*text++ = '\0';
		counts.failed++;
		step_fail(step, line + 5, text + strspn(text, " "));
	}
	return counts;
}

/* ---- routes ---- */

struct route {
	const char *name;
	const char *option; /* of nnctl: that names the device */
	const char *prefix, *suffix; /* of the device's name there */
	const char *more; /* another option; NULL: none */
	const char *environment[3]; /* ends with NULL */
};

#define QUIET "NNACCEL_CALIBRATION=off"

/* Of a device that libnnhal opens; the runtime has the CPU for what the device does not support. */
static const struct route device_routes[] = {
	{ "device", "--device", "", "", "--supported-only", { QUIET } },
	{ "worker", "--device", "worker:", "", "--supported-only", { QUIET } },
	{ "service", "--device", "service:", "", "--supported-only", { QUIET } },
	{ "runtime", "--devices", "", ",nnapi-reference", NULL, { QUIET } },
	{ "runtime, scalar inputs",
	  "--devices",
	  "",
	  ",nnapi-reference",
	  "--scalar-inputs",
	  { QUIET } },
	{ 0 },
};

/* Of a vendor library, which the runtime opens, in this process or in a worker. */
static const struct route library_routes[] = {
	{ "device", "--devices", "", "", "--supported-only", { QUIET, "NNAPI_ISOLATION=none" } },
	{ "worker", "--devices", "", "", "--supported-only", { QUIET, "NNAPI_ISOLATION=worker" } },
	{ "runtime", "--devices", "", ",nnapi-reference", NULL, { QUIET } },
	{ "runtime, scalar inputs",
	  "--devices",
	  "",
	  ",nnapi-reference",
	  "--scalar-inputs",
	  { QUIET } },
	{ 0 },
};

static bool route_is_runtime(const struct route *route)
{
	return !strcmp(route->option, "--devices");
}

/* Why a route cannot be taken; NULL: it can. */
static const char *route_obstacle(const struct runner *r, const struct route *route)
{
	if (route->prefix[0] && strchr(r->device, ':'))
		return "not on this device: it is behind a process already";
	if (!strcmp(route->name, "service") && !service_listens())
		return "no nnaccel-hald listens";
	return NULL;
}

/* Set the device's name on a route. False: it cannot be taken, and a step has the reason. */
static bool route_take(struct runner *r, const struct route *route, const char *group,
		       const char *name, char *device, size_t size)
{
	const char *obstacle = route_obstacle(r, route);

	if (obstacle)
		step_not_run(r, group, name, route->name, obstacle);
	else
		snprintf(device, size, "%s%s%s", route->prefix,
			 route_is_runtime(route) ? r->name : r->device, route->suffix);
	return !obstacle;
}

/* ---- the groups ---- */

/* Built-in models; @when: "before" the other tests or "after" them. */
static void validate_steps(struct runner *r, const char *when)
{
	for (const struct route *route = r->routes; route->name; route++) {
		char device[256];

		if (route_is_runtime(route) ||
		    !route_take(r, route, "models", when, device, sizeof(device)))
			continue;
		step_run(r, step_new(r, "models", when, route->name),
			 (char *[]){ r->self, "validate", "--device", device, "--json", NULL },
			 route->environment, json_results, &validate_results);
	}
}

static void conformance_steps(struct runner *r, const char *name, const char *folder)
{
	for (const struct route *route = r->routes; route->name; route++) {
		char device[256];

		if (!route_take(r, route, "conformance", name, device, sizeof(device)))
			continue;
		step_run(r, step_new(r, "conformance", name, route->name),
			 (char *[]){ r->self, "verify", (char *)folder, (char *)route->option,
				     device, "--by-op", "--json", "--jobs", (char *)r->o->jobs,
				     (char *)route->more, NULL },
			 route->environment, json_results, &verify_results);
	}
}

/* Whole models, which may have operations that the device does not support. */
static void models_step(struct runner *r)
{
	static const char *const environment[] = { QUIET, NULL };
	char device[256];

	snprintf(device, sizeof(device), "%s,nnapi-reference", r->name);
	step_run(r, step_new(r, "models", "models-check", "runtime"),
		 (char *[]){ r->self, "models-check", (char *)r->o->models, "--devices", device,
			     NULL },
		 environment, models_results, NULL);
}

static bool list_has(const char *list, const char *name)
{
	const size_t length = strlen(name);

	for (const char *p = list; p && *p; p += strcspn(p, ","), p += *p == ',')
		if (strcspn(p, ",") == length && !strncmp(p, name, length))
			return true;
	return false;
}

static int is_program(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Call @run with each program of a folder, in order. Returns how many there are. */
static unsigned int programs_each(struct runner *r, const char *group, const char *folder,
				  void (*run)(struct runner *r, const char *name, const char *path))
{
	struct dirent **entries = NULL;
	unsigned int programs = 0;
	char path[PATH_MAX];
	struct stat st;
	int count;

	snprintf(path, sizeof(path), "%s/%s", r->o->tests, folder);
	count = scandir(path, &entries, is_program, alphasort);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		snprintf(path, sizeof(path), "%s/%s/%s", r->o->tests, folder, name);
		if (!stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK)) {
			programs++;
			if (list_has(r->o->skip, name))
				step_not_run(r, group, name, "device", "--skip names it");
			else
				run(r, name, path);
		}
		free(entries[i]);
	}
	free(entries);
	return programs;
}

static void hal_program(struct runner *r, const char *name, const char *path)
{
	char device[sizeof(r->device) + 24];

	snprintf(device, sizeof(device), "NNHAL_TEST_DEVICE=%s", r->device);
	tap_step(r, "hal", name, path,
		 (const char *[]){ device, QUIET, "CMOCKA_MESSAGE_OUTPUT=TAP", NULL });
}

/* ---- a device of our driver ---- */

/* Whether a folder of sysfs has a node that can be opened; its path. */
static bool folder_node(const char *folder, const struct nnutil_node_kind *kind, char *device,
			size_t size)
{
	char path[NNUTIL_NODE_PATH];
	struct dirent *entry;
	bool found = false;
	DIR *dir = opendir(folder);

	while (dir && !found && (entry = readdir(dir)))
		found = kind->entry(entry) && nnutil_node_path(entry->d_name, path) &&
			!access(path, R_OK | W_OK);
	if (dir)
		closedir(dir);
	if (found)
		snprintf(device, size, "%s", path);
	return found;
}

/*
 * Wait for the node of a device of our driver, and name the device by it: a card that is bound
 * while its old node is open gets another.
 */
static bool node_find(struct runner *r)
{
	static const struct timespec tick = { 0, NODE_TICK_MS * 1000000 };

	for (unsigned int ms = 0; r->sysfs[0] && ms < NODE_WAIT_MS; ms += NODE_TICK_MS) {
		for (size_t k = 0; k < NNUTIL_NODE_KINDS; k++) {
			const struct nnutil_node_kind *kind = &nnutil_node_kinds[k];
			char folder[PATH_MAX + 16];

			snprintf(folder, sizeof(folder), "%s/%s", r->sysfs,
				 strcmp(kind->subsystem, "accel") ? "drm" : "accel");
			if (folder_node(folder, kind, r->device, sizeof(r->device)))
				return true;
		}
		nanosleep(&tick, NULL);
	}
	return !r->sysfs[0];
}

static void driver_program(struct runner *r, const char *name, const char *path)
{
	char device[PATH_MAX + 24];

	if (!node_find(r)) {
		cJSON *step = step_new(r, "driver", name, "device");

		step_fail(step, name, "the device has no node after the test before");
		step_end(r, step, (struct tap_counts){ .failed = 1 }, 0);
		return;
	}
	snprintf(device, sizeof(device), "NNACCEL_DEVICE=%s", strrchr(r->sysfs, '/') + 1);
	tap_step(r, "driver", name, path, (const char *[]){ device, NULL });
}

static void driver_steps(struct runner *r)
{
	if (!r->sysfs[0])
		step_not_run(r, "driver", "kselftests", "device",
			     "not on this device: it has no node of the nnaccel driver");
	else if (!programs_each(r, "driver", "kselftest", driver_program))
		step_not_run(r, "driver", "kselftests", "device", NO_PROGRAMS);
}

/* ---- all of it ---- */

static void node_of_device(struct runner *r, const cJSON *device)
{
	const char *path = json_text(device, "node");
	const char *name = strrchr(path, '/');
	const struct nnutil_node_kind *kind = name ? nnutil_node_kind(name + 1) : NULL;
	char link[PATH_MAX];

	if (!kind)
		return;
	snprintf(link, sizeof(link), "%s%s/device", kind->class, name + 1);
	if (!realpath(link, r->sysfs) || !nnutil_has_driver(r->sysfs, "nnaccel"))
		r->sysfs[0] = '\0';
}

/* What "nnctl info" prints about the device; NULL, and @error is its message, which the caller
 * frees. */
static cJSON *device_info(struct runner *r, const char *option, char **error)
{
	char *argv[] = { r->self, "info", (char *)option, (char *)r->o->device, "--json", NULL };
	static const char *const environment[] = { NULL };
	struct program_end end;
	cJSON *device = NULL;
	int ret = program_run(argv, environment, r->o->limit_s, &end);

	if (!ret)
		device = output_json(end.output, '{');
	*error = device ? NULL : strdup(ret ? strerror(-ret) : output_last_line(end.output));
	free(end.output);
	return device;
}

/* One that libnnhal opens, or a vendor library's. NULL after a complaint. */
static cJSON *device_describe(struct runner *r)
{
	char *first, *second = NULL;
	cJSON *device = device_info(r, "--device", &first);

	r->routes = device_routes;
	if (!device) {
		r->routes = library_routes;
		device = device_info(r, "--devices", &second);
	}
	if (!device)
		complain("%s: neither libnnhal nor the runtime opens it:\n  %s  %s", r->o->device,
			 first ? first : "", second ? second : "");
	free(first);
	free(second);
	return device;
}

int certify_steps(const struct certify_options *o, cJSON *certificate)
{
	struct runner r = { .o = o };
	cJSON *device;

	if (readlink("/proc/self/exe", r.self, sizeof(r.self) - 1) < 0) {
		complain("/proc/self/exe: %s", strerror(errno));
		return -1;
	}
	device = device_describe(&r);
	if (!device)
		return -1;
	cJSON_AddItemToObject(certificate, "device", device);
	r.steps = cJSON_AddArrayToObject(certificate, "steps");
	r.coverage = cJSON_AddArrayToObject(certificate, "coverage");
	snprintf(r.name, sizeof(r.name), "%s", json_text(device, "name"));
	snprintf(r.device, sizeof(r.device), "%s", o->device);
	node_of_device(&r, device);

	validate_steps(&r, "before");
	if (r.routes == library_routes)
		step_not_run(&r, "hal", "hal tests", "device",
			     "not on this device: they open devices of libnnhal");
	else if (!programs_each(&r, "hal", "hal", hal_program))
		step_not_run(&r, "hal", "hal tests", "device", NO_PROGRAMS);
	conformance_steps(&r, "examples", o->examples);
	if (o->vectors)
		conformance_steps(&r, "vectors", o->vectors);
	if (o->models)
		models_step(&r);
	/* last: they take the device away, and make it fail */
	driver_steps(&r);
	node_find(&r);
	validate_steps(&r, "after");
	return 0;
}
