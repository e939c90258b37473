// SPDX-License-Identifier: Apache-2.0
/*
 * Devices that come and go while the process runs. A file takes a test device away, and the
 * description in the environment brings it back. There is no event for that, unlike udev's for
 * cards, so the cases ask for a rescan.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "eventually.h"
#include "registry/nnr_registry.h"
#include "rt_case.h"
#include "skip.h"
#include "task_state.h"

static const char *gone;

/* @devices with at most one %s: the name of the file that takes one away. */
static void describe(const char *devices)
{
	const char *place = strstr(devices, "%s");

	gone = temp_path("gone");
	if (place)
		rt_devices("%.*s%s%s", (int)(place - devices), devices, gone, place + 2);
	else
		rt_devices("%s", devices);
}

static void take_away(void)
{
	temp_write(gone, "", 0);
}

static void bring_back(void)
{
	assert_int_equal(unlink(gone), 0);
}

static uint32_t count(void)
{
	uint32_t n;

	RT_OK(ANeuralNetworks_getDeviceCount(&n));
	return n;
}

static bool answers(ANeuralNetworksDevice *device)
{
	struct nnhal_device *hal = nnr_device_enter(device);
	enum nnhal_device_status status = hal->ops->get_status(hal);

	nnr_device_leave(device);
	assert_true(status == NNHAL_AVAILABLE || status == NNHAL_OFFLINE);
	return status == NNHAL_AVAILABLE;
}

TEST(who_comes_later_is_appended)
{
	ANeuralNetworksDevice *before[2], *after[4];

	describe("name=a");
	assert_int_equal(count(), 2);
	for (uint32_t i = 0; i < 2; i++)
		RT_OK(ANeuralNetworks_getDevice(i, &before[i]));
	describe("name=new name=a name=other");
	nnr_devices_rescan();
	assert_int_equal(count(), 4);
	for (uint32_t i = 0; i < 4; i++)
		RT_OK(ANeuralNetworks_getDevice(i, &after[i]));
	assert_ptr_equal(after[0], before[0]);
	assert_ptr_equal(after[1], before[1]);
	assert_ptr_equal(after[1], nnr_reference_device());
	assert_string_equal(after[2]->name, "new");
	assert_string_equal(after[3]->name, "other");
	nnr_devices_rescan();
	assert_int_equal(count(), 4);
}

TEST(who_leaves_stays_in_the_list)
{
	ANeuralNetworksDevice *a;
	const char *name;

	describe("name=a,gone=%s name=b");
	a = rt_device("a");
	assert_true(answers(a));
	take_away();
	nnr_devices_rescan();
	assert_int_equal(count(), 3);
	assert_ptr_equal(rt_device("a"), a);
	RT_OK(ANeuralNetworksDevice_getName(a, &name));
	assert_string_equal(name, "a");
	assert_false(answers(a));
	assert_true(answers(rt_device("b")));
}

TEST(who_returns_has_its_old_handle)
{
	struct nnhal_device *first, *lost;
	ANeuralNetworksDevice *a;
	const char *calls = temp_path("calls");
	char text[1024];

	snprintf(text, sizeof(text), "name=a,count=%s,gone=%%s name=b", calls);
	describe(text);
	a = rt_device("a");
	first = a->hal;
	nnr_devices_rescan();
	assert_ptr_equal(a->hal, first);
	take_away();
	nnr_devices_rescan();
	assert_false(answers(a));
	lost = nnr_device_enter(a);
	bring_back();
	/* it is there, but this connection is not: only a look helps */
	assert_false(answers(a));
	nnr_devices_rescan();
	assert_true(answers(a));
	assert_ptr_not_equal(a->hal, lost);
	assert_int_equal(count(), 3);
	assert_ptr_equal(rt_device("a"), a);
	/* a caller that is still in the old object may go on */
	assert_int_equal(lost->ops->get_status(lost), NNHAL_OFFLINE);
	nnr_devices_rescan();
	assert_int_equal(lines_count(calls, "a destroy"), 0);
	/* and when there is none, what is behind the object is not kept */
	nnr_device_leave(a);
	RT_OK(ANeuralNetworks_getDeviceCount(&(uint32_t){ 0 }));
	assert_int_equal(lines_count(calls, "a destroy"), 1);
	assert_true(answers(a));
}

