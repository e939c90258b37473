// SPDX-License-Identifier: Apache-2.0
/*
 * "nnctl models-check": run every model of a folder and compare with its expected outputs. Each
 * sub-folder has model.tflite, io.tsv, bounds.tsv and perhaps probe.tsv, a 4-byte patch that makes
 * an inner tensor the output. A row passes when no element differs by more than max_bound, the mean
 * difference is at most mean_bound, and, where required, the largest element is the same. A model
 * passes when no row is beyond twice its bounds, no required top-1 is wrong, and at most one out
 * and one probe row lie between one and two times. A model that NNAPI cannot express passes by
 * being refused for an operation that NNAPI lacks; its probe is judged all the same where the
 * operations in front of it can be expressed.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/nnctl_base.h"
#include "commands/nnctl_commands.h"
#include "session/nnctl_session.h"

#define MAX_MODEL (1u << 30)
#define MAX_DATA (1u << 30)

struct check {
	const char *dir, *name;
	struct tsv io, bounds, probe;
	struct nnhal_device *dev; /* NULL: the runtime */
	const char *devices; /* of the runtime */
	/* over the rows of one kind ("out" or "probe") */
	unsigned int rows, beyond_one, beyond_two, wrong_top1;
	double worst; /* share of the bound */
	char detail[200]; /* the first failure */
};

static void *read_in(const struct check *c, const char *file, size_t max, size_t *size)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s/%s", c->dir, c->name, file);
	return read_file(path, max, size);
}

/* Row of io.tsv, SIZE_MAX when there is none. */
static size_t find_io(const struct check *c, const char *sample, const char *direction,
		      uint32_t index)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", index);
	for (size_t r = 0; r < c->io.rows; r++)
		if (!strcmp(tsv_get(&c->io, r, "sample"), sample) &&
		    !strcmp(tsv_get(&c->io, r, "direction"), direction) &&
		    !strcmp(tsv_get(&c->io, r, "index"), number))
			return r;
	return SIZE_MAX;
}

static int load_sample(const struct check *c, struct session *s, const char *sample)
{
	for (uint32_t i = 0; i < s->num_inputs; i++) {
		size_t row = find_io(c, sample, "in", i), size = 0;
		void *bytes;

		if (row == SIZE_MAX) {
			complain("%s: io.tsv has no input %u for sample %s", c->name, i, sample);
			return -1;
		}
		bytes = read_in(c, tsv_get(&c->io, row, "file"), MAX_DATA, &size);
		if (!bytes || size != s->inputs[i].info.size) {
			complain("%s: input %u of sample %s has %zu bytes instead of %zu", c->name,
				 i, sample, size, s->inputs[i].info.size);
			free(bytes);
			return -1;
		}
		memcpy(s->inputs[i].data, bytes, size);
		free(bytes);
	}
	return 0;
}

struct difference {
	double max, mean, unequal; /* unequal: share of elements */
	size_t top1;
};

/* Of key points (y, x, score), whether element @i is a coordinate of one with a score. */
static bool is_sure_place(const struct session_tensor *expected, size_t i)
{
	return i % 3 < 2 && session_stored(expected, i - i % 3 + 2) >= 0.5;
}

static struct difference models_check_compare(const struct session_tensor *got,
					      void *expected_bytes, bool key_points)
{
	struct session_tensor expected = *got;
	size_t n = session_elements(got);
	struct difference d = { 0 };

	expected.data = expected_bytes;
	n -= key_points ? n % 3 : 0;
	for (size_t i = 0; i < n; i++) {
		double g = session_stored(got, i), e = session_stored(&expected, i),
		       delta = fabs(g - e);

		if (key_points && !is_sure_place(&expected, i))
			continue;
		/* A NaN must fail: no comparison with it is true. */
		if (!(delta <= INFINITY))
			delta = INFINITY;
		d.max = fmax(d.max, delta);
		d.mean += delta / (double)n;
		d.unequal += delta != 0 ? 1.0 / (double)n : 0;
		if (g > session_stored(got, d.top1))
			d.top1 = i;
	}
	return d;
}

static double models_check_share(double value, double bound)
{
	return value == 0 ? 0 : bound > 0 ? value / bound : INFINITY;
}

/* Classes of INT64, all below 256, are files of bytes. */
static void *models_check_widen(void *bytes, size_t *size, const struct session_tensor *got)
{
	int64_t *wide;

	if (!bytes || got->info.type != NNIMPORT_INT64 || *size != session_elements(got))
		return bytes;
	wide = calloc(*size, sizeof(*wide));
	for (size_t i = 0; wide && i < *size; i++)
		wide[i] = ((const uint8_t *)bytes)[i];
	free(bytes);
	*size *= sizeof(*wide);
	return wide;
}

