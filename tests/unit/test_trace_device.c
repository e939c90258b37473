// SPDX-License-Identifier: Apache-2.0
/* Jobs from the driver's tracepoints, and the card's times on the host's clock. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nntp.h"
#include "test_case.h"

#define MS 1000000ll
#define UNKNOWN NNTRACE_DEVICE_UNKNOWN

static int feed(struct nntrace_device *d, int64_t ns, const char *name, const char *fields)
{
	return nntrace_device_event(d, ns, 77, name, strlen(name), fields, strlen(fields));
}

static struct nntrace_device *start(void)
{
	struct nntrace_device *d = nntrace_device_new();

	assert_non_null(d);
	return d;
}

/* The card's clock is the host's minus 5 s; a reading of 20 us and a worse one. */
static void add_readings(struct nntrace_device *d)
{
	assert_int_equal(
		feed(d, 0, "nnaccel_clock",
		     "device=0 generation=1 before=9000000000 clock=4000010000 after=9000020000"),
		0);
	assert_int_equal(
		feed(d, 0, "nnaccel_clock",
		     "device=0 generation=1 before=9000100000 clock=4000199000 after=9000200000"),
		0);
}

static void add_whole_job(struct nntrace_device *d)
{
	assert_int_equal(feed(d, 10000 * MS, "nnaccel_job_queued",
			      "device=0 client=3 queue=1 hw_queue=9 seqno=1 args=2 "
			      "generation=0"),
			 0);
	assert_int_equal(feed(d, 10001 * MS, "nnaccel_job_scheduled",
			      "device=0 client=3 queue=1 hw_queue=9 seqno=1 "
			      "args=2 generation=0"),
			 0);
	assert_int_equal(feed(d, 10002 * MS, "nnaccel_job_started",
			      "device=0 client=3 queue=1 hw_queue=9 seqno=1 args=2 "
			      "generation=1"),
			 0);
	assert_int_equal(feed(d, 10010 * MS, "nnaccel_job_done",
			      "device=0 client=3 queue=1 seqno=1 status=0x0 error=0 "
			      "device_start=5003000000 device_end=5009000000 generation=1\n"),
			 0);
}

TEST(a_job_has_all_of_its_times)
{
	const struct nntrace_device_clock *c;
	const struct nntrace_device_job *j;
	struct nntrace_device *d = start();
	size_t count;

	add_readings(d);
	add_whole_job(d);
	assert_int_equal(nntrace_device_finish(d), 0);
	c = nntrace_device_clocks(d, &count);
	assert_int_equal(count, 1);
	assert_int_equal(c->readings, 2);
	/* 200 us apart they tell no slope: the better one counts */
	assert_int_equal(c->bound_ns, 10000);
	j = nntrace_device_jobs(d, &count);
	assert_int_equal(count, 1);
	assert_int_equal(j->tid, 77);
	assert_true(j->ended);
	assert_int_equal(j->queueing_ns, 2 * MS);
	assert_int_equal(j->device_ns, 6 * MS);
	assert_int_equal(j->device_start_ns, 10003 * MS);
	assert_int_equal(j->interrupt_ns, 1 * MS);
	nntrace_device_free(d);
}

TEST(one_reading_maps_to_within_its_bound)
{
	const struct nntrace_device_job *j;
	struct nntrace_device *d = start();
	size_t count;

	assert_int_equal(
		feed(d, 0, "nnaccel_clock",
		     "device=0 generation=1 before=9000000000 clock=4000010000 after=9000020000"),
		0);
	add_whole_job(d);
	assert_int_equal(nntrace_device_finish(d), 0);
	j = nntrace_device_jobs(d, &count);
	assert_int_equal(j->device_start_ns, 10003 * MS);
	assert_int_equal(j->device_end_ns, 10009 * MS);
	assert_int_equal(j->interrupt_ns, 1 * MS);
	/* 10 us of the reading, and 200 ppm of the second since */
	assert_in_range(j->bound_ns, 10000 + 190000, 10000 + 210000);
	nntrace_device_free(d);
}

/*
 * The host's clock gains 100 ppm on the card's: between two good readings that is seen and taken
 * out.
 */