TEST(a_lost_device_is_looked_for)
{
	ANeuralNetworksDevice *a;

	describe("name=a,gone=%s");
	a = rt_device("a");
	take_away();
	assert_false(answers(a));
	assert_int_equal(count(), 2);
	bring_back();
	/* every call of the API looks for it */
	assert_true(EVENTUALLY(count() == 2 && answers(a)));
}

/* A card with other firmware in the same slot: the handle stays with the one that is lost. */
TEST(another_device_in_its_place_is_new)
{
	ANeuralNetworksDevice *a, *other;
	const char *version, *file = temp_path("version");
	char text[1024];

	temp_write(file, "1", 1);
	snprintf(text, sizeof(text), "name=a,version=@%s,gone=%%s", file);
	describe(text);
	a = rt_device("a");
	take_away();
	nnr_devices_rescan();
	assert_false(answers(a));
	temp_write(file, "2", 1);
	bring_back();
	nnr_devices_rescan();
	assert_false(answers(a));
	assert_int_equal(ANeuralNetworksDevice_wait(a), ANEURALNETWORKS_UNAVAILABLE_DEVICE);
	other = rt_device("a-2");
	RT_OK(ANeuralNetworksDevice_wait(other));
	assert_true(answers(other));
	RT_OK(ANeuralNetworksDevice_getVersion(other, &version));
	assert_string_equal(version, "2");
	/* from now on only the new one is looked for */
	take_away();
	assert_false(answers(other));
	bring_back();
	nnr_devices_rescan();
	assert_true(answers(other));
	assert_false(answers(a));
	assert_int_equal(count(), 3);
}

/* Whether there is a sysfs that says where nodes are. */
static bool has_place(void)
{
	return nnr_device_of(rt_device("a"))->place;
}

/* A card that returns has another node and name as long as a process has its old one open. */
TEST(a_card_returns_under_another_name)
{
	ANeuralNetworksDevice *a, *b;

	describe("name=a,node=/dev/null,gone=%s name=b,node=/dev/zero");
	a = rt_device("a");
	b = rt_device("b");
	if (!has_place())
		skip_host("no /sys that gives a device its place");
	describe("name=b,node=/dev/zero");
	take_away();
	nnr_devices_rescan();
	assert_false(answers(a));
	describe("name=b,node=/dev/zero name=a1,node=/dev/null");
	nnr_devices_rescan();
	assert_true(answers(a));
	assert_true(answers(b));
	assert_int_equal(count(), 3);
	assert_string_equal(a->name, "a");
	/* that is its name for its library from now on */
	describe("name=b,node=/dev/zero name=a1,node=/dev/null");
	nnr_devices_rescan();
	assert_int_equal(count(), 3);
	/* a device with another node is a new device */
	describe("name=b,node=/dev/zero name=a1,node=/dev/null name=c,node=/dev/full");
	nnr_devices_rescan();
	assert_int_equal(count(), 4);
}

/* A device "a" whose node is a link to @target: another target is another place. */
static void describe_at(const char *target, const char *more)
{
	const char *node = temp_path("node");
	char text[1024];

	if (unlink(node))
		assert_int_equal(errno, ENOENT);
	assert_int_equal(symlink(target, node), 0);
	snprintf(text, sizeof(text), "name=a,node=%s,count=%s,gone=%%s%s", node, temp_path("calls"),
		 more);
	describe(text);
}

/* Processes that this one has started and that have not ended: the workers. */
static unsigned int children(void)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned int sum = 0;
	struct dirent *task;
	char path[300];
	FILE *file;
	int pid;

	assert_non_null(tasks);
	while ((task = readdir(tasks)) != NULL) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/children", task->d_name);
		file = fopen(path, "re");
		while (file && fscanf(file, "%d", &pid) == 1)
			sum++;
		if (file)
			fclose(file);
	}
	closedir(tasks);
	return sum;
}

/* Take "a" away; it comes back as the node @target. */
static void move_to(const char *target)
{
	const char *node = temp_path("node");

	take_away();
	assert_int_equal(unlink(node), 0);
	assert_int_equal(symlink(target, node), 0);
	/* each connection sees that it is lost */
	for (uint32_t i = 0; nnr_device(i); i++)
		if (nnr_device(i) != nnr_reference_device())
			answers(nnr_device(i));
	bring_back();
	nnr_devices_rescan();
}