static int models_check_judge(struct check *c, size_t bound, const char *what,
			      const struct session_tensor *got)
{
	const char *sample = tsv_get(&c->bounds, bound, "sample"),
		   *unit = tsv_get(&c->bounds, bound, "unit");
	double max_bound = tsv_get_double(&c->bounds, bound, "max_bound");
	double mean_bound = tsv_get_double(&c->bounds, bound, "mean_bound");
	size_t row, size = 0;
	struct difference d;
	bool key_points;
	double worst;
	void *bytes;

	row = find_io(c, sample, what, (uint32_t)tsv_get_i64(&c->bounds, bound, "index"));
	bytes = row == SIZE_MAX ? NULL : read_in(c, tsv_get(&c->io, row, "file"), MAX_DATA, &size);
	bytes = models_check_widen(bytes, &size, got);
	if (!bytes || size != got->info.size) {
		complain("%s: the expected %s of sample %s has %zu bytes instead of %zu", c->name,
			 what, sample, size, got->info.size);
		free(bytes);
		return -1;
	}
	key_points = !strncmp(unit, "normalised coordinate", strlen("normalised coordinate"));
	d = models_check_compare(got, bytes, key_points);
	free(bytes);
	if (!strcmp(unit, "steps") || !strcmp(unit, "absolute") || key_points) {
		worst = fmax(models_check_share(d.max, max_bound),
			     models_check_share(d.mean, mean_bound));
	} else if (!strcmp(unit, "fraction of pixels")) {
		worst = models_check_share(d.unequal, max_bound);
	} else {
		complain("%s: bounds.tsv has unknown unit \"%s\"", c->name, unit);
		return -1;
	}
	c->rows++;
	c->worst = fmax(c->worst, worst);
	c->beyond_one += worst > 1 && worst <= 2;
	c->beyond_two += worst > 2;
	if (worst > 1 && !c->detail[0])
		snprintf(c->detail, sizeof(c->detail),
			 "%s %s: max %g (bound %g), mean %g (bound %g)", what, sample, d.max,
			 max_bound, d.mean, mean_bound);
	if (!strcmp(tsv_get(&c->bounds, bound, "top1_required"), "yes") &&
	    (int64_t)d.top1 != tsv_get_i64(&c->bounds, bound, "top1")) {
		c->wrong_top1++;
		if (!c->detail[0])
			snprintf(c->detail, sizeof(c->detail), "%s %s: top-1 is %zu instead of %s",
				 what, sample, d.top1, tsv_get(&c->bounds, bound, "top1"));
	}
	return 0;
}

/* Judge all rows of one kind. -1 after a complaint: they cannot be judged. */
static int run_rows(struct check *c, struct session *s, const char *what)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	const char *loaded = "";
	enum nnhal_status status;

	c->rows = c->beyond_one = c->beyond_two = c->wrong_top1 = 0;
	c->worst = 0;
	for (size_t b = 0; b < c->bounds.rows; b++) {
		const char *sample = tsv_get(&c->bounds, b, "sample");
		int64_t index = tsv_get_i64(&c->bounds, b, "index");

		if (strcmp(tsv_get(&c->bounds, b, "what"), what))
			continue;
		if (index < 0 || index >= s->num_outputs) {
			complain("%s: bounds.tsv names output %" PRId64 ", the model has %u",
				 c->name, index, s->num_outputs);
			return -1;
		}
		if (strcmp(sample, loaded)) {
			if (load_sample(c, s, sample))
				return -1;
			session_reset(s);
			status = session_execute(s, false, &result);
			if (status != NNHAL_NONE)
				complain("%s: sample %s ended with %s%s%s", c->name, sample,
					 nnhal_status_name(status), result.message[0] ? ": " : "",
					 result.message);
			nnhal_execution_result_clear(&result);
			if (status != NNHAL_NONE)
				return -1;
			loaded = sample;
		}
		if (models_check_judge(c, b, what, &s->outputs[index]))
			return -1;
	}
	return 0;
}

static bool rows_pass(const struct check *c)
{
	return c->rows && !c->beyond_two && !c->wrong_top1 && c->beyond_one <= 1;
}

/* Apply the patch that makes the inner tensor the output. */
static int apply_probe(const struct check *c, uint8_t *bytes, size_t size)
{
	int64_t offset = tsv_get_i64(&c->probe, 0, "byte_offset");
	int32_t old = (int32_t)tsv_get_i64(&c->probe, 0, "old_int32");
	int32_t new = (int32_t)tsv_get_i64(&c->probe, 0, "new_int32");

	if (size < 4 || offset < 0 || (uint64_t)offset > size - 4 ||
	    memcmp(bytes + offset, &old, sizeof(old))) {
		complain("%s: probe.tsv does not fit model.tflite", c->name);
		return -1;
	}
	memcpy(bytes + offset, &new, sizeof(new));
	return 0;
}