TEST(drift_is_taken_out)
{
	const struct nntrace_device_clock *c;
	const struct nntrace_device_job *j;
	struct nntrace_device *d = start();
	size_t count;

	assert_int_equal(
		feed(d, 0, "nnaccel_clock",
		     "device=0 generation=1 before=1000000000 clock=500000000 after=1000000200"),
		0);
	assert_int_equal(
		feed(d, 0, "nnaccel_clock",
		     "device=0 generation=1 before=11001000000 clock=10500000000 after=11001000200"),
		0);
	assert_int_equal(feed(d, 6000 * MS, "nnaccel_job_done",
			      "device=0 client=3 queue=1 seqno=1 status=0x0 error=0 "
			      "device_start=5500000000 device_end=5500000000 generation=1"),
			 0);
	assert_int_equal(nntrace_device_finish(d), 0);
	c = nntrace_device_clocks(d, &count);
	assert_true(c->drift_ppm > 99.9 && c->drift_ppm < 100.1);
	j = nntrace_device_jobs(d, &count);
	assert_int_equal(count, 1);
	assert_true(llabs(j->device_start_ns - 6000500100ll) <= 2);
	assert_int_equal(j->bound_ns, 100);
	assert_int_equal(j->queued_ns, UNKNOWN);
	assert_int_equal(j->queueing_ns, UNKNOWN);
	nntrace_device_free(d);
}

TEST(without_a_reading_only_durations_are_known)
{
	const struct nntrace_device_job *j;
	struct nntrace_device *d = start();
	size_t count;

	/* another card's and another firmware's clocks are no use */
	assert_int_equal(
		feed(d, 0, "nnaccel_clock", "device=1 generation=1 before=1 clock=2 after=3"), 0);
	assert_int_equal(
		feed(d, 0, "nnaccel_clock", "device=0 generation=2 before=1 clock=2 after=3"), 0);
	add_whole_job(d);
	assert_int_equal(nntrace_device_finish(d), 0);
	j = nntrace_device_jobs(d, &count);
	assert_int_equal(j->device_ns, 6 * MS);
	assert_int_equal(j->device_start_ns, UNKNOWN);
	assert_int_equal(j->interrupt_ns, UNKNOWN);
	nntrace_device_free(d);
}

TEST(jobs_are_distinguished)
{
	static const char *const names[] = {
		"device=0 client=3 queue=1 seqno=1",
		"device=0 client=3 queue=1 seqno=2",
		"device=0 client=3 queue=2 seqno=1",
		"device=0 client=4 queue=1 seqno=1",
		"device=1 client=3 queue=1 seqno=1",
		/* the driver was loaded again */
		"device=0 client=3 queue=1 seqno=1",
	};
	char fields[200];
	const struct nntrace_device_job *j;
	struct nntrace_device *d = start();
	size_t count;

	for (int i = 0; i < 6; i++) {
		snprintf(fields, sizeof(fields), "%s hw_queue=0 args=0 generation=1", names[i]);
		assert_int_equal(feed(d, 100 + i, "nnaccel_job_queued", fields), 0);
		snprintf(fields, sizeof(fields),
			 "%s status=0x101 error=-62 device_start=0 device_end=0 generation=1",
			 names[i]);
		assert_int_equal(feed(d, 200 + i, "nnaccel_job_done", fields), 0);
	}
	assert_int_equal(feed(d, 300, "nnaccel_reset", "device=0 generation=1 req=2 acked=1"), 0);
	assert_int_equal(nntrace_device_finish(d), 0);
	j = nntrace_device_jobs(d, &count);
	assert_int_equal(count, 6);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(j[i].queued_ns, 100 + i);
		assert_int_equal(j[i].done_ns, 200 + i);
		assert_int_equal(j[i].status, 0x101);
		assert_int_equal(j[i].error, -62);
		assert_int_equal(j[i].device_ns, UNKNOWN);
	}
	assert_int_equal(nntrace_device_resets(d), 1);
	nntrace_device_free(d);
}

TEST(many_jobs_are_found_again)
{
	struct nntrace_device *d = start();
	const struct nntrace_device_job *j;
	char fields[200];
	size_t count;

	for (int i = 1; i <= 3000; i++) {
		snprintf(fields, sizeof(fields), "device=0 client=1 queue=%d seqno=%d", i % 7, i);
		assert_int_equal(feed(d, i, "nnaccel_job_queued", fields), 0);
	}
	for (int i = 3000; i >= 1; i--) {
		snprintf(fields, sizeof(fields),
			 "device=0 client=1 queue=%d seqno=%d status=0x0 error=0 device_start=1 "
			 "device_end=2 generation=1",
			 i % 7, i);
		assert_int_equal(feed(d, 10000 + i, "nnaccel_job_done", fields), 0);
	}
	assert_int_equal(nntrace_device_finish(d), 0);
	j = nntrace_device_jobs(d, &count);
	assert_int_equal(count, 3000);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(j[i].done_ns - j[i].queued_ns, 10000);
	nntrace_device_free(d);
}

