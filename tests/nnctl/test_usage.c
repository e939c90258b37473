// SPDX-License-Identifier: Apache-2.0
/* What "nnctl top" reads, on a copy of the parts of /proc and /sys that it uses. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "monitor/nnctl_monitor.h"
#include "temp.h"
#include "test_case.h"

#define SECOND 1000000000ll
#define BUS0 "0000:00:05.0"
#define BUS1 "0000:00:06.0"

#define make_file(text, ...) make_file_at(temp_path(__VA_ARGS__), text)
#define make_link(target, ...) make_link_at(temp_path(__VA_ARGS__), target)

static void make_file_at(const char *path, const char *text)
{
	temp_make_folders(path);
	temp_write_text(path, text);
}

static void make_link_at(const char *path, const char *target)
{
	temp_make_folders(path);
	unlink(path);
	assert_int_equal(symlink(target, path), 0);
}

static void make_card(int number, const char *bus, const char *driver, const char *busy_us)
{
	char target[128];

	snprintf(target, sizeof(target), "../../../devices/%s", bus);
	make_link(target, "sys/class/accel/accel%d/device", number);
	snprintf(target, sizeof(target), "../../bus/pci/drivers/%s", driver);
	make_link(target, "sys/devices/%s/driver", bus);
	make_file(busy_us, "sys/devices/%s/nnaccel/busy_time_us", bus);
	make_file("2\n", "sys/devices/%s/nnaccel/engines", bus);
	make_file("1048576\n", "sys/devices/%s/nnaccel/memory_bytes", bus);
	make_file("online\n", "sys/devices/%s/nnaccel/state", bus);
}

/* A descriptor of card 0, in the form of Linux 6.12. */
static void make_client(int pid, int fd, int id, const char *busy_ns, const char *completed)
{
	char text[1024];

	snprintf(
		text, sizeof(text),
		"pos:\t0\nflags:\t02100002\nmnt_id:\t27\nino:\t521\ndrm-driver:\tnnaccel\n"
		"drm-client-id:\t%d\ndrm-pdev:\t" BUS0 "\ndrm-engine-nn:\t%s ns\n"
		"drm-engine-capacity-nn:\t2\ndrm-total-memory:\t512 KiB\n"
		"nnaccel-charged:\t768 KiB\nnnaccel-charged-limit:\t8388608 KiB\nnnaccel-queues:\t3\n"
		"nnaccel-jobs:\t1\nnnaccel-jobs-submitted:\t50\nnnaccel-jobs-completed:\t%s\n"
		"nnaccel-jobs-failed:\t4\nnnaccel-jobs-innocent:\t5\nnnaccel-refused:\t6\n",
		id, busy_ns, completed);
	make_file(text, "proc/%d/fdinfo/%d", pid, fd);
	make_link("/dev/accel/accel0", "proc/%d/fd/%d", pid, fd);
	make_file("classify\n", "proc/%d/comm", pid);
}

FIXTURE(setup)
{
	make_card(0, BUS0, "nnaccel", "1000000\n");
	make_file("", "proc/self");
	return 0;
}

static struct usage take(int64_t at_ns, const struct usage *before)
{
	struct usage usage;

	assert_int_equal(usage_take(&usage, temp_folder(), at_ns, before), 0);
	return usage;
}

/* ---- cases ---- */

TEST(what_is_read)
{
	struct usage u;

	make_client(321, 5, 7, "250", "10");
	u = take(0, NULL);
	assert_int_equal(u.num_cards, 1);
	assert_string_equal(u.cards[0].now.name, "accel0");
	assert_string_equal(u.cards[0].now.bus, BUS0);
	assert_string_equal(u.cards[0].now.state, "online");
	assert_int_equal(u.cards[0].now.busy_us, 1000000);
	assert_int_equal(u.cards[0].now.engines, 2);
	assert_int_equal(u.cards[0].now.memory_bytes, 1048576);
	assert_true(u.cards[0].now.temperature_mc == READING_UNKNOWN);
	assert_true(u.cards[0].now.clock_mhz == READING_UNKNOWN);
	assert_int_equal(u.cards[0].clients, 1);
	assert_true(isnan(u.cards[0].busy));
	assert_int_equal(u.num_clients, 1);
	assert_string_equal(u.clients[0].now.device, "accel0");
	assert_string_equal(u.clients[0].now.program, "classify");
	assert_int_equal(u.clients[0].now.uid, getuid());
	assert_int_equal(u.clients[0].now.pid, 321);
	assert_int_equal(u.clients[0].now.id, 7);
	assert_int_equal(u.clients[0].now.busy_ns, 250);
	assert_int_equal(u.clients[0].now.engines, 2);
	assert_int_equal(u.clients[0].now.memory_bytes, 768 * 1024);
	assert_int_equal(u.clients[0].now.queues, 3);
	assert_int_equal(u.clients[0].now.jobs, 1);
	assert_int_equal(u.clients[0].now.submitted, 50);
	assert_int_equal(u.clients[0].now.completed, 10);
	assert_int_equal(u.clients[0].now.failed, 4);
	assert_int_equal(u.clients[0].now.innocent, 5);
	assert_int_equal(u.clients[0].now.refused, 6);
	assert_true(isnan(u.clients[0].busy) && isnan(u.clients[0].jobs_per_s));
	usage_free(&u);
}