enum part { PART_PASSED, PART_FAILED, PART_REFUSED };

/* Check one kind of rows of one model. The result as words goes to @text. */
static enum part check_part(struct check *c, const char *what, char *text, size_t text_size)
{
	enum part part = PART_FAILED;
	struct session s;
	size_t size = 0;
	void *bytes = read_in(c, "model.tflite", MAX_MODEL, &size);

	c->detail[0] = '\0';
	if (!bytes || (!strcmp(what, "probe") && apply_probe(c, bytes, size))) {
		free(bytes);
		snprintf(text, text_size, "%s cannot be read", what);
		return PART_FAILED;
	}
	if (session_load_bytes(&s, bytes, size, c->name, true)) {
		snprintf(text, text_size, "refused: %s", s.import.message);
		part = s.import.verdict == NNIMPORT_LACKS ? PART_REFUSED : PART_FAILED;
	} else if ((c->dev ? session_prepare(&s, c->dev) : session_open_runtime(&s, c->devices)) ||
		   run_rows(c, &s, what)) {
		snprintf(text, text_size, "%s failed", what);
	} else {
		part = rows_pass(c) ? PART_PASSED : PART_FAILED;
		snprintf(text, text_size, "%s %u rows, worst %.2f of the bound, %u beyond it%s%s",
			 what, c->rows, c->worst, c->beyond_one + c->beyond_two,
			 c->detail[0] ? ": " : "", c->detail);
	}
	session_close(&s);
	free(bytes);
	return part;
}

static bool check_model(struct check *c)
{
	TRACE_CASE("models-check", c->name);
	char out_text[512] = "", probe_text[512] = "", path[4096];
	enum part out, probe = PART_PASSED;
	bool ok;

	snprintf(path, sizeof(path), "%s/%s/io.tsv", c->dir, c->name);
	if (tsv_read(&c->io, path, false))
		return false;
	snprintf(path, sizeof(path), "%s/%s/bounds.tsv", c->dir, c->name);
	if (tsv_read(&c->bounds, path, false))
		return false;
	snprintf(path, sizeof(path), "%s/%s/probe.tsv", c->dir, c->name);
	if (tsv_read(&c->probe, path, true))
		return false;
	out = check_part(c, "out", out_text, sizeof(out_text));
	if (c->probe.rows)
		probe = check_part(c, "probe", probe_text, sizeof(probe_text));
	ok = out != PART_FAILED && probe != PART_FAILED;
	printf("%s %s: %s%s%s\n", ok ? "ok  " : "FAIL", c->name, out_text,
	       probe_text[0] ? "; " : "", probe_text);
	fflush(stdout);
	return ok;
}

static int is_model(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static bool has_model(const char *dir, const char *name)
{
	char path[4096];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s/model.tflite", dir, name);
	return !stat(path, &st) && S_ISREG(st.st_mode);
}

int cmd_models_check(int argc, char **argv)
{
	unsigned int passed = 0, failed = 0;
	struct dirent **entries = NULL;
	struct nnhal_device *dev = NULL;
	char message[256] = "";
	struct options o;
	int count, ret;

	ret = options_parse(&o, argc, argv, "ARGUMENT device devices runtime filter");
	if (ret)
		return ret;
	count = scandir(o.model, &entries, is_model, alphasort);
	if (count < 0) {
		complain("%s: %s", o.model, strerror(errno));
		return 1;
	}
	ret = o.runtime ? 0 : device_open(o.device, &dev, message, sizeof(message));
	if (ret)
		complain("%s", message[0] ? message : strerror(-ret));
	for (int i = 0; i < count; i++) {
		struct check c = {
			.dir = o.model, .name = entries[i]->d_name, .dev = dev, .devices = o.devices
		};

		if (!ret && has_model(c.dir, c.name) && (!o.filter || strstr(c.name, o.filter))) {
			if (check_model(&c))
				passed++;
			else
				failed++;
			tsv_free(&c.io);
			tsv_free(&c.bounds);
			tsv_free(&c.probe);
		}
		free(entries[i]);
	}
	free(entries);
	if (!ret && dev)
		dev->ops->destroy(dev);
	/* An empty folder is a failure. */
	failed += ret || !(passed + failed);
	printf("%u passed, %u failed\n", passed, failed);
	return failed ? 1 : 0;
}