TEST(garbled_fields_are_refused)
{
	static const char *const bad[] = {
		"",
		"device=0",
		"device=0 client=3 queue=1",
		"device=0 client=3 queue=1 seqno=",
		"device=0 client=3 queue=1 seqno=1",
		"device=0 client=3 queue=1 seqno=x status=0x0 error=0 "
		"device_start=1 device_end=2 generation=1",
		"device=4294967296 client=3 queue=1 seqno=1 status=0x0 error=0 device_start=1 device_end=2 generation=1",
		"device=0 client=3 queue=1 seqno=18446744073709551616 status=0x0 error=0 device_start=1 device_end=2 "
		"generation=1",
		"device=0 client=3 queue=1 seqno=1 status=0x0 error=- device_start=1 device_end=2 generation=1",
		"device=0 client=3 queue=1 seqno=1 status=0x0 error=0 device_start=9223372036854775807 device_end=2 "
		"generation=1",
		"xdevice=0 client=3 queue=1 seqno=1 status=0x0 error=0 device_start=1 device_end=2 generation=1",
	};
	struct nntrace_device *d = start();
	size_t count;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(feed(d, 1, "nnaccel_job_done", bad[i]), -EINVAL);
	assert_int_equal(feed(d, -1, "nnaccel_job_done",
			      "device=0 client=3 queue=1 seqno=1 status=0x0 error=0 "
			      "device_start=1 device_end=2 generation=1"),
			 -EINVAL);
	assert_int_equal(feed(d, 1, "nnaccel_clock",
			      "device=0 generation=1 before=3 clock=2 after=1"),
			 -EINVAL);
	assert_int_equal(feed(d, 1, "nnaccel_job", "no fields"), 0);
	assert_int_equal(feed(d, 1, "sched_switch", "prev_comm=x"), 0);
	assert_int_equal(nntrace_device_finish(d), 0);
	nntrace_device_clocks(d, &count);
	assert_int_equal(count, 0);
	nntrace_device_jobs(d, &count);
	assert_int_equal(count, 0);
	nntrace_device_free(d);
}

/*
 * Clocks that a hostile card or file makes up: answers may be unknown, arithmetic does not
 * overflow.
 */
TEST(absurd_clocks_are_survived)
{
	struct nntrace_device *d = start();
	const struct nntrace_device_job *j;
	char *text = NULL;
	size_t count, size;
	FILE *out;

	assert_int_equal(
		feed(d, 0, "nnaccel_clock", "device=0 generation=1 before=0 clock=0 after=0"), 0);
	assert_int_equal(feed(d, 0, "nnaccel_clock",
			      "device=0 generation=1 before=4611686018427387903 clock=1 "
			      "after=4611686018427387903"),
			 0);
	assert_int_equal(feed(d, 0, "nnaccel_clock",
			      "device=0 generation=2 before=0 clock=4611686018427387903 "
			      "after=4611686018427387903"),
			 0);
	assert_int_equal(feed(d, 5, "nnaccel_job_done",
			      "device=0 client=3 queue=1 seqno=1 status=0x0 error=0 "
			      "device_start=1 device_end=4611686018427387903 generation=1"),
			 0);
	assert_int_equal(feed(d, 5, "nnaccel_job_done",
			      "device=0 client=3 queue=1 seqno=2 status=0x0 error=0 "
			      "device_start=9 device_end=7 generation=2"),
			 0);
	assert_int_equal(nntrace_device_finish(d), 0);
	j = nntrace_device_jobs(d, &count);
	assert_int_equal(count, 2);
	assert_int_equal(j[0].device_end_ns, UNKNOWN);
	assert_int_equal(j[1].device_ns, UNKNOWN);
	out = open_memstream(&text, &size);
	assert_non_null(out);
	nntrace_device_print(d, out, 1);
	nntrace_device_print_json(d, out);
	fclose(out);
	assert_non_null(strstr(text, "2 jobs, 0 failed, 0 without an end, 0 resets"));
	free(text);
	nntrace_device_free(d);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_has_all_of_its_times),
		cmocka_unit_test(one_reading_maps_to_within_its_bound),
		cmocka_unit_test(drift_is_taken_out),
		cmocka_unit_test(without_a_reading_only_durations_are_known),
		cmocka_unit_test(jobs_are_distinguished),
		cmocka_unit_test(many_jobs_are_found_again),
		cmocka_unit_test(garbled_fields_are_refused),
		cmocka_unit_test(absurd_clocks_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