/* Looks at a list that is complete change nothing and open nothing, however many they are. */
static void looks_find_nothing(uint32_t expected)
{
	const unsigned int opened = lines_count(temp_path("calls"), "a open");

	for (int i = 0; i < 20; i++) {
		nnr_devices_rescan();
		assert_int_equal(count(), expected);
	}
	assert_int_equal(lines_count(temp_path("calls"), "a open"), opened);
}

/* The old name of a card that is gone, somewhere else. */
TEST(a_name_in_another_place_is_new)
{
	ANeuralNetworksDevice *a, *c;
	unsigned int workers;

	describe_at("/dev/null", "");
	a = rt_device("a");
	if (!has_place())
		skip_host("no /sys that gives a device its place");
	workers = children(); /* 0: devices are in this process */
	move_to("/dev/zero");
	assert_false(answers(a));
	c = rt_device("a-2");
	assert_true(answers(c));
	assert_int_equal(count(), 3);
	looks_find_nothing(3);
	assert_false(answers(a));
	/* one that waits for the lost one looks as well */
	assert_int_equal(ANeuralNetworksDevice_wait(a), ANEURALNETWORKS_UNAVAILABLE_DEVICE);
	looks_find_nothing(3);
	/* a device for each place, and no unused connection */
	assert_int_equal(lines_count(temp_path("calls"), "a open"), 2);
	assert_int_equal(children(), 2 * workers);
}

/* Of all devices of the name, the one in that place returns. */
TEST(a_name_returns_to_its_places)
{
	ANeuralNetworksDevice *at[3];
	unsigned int workers;

	describe_at("/dev/null", "");
	at[0] = rt_device("a");
	if (!has_place())
		skip_host("no /sys that gives a device its place");
	workers = children();
	move_to("/dev/zero");
	at[1] = rt_device("a-2");
	move_to("/dev/full");
	at[2] = rt_device("a-3");
	assert_int_equal(count(), 4);
	looks_find_nothing(4);
	for (int i = 0; i < 6; i++) {
		static const char *const targets[] = { "/dev/zero", "/dev/null", "/dev/full" };
		static const int there[] = { 1, 0, 2 };

		move_to(targets[i % 3]);
		for (int k = 0; k < 3; k++)
			assert_int_equal(answers(at[k]), k == there[i % 3]);
		looks_find_nothing(4);
	}
	/* what was opened anew has taken the place of what was lost */
	assert_int_equal(lines_count(temp_path("calls"), "a open"), 9);
	assert_int_equal(children(), 3 * workers);
}

/* Nothing says where it is: it is the one that was lost last. */
TEST(a_name_without_a_place_returns)
{
	ANeuralNetworksDevice *a, *c;

	describe_at("/dev/null", "");
	a = rt_device("a");
	if (!has_place())
		skip_host("no /sys that gives a device its place");
	move_to("/dev/zero");
	c = rt_device("a-2");
	move_to("/nowhere");
	assert_false(answers(a));
	assert_true(answers(c));
	looks_find_nothing(3);
}

/* Another card that has the name, where one had it that is lost. */
TEST(another_device_in_one_of_its_places_is_new)
{
	ANeuralNetworksDevice *a, *c, *other;
	const char *file = temp_path("version");
	char more[300];

	temp_write(file, "1", 1);
	snprintf(more, sizeof(more), ",version=@%s", file);
	describe_at("/dev/null", more);
	a = rt_device("a");
	if (!has_place())
		skip_host("no /sys that gives a device its place");
	move_to("/dev/zero");
	c = rt_device("a-2");
	temp_write(file, "2", 1);
	move_to("/dev/null");
	other = rt_device("a-3");
	assert_true(answers(other));
	assert_false(answers(a));
	assert_false(answers(c));
	looks_find_nothing(4);
	/* for "a" there is nothing to wait for; the one in the other place may return */
	assert_int_equal(ANeuralNetworksDevice_wait(a), ANEURALNETWORKS_UNAVAILABLE_DEVICE);
	temp_write(file, "1", 1);
	move_to("/dev/zero");
	assert_true(answers(c));
	assert_false(answers(other));
	looks_find_nothing(4);
}

static void *bring_back_later(void *unused)
{
	EVENTUALLY(thread_asleep(getpid())); /* in ANeuralNetworksDevice_wait() */
	bring_back();
	return unused;
}