/* The differences of two readings, over the time between them and the engines. */
TEST(rates)
{
	struct usage before, now;

	make_client(300, 5, 7, "1000000000", "10");
	make_client(301, 5, 8, "0", "0");
	before = take(5 * SECOND, NULL);
	make_card(0, BUS0, "nnaccel", "2500000\n");
	make_client(300, 5, 7, "1500000000", "12");
	make_client(301, 5, 8, "1000000000", "60");
	make_client(302, 5, 9, "9000000000", "60");
	now = take(7 * SECOND, &before);
	assert_true(fabs(now.cards[0].busy - 0.375) < 1e-12);
	assert_int_equal(now.cards[0].clients, 3);
	/* the busiest first, one that is new last */
	assert_int_equal(now.clients[0].now.pid, 301);
	assert_true(fabs(now.clients[0].busy - 0.25) < 1e-12);
	assert_true(fabs(now.clients[0].jobs_per_s - 30) < 1e-12);
	assert_int_equal(now.clients[1].now.pid, 300);
	assert_true(fabs(now.clients[1].busy - 0.125) < 1e-12);
	assert_true(fabs(now.clients[1].jobs_per_s - 1) < 1e-12);
	assert_int_equal(now.clients[2].now.pid, 302);
	assert_true(isnan(now.clients[2].busy) && isnan(now.clients[2].jobs_per_s));
	usage_free(&before);
	usage_free(&now);
}

/* Counters that begin anew give no rate; more than all of the time is all of it. */
TEST(odd_rates)
{
	struct usage before, now;

	make_card(1, BUS1, "nnaccel", "1000000\n");
	make_client(300, 5, 7, "1000000000", "10");
	before = take(0, NULL);
	make_card(0, BUS0, "nnaccel", "900000\n");
	make_card(1, BUS1, "nnaccel", "9000000\n");
	make_client(300, 5, 7, "900000000", "9");
	now = take(SECOND, &before);
	assert_true(isnan(now.cards[0].busy));
	assert_true(now.cards[1].busy >= 1 && now.cards[1].busy <= 1);
	assert_true(isnan(now.clients[0].busy) && isnan(now.clients[0].jobs_per_s));
	usage_free(&now);
	/* no time has passed */
	now = take(0, &before);
	assert_true(isnan(now.cards[1].busy));
	assert_true(isnan(now.clients[0].busy) && isnan(now.clients[0].jobs_per_s));
	usage_free(&now);
	/* another card has the name */
	make_card(0, BUS1, "nnaccel", "1500000\n");
	now = take(SECOND, &before);
	assert_true(isnan(now.cards[0].busy));
	usage_free(&now);
	usage_free(&before);
}

/* Descriptors and processes share a file of the driver. */
TEST(shared_files)
{
	struct usage u;

	make_client(500, 5, 7, "1", "1");
	make_client(400, 5, 7, "1", "1");
	make_client(400, 6, 7, "1", "1");
	make_client(400, 7, 8, "1", "1");
	u = take(0, NULL);
	assert_int_equal(u.num_clients, 2);
	assert_int_equal(u.clients[0].now.id, 7);
	assert_int_equal(u.clients[0].now.pid, 400);
	assert_int_equal(u.clients[1].now.id, 8);
	assert_int_equal(u.cards[0].clients, 2);
	usage_free(&u);
}