TEST(waiting_ends_when_it_is_back)
{
	ANeuralNetworksDevice *a;
	pthread_t thread;

	describe("name=a,gone=%s");
	a = rt_device("a");
	take_away();
	assert_false(answers(a));
	assert_int_equal(pthread_create(&thread, NULL, bring_back_later, NULL), 0);
	RT_OK(ANeuralNetworksDevice_wait(a));
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(answers(a));
}

TEST(waiting_has_an_end)
{
	ANeuralNetworksDevice *a;

	describe("name=a,gone=%s");
	a = rt_device("a");
	take_away();
	assert_int_equal(ANeuralNetworksDevice_wait(a), ANEURALNETWORKS_UNAVAILABLE_DEVICE);
}

TEST(ignored_device_is_opened_once)
{
	const char *opens = temp_path("opens");

	rt_devices("name=a name=b,count=%s", opens);
	assert_int_equal(count(), 2);
	for (int i = 0; i < 3; i++)
		nnr_devices_rescan();
	assert_int_equal(count(), 2);
	assert_null(rt_find_device("b"));
	assert_int_equal(lines_count(opens, "b open"), 1);
	assert_int_equal(lines_count(opens, "b destroy"), 1);
}

/*
 * A child does not share its parent's udev socket. TSan does not let a child start the threads of a
 * device.
 */
#ifndef __SANITIZE_THREAD__
TEST(a_child_has_the_same_devices)
{
	ANeuralNetworksDevice *a;
	pid_t pid;

	describe("name=a,gone=%s");
	a = rt_device("a");
	pid = fork();
	if (!pid) {
		uint32_t n;

		setenv("NNHAL_TEST_DEVICES", "name=late", 1);
		_exit(ANeuralNetworks_getDeviceCount(&n) != ANEURALNETWORKS_NO_ERROR || n != 3 ||
		      nnr_device(0) != a || strcmp(nnr_device(2)->name, "late"));
	}
	assert_int_equal(child_wait(pid), 0);
	assert_int_equal(count(), 2);
}
#endif

static void *ask_for_devices(void *unused)
{
	for (int i = 0; i < 50; i++) {
		ANeuralNetworksDevice *device;
		uint32_t n = count();

		for (uint32_t k = 0; k < n; k++) {
			RT_OK(ANeuralNetworks_getDevice(k, &device));
			answers(device);
		}
	}
	return unused;
}

static void *look(void *unused)
{
	for (int i = 0; i < 20; i++) {
		if (i & 1)
			bring_back();
		else
			take_away();
		nnr_devices_rescan();
	}
	return unused;
}

TEST(threads_may_ask_while_devices_come_and_go)
{
	pthread_t threads[4];

	describe("name=a,gone=%s name=b");
	for (int i = 0; i < 4; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, i ? ask_for_devices : look, NULL), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_true(answers(rt_device("a")));
	assert_int_equal(count(), 3);
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE(who_comes_later_is_appended, NULL),
		RT_CASE(who_leaves_stays_in_the_list, NULL),
		RT_CASE(who_returns_has_its_old_handle, NULL),
		RT_CASE(a_lost_device_is_looked_for, NULL),
		RT_CASE(another_device_in_its_place_is_new, NULL),
		RT_CASE(a_card_returns_under_another_name, NULL),
		RT_CASE_ENV(a_name_in_another_place_is_new, NULL, "NNAPI_DEVICE_WAIT_MS=150"),
		RT_CASE(a_name_returns_to_its_places, NULL),
		RT_CASE(a_name_without_a_place_returns, NULL),
		RT_CASE_ENV(another_device_in_one_of_its_places_is_new, NULL,
			    "NNAPI_DEVICE_WAIT_MS=150"),
		RT_CASE(waiting_ends_when_it_is_back, NULL),
		RT_CASE_ENV(waiting_has_an_end, NULL, "NNAPI_DEVICE_WAIT_MS=150"),
		RT_CASE_ENV(ignored_device_is_opened_once, NULL, "NNAPI_EXCLUDE_DEVICES=b"),
#ifndef __SANITIZE_THREAD__
		RT_CASE(a_child_has_the_same_devices, NULL),
#endif
		RT_CASE(threads_may_ask_while_devices_come_and_go, NULL),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