TEST(others)
{
	struct usage u;

	make_card(1, BUS1, "another", "1\n");
	make_file("drm-driver:\tanother\ndrm-client-id:\t1\n", "proc/500/fdinfo/3");
	make_link("/dev/accel/accel1", "proc/500/fd/3");
	/* a file that says so, but no device */
	make_file("drm-driver:\tnnaccel\ndrm-client-id:\t1\n", "proc/500/fdinfo/4");
	make_link("/home/user/accel0", "proc/500/fd/4");
	/* no client without a number */
	make_file("drm-driver:\tnnaccel\ndrm-engine-nn:\t1 ns\n", "proc/500/fdinfo/5");
	make_link("/dev/accel/accel0", "proc/500/fd/5");
	/* no fdinfo */
	make_link("/dev/accel/accel0", "proc/500/fd/6");
	make_file("x", "proc/500a/comm");
	u = take(0, NULL);
	assert_int_equal(u.num_cards, 1);
	assert_int_equal(u.num_clients, 0);
	usage_free(&u);
}

/* What other processes and files say is checked, and no command of a terminal. */
TEST(hostile_texts)
{
	struct usage u;

	make_file("18446744073709551616\n", "sys/devices/" BUS0 "/nnaccel/busy_time_us");
	make_file("-1\n", "sys/devices/" BUS0 "/nnaccel/engines");
	make_file("\033[2J\n", "sys/devices/" BUS0 "/nnaccel/state");
	make_file("drm-driver:\tnnaccel\ndrm-client-id:\t3\ndrm-engine-nn:\t12 parsecs\n"
		  "drm-engine-capacity-nn:\t0\nnnaccel-charged:\t18446744073709551615 KiB\n"
		  "nnaccel-queues:\t\nnnaccel-jobs\nnnaccel-jobs-failed:\t0x10\n:\n\n",
		  "proc/500/fdinfo/3");
	make_link("/dev/accel/accel0 (deleted)", "proc/500/fd/3");
	make_file("a\033]0;b\n", "proc/500/comm");
	u = take(0, NULL);
	assert_true(u.cards[0].now.busy_us == READING_UNKNOWN);
	assert_true(u.cards[0].now.engines == READING_UNKNOWN);
	assert_string_equal(u.cards[0].now.state, "?[2J");
	assert_int_equal(u.num_clients, 1);
	assert_string_equal(u.clients[0].now.device, "accel0");
	assert_string_equal(u.clients[0].now.program, "a?]0;b");
	assert_true(u.clients[0].now.busy_ns == READING_UNKNOWN);
	assert_int_equal(u.clients[0].now.engines, 1);
	assert_true(u.clients[0].now.memory_bytes == READING_UNKNOWN);
	assert_true(u.clients[0].now.queues == READING_UNKNOWN);
	assert_true(u.clients[0].now.jobs == READING_UNKNOWN);
	assert_true(u.clients[0].now.failed == READING_UNKNOWN);
	usage_free(&u);
}

/* As in a container: clients name the card. A node may have another name there. */
TEST(hidden_sysfs)
{
	const char *sys = temp_path("sys"), *hidden = temp_path("hidden");
	struct usage u;

	make_client(300, 5, 7, "1", "1");
	make_client(301, 5, 8, "1", "1");
	make_link("/dev/npu", "proc/301/fd/5");
	u = take(0, NULL);
	assert_int_equal(u.num_cards, 1);
	assert_string_equal(u.clients[1].now.device, "accel0");
	usage_free(&u);
	assert_int_equal(rename(sys, hidden), 0);
	u = take(0, NULL);
	assert_int_equal(u.num_cards, 2);
	assert_string_equal(u.cards[0].now.name, "accel0");
	assert_true(u.cards[0].now.memory_bytes == READING_UNKNOWN);
	assert_string_equal(u.cards[0].now.state, "");
	assert_int_equal(u.cards[0].clients, 1);
	assert_string_equal(u.cards[1].now.name, BUS0);
	assert_string_equal(u.clients[1].now.device, BUS0);
	usage_free(&u);
}

TEST(no_proc)
{
	struct usage u;

	assert_int_equal(usage_take(&u, "/nonexistent", 0, NULL), -1);
	usage_free(&u);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, temp_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_is_read), CASE(rates),	 CASE(odd_rates),    CASE(shared_files),
		CASE(others),	    CASE(hostile_texts), CASE(hidden_sysfs), CASE(no_proc),
	};

	return cmocka_run_group_tests_name("nnctl-usage", tests, NULL, NULL);
}
