// SPDX-License-Identifier: Apache-2.0
/* The service's configuration file: what it says, and each mistake with its line. */
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/sensord_serve.h"
#include "temp.h"
#include "test_case.h"

static int parse(struct sensord_config *config, const char *text, char *message, size_t size)
{
	char *copy = strdup(text);
	int ret;

	sensord_config_init(config);
	message[0] = '\0';
	ret = sensord_config_parse(config, "f", copy, message, size);
	free(copy);
	return ret;
}

TEST(test_all)
{
	static const char text[] = "# comment\n"
				   "; another\n"
				   "\n"
				   "[permission fast motion]\n"
				   "types = accelerometer, android.sensor.gyroscope\n"
				   "types=gravity\n"
				   "  above-rate = 100.5\n"
				   "users = 7 root\n"
				   "groups = 12,13\n"
				   "[ permission  body ]\r\n"
				   "types = heart_rate\n"
				   "[virtual]\n"
				   "file = /a /b\n"
				   "file = /c\n"
				   "[iio]\n"
				   "enable = no\n"
				   "[fusion]\n"
				   "enable = no\n"
				   "[limits]\n"
				   "connections = 1\n"
				   "connections-per-user = 2\n"
				   "objects = 3\n"
				   "objects-per-user = 4\n"
				   "sensors = 65536\n"
				   "memory = 1048576\n"
				   "memory-per-user = 5\n"
				   "events = 1000000000\n"
				   "events-per-user = 6";
	const struct permission_rule *rule;
	struct sensord_config config;
	char message[256];

	if (parse(&config, text, message, sizeof(message)))
		fail_msg("%s", message);
	assert_int_equal(config.rules.count, 2);
	rule = permission_rule_of(&config.rules, NNSENSORS_TYPE_GYROSCOPE);
	assert_ptr_equal(rule, &config.rules.rules[0]);
	assert_ptr_equal(permission_rule_of(&config.rules, NNSENSORS_TYPE_GRAVITY), rule);
	assert_string_equal(rule->name, "fast motion");
	assert_true(rule->above_hz == 100.5);
	assert_int_equal(rule->num_users, 2);
	assert_int_equal(rule->users[0], 7);
	assert_int_equal(rule->users[1], 0);
	assert_int_equal(rule->num_groups, 2);
	assert_int_equal(rule->groups[1], 13);
	rule = permission_rule_of(&config.rules, NNSENSORS_TYPE_HEART_RATE);
	assert_string_equal(rule->name, "body");
	assert_null(permission_rule_of(&config.rules, NNSENSORS_TYPE_LIGHT));
	assert_null(permission_rule_of(&config.rules, NNSENSORS_TYPE_PRIVATE_BASE));
	assert_int_equal(config.num_virtual, 3);
	assert_string_equal(config.virtual_files[2], "/c");
	assert_false(config.iio);
	assert_false(config.fusion);
	assert_int_equal(config.limits.connections, 1);
	assert_int_equal(config.limits.connections_per_user, 2);
	assert_int_equal(config.limits.objects, 3);
	assert_int_equal(config.limits.objects_per_user, 4);
	assert_int_equal(config.limits.sensors, 65536);
	assert_int_equal(config.limits.memory, 1048576);
	assert_int_equal(config.limits.memory_per_user, 5);
	assert_int_equal(config.limits.events, 1000000000);
	assert_int_equal(config.limits.events_per_user, 6);
	sensord_config_fini(&config);
}

TEST(test_mistakes)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "enable = yes\n", "f:1: a [section] is needed before the first key" },
		{ "\n[iio\n", "f:2: the section's ] is missing" },
		{ "[]\n", "f:1: the section has no name" },
		{ "[\n", "f:1: the section's ] is missing" },
		{ "[nosuch]\n", "f:1: there is no section [nosuch]" },
		{ "[iio x]\n", "f:1: [iio] has no name" },
		{ "[iio]\nenable\n", "f:2: expected [section] or key = value, got \"enable\"" },
		{ "[iio]\n= yes\n", "f:2: there is no key before =" },
		{ "[iio]\nenable = 1\n", "f:2: enable is yes or no" },
		{ "[iio]\ndisable = yes\n", "f:2: [iio] has no key \"disable\"" },
		{ "[virtual]\nfile = relative\n", "f:2: relative: the whole path is needed" },
		{ "[virtual]\npath = /x\n", "f:2: [virtual] has no key \"path\"" },
		{ "[limits]\nconnections = 0\n", "f:2: connections is a number from 1 to 65536" },
		{ "[limits]\nsensors = 65537\n", "f:2: sensors is a number from 1 to 65536" },
		{ "[limits]\nmemory = 1048577\n", "f:2: memory is a number from 1 to 1048576" },
		{ "[limits]\nevents = 1000000001\n",
		  "f:2: events is a number from 1 to 1000000000" },
		{ "[limits]\nsensors = -1\n", "f:2: sensors is a number from 1 to 65536" },
		{ "[limits]\nthings = 1\n", "f:2: [limits] has no key \"things\"" },
		{ "[permission]\n", "f:1: a permission has a name of at most 63 characters" },
		{ "[permission 0123456789012345678901234567890123456789012345678901234567890123]\n",
		  "f:1: a permission has a name of at most 63 characters" },
		{ "[permission a]\ntypes = light\n[permission a]\n",
		  "f:3: permission a is there already" },
		{ "[permission a]\ntypes = light\n[permission b]\ntypes = light\n",
		  "f:4: light is in permission a already" },
		{ "[permission a]\ntypes = light light\n",
		  "f:2: light is in permission a already" },
		{ "[permission a]\ntypes = lamp\n", "f:2: there is no type of sensors \"lamp\"" },
		{ "[permission a]\ntypes = meta_data\n",
		  "f:2: there is no type of sensors \"meta_data\"" },
		{ "[permission a]\n[iio]\n", "f:2: permission a of line 1 has no types" },
		{ "[permission a]\n", "f: permission a of line 1 has no types" },
		{ "[permission a]\nabove-rate = fast\n", "f:2: above-rate is a rate in Hz from 0" },
		{ "[permission a]\nabove-rate = -1\n", "f:2: above-rate is a rate in Hz from 0" },
		{ "[permission a]\nabove-rate = nan\n", "f:2: above-rate is a rate in Hz from 0" },
		{ "[permission a]\nusers = no-such-user-here\n",
		  "f:2: there is no user \"no-such-user-here\"" },
		{ "[permission a]\ngroups = no-such-group-here\n",
		  "f:2: there is no group \"no-such-group-here\"" },
		{ "[permission a]\nusers = 4294967295\n", "f:2: there is no user \"4294967295\"" },
		{ "[permission a]\nrate = 1\n", "f:2: [permission] has no key \"rate\"" },
		{ "[permission a]\nusers = "
		  "01234567890123456789012345678901234567890123456789012345678901234567890123456789"
		  "01234567890123456789012345678901234567890123456789012345678901234567890123456789\n",
		  "f:2: users: a word is too long" },
	};
	struct sensord_config config;
	char message[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(parse(&config, cases[i].text, message, sizeof(message)) < 0);
		assert_string_equal(message, cases[i].message);
		sensord_config_fini(&config);
	}
}

TEST(test_files)
{
	const char *path = temp_path("conf");
	struct sensord_config config;
	char message[256];

	temp_write(path, "[iio]\nena\0ble", 13);
	sensord_config_init(&config);
	assert_true(sensord_config_read(&config, path, message, sizeof(message)) < 0);
	assert_non_null(strstr(message, ":2: a zero byte"));
	assert_int_equal(truncate(path, 2 << 20), 0);
	assert_true(sensord_config_read(&config, path, message, sizeof(message)) < 0);
	unlink(path);
	assert_true(sensord_config_read(&config, path, message, sizeof(message)) < 0);
	assert_non_null(strstr(message, "No such file"));
	assert_true(sensord_config_read(&config, "/tmp", message, sizeof(message)) < 0);
	sensord_config_fini(&config);
}

/* Who is named has all; others what is below the rate; everybody what no rule is about. */
TEST(test_permissions)
{
	static const char text[] = "[permission fast]\n"
				   "types = accelerometer\n"
				   "above-rate = 100\n"
				   "users = 7\n"
				   "groups = 12\n"
				   "[permission never]\n"
				   "types = heart_rate, private\n";
	gid_t groups[] = { 11, 12 };
	const struct person user = { .user = 7 };
	const struct person member = { .user = 8, .groups = groups, .num_groups = 2 };
	const struct person other = { .user = 8, .groups = groups, .num_groups = 1 };
	const struct person root = { .user = 0 };
	const int32_t accel = NNSENSORS_TYPE_ACCELEROMETER, heart = NNSENSORS_TYPE_HEART_RATE;
	struct sensord_config config;
	char message[256];

	if (parse(&config, text, message, sizeof(message)))
		fail_msg("%s", message);
	assert_true(permission_allows(&config.rules, &user, accel, 1000000));
	assert_true(permission_allows(&config.rules, &member, accel, 1000000));
	assert_false(permission_allows(&config.rules, &other, accel, 1000000));
	assert_true(permission_allows(&config.rules, &other, accel, 10000000));
	assert_true(permission_allows(&config.rules, &other, accel, 20000000));
	assert_false(permission_allows(&config.rules, &other, accel, 9900000));
	assert_false(permission_allows(&config.rules, &other, accel, 0));
	assert_false(permission_allows(&config.rules, &root, accel, 1000000));
	assert_false(permission_allows(&config.rules, &user, heart, 1000000000));
	assert_false(
		permission_allows(&config.rules, &user, NNSENSORS_TYPE_PRIVATE_BASE + 5, 1000));
	assert_true(permission_allows(&config.rules, &other, NNSENSORS_TYPE_LIGHT, 0));
	sensord_config_fini(&config);
}

/* A rule about a sensor is one about what is computed from it; a rule of its own goes before. */
TEST(test_computed)
{
	static const char text[] = "[permission motion]\n"
				   "types = accelerometer\n"
				   "users = 7\n"
				   "[permission fast]\n"
				   "types = gyroscope\n"
				   "above-rate = 100\n"
				   "[permission steps]\n"
				   "types = step_counter\n"
				   "users = 8\n";
	static const int32_t computed[] = {
		NNSENSORS_TYPE_ACCELEROMETER_UNCALIBRATED,
		NNSENSORS_TYPE_GRAVITY,
		NNSENSORS_TYPE_LINEAR_ACCELERATION,
		NNSENSORS_TYPE_ROTATION_VECTOR,
		NNSENSORS_TYPE_GAME_ROTATION_VECTOR,
		NNSENSORS_TYPE_GEOMAGNETIC_ROTATION_VECTOR,
		NNSENSORS_TYPE_ORIENTATION,
		NNSENSORS_TYPE_POSE_6DOF,
		NNSENSORS_TYPE_SIGNIFICANT_MOTION,
		NNSENSORS_TYPE_STEP_DETECTOR,
		NNSENSORS_TYPE_TILT_DETECTOR,
		NNSENSORS_TYPE_DEVICE_ORIENTATION,
		NNSENSORS_TYPE_WAKE_GESTURE,
		NNSENSORS_TYPE_STATIONARY_DETECT,
	};
	const struct person named = { .user = 7 }, other = { .user = 8 };
	const int64_t slow = 20000000, fast = 5000000;
	struct sensord_config config;
	char message[256];

	if (parse(&config, text, message, sizeof(message)))
		fail_msg("%s", message);
	for (size_t i = 0; i < sizeof(computed) / sizeof(computed[0]); i++) {
		if (permission_allows(&config.rules, &other, computed[i], slow) ||
		    !permission_allows(&config.rules, &named, computed[i], slow))
			fail_msg("type %d", computed[i]);
		assert_string_equal(permission_name(&config.rules, computed[i]), "motion");
	}
	/* every rule about a base counts */
	assert_false(permission_allows(&config.rules, &named, NNSENSORS_TYPE_GRAVITY, fast));
	assert_true(permission_allows(&config.rules, &named, NNSENSORS_TYPE_STEP_DETECTOR, fast));
	assert_true(permission_allows(&config.rules, &other, NNSENSORS_TYPE_GYROSCOPE_UNCALIBRATED,
				      slow));
	assert_false(permission_allows(&config.rules, &other, NNSENSORS_TYPE_GYROSCOPE_UNCALIBRATED,
				       fast));
	/* a rule of its own */
	assert_true(permission_allows(&config.rules, &other, NNSENSORS_TYPE_STEP_COUNTER, slow));
	assert_false(permission_allows(&config.rules, &named, NNSENSORS_TYPE_STEP_COUNTER, slow));
	/* not computed from these */
	assert_true(permission_allows(&config.rules, &other, NNSENSORS_TYPE_MAGNETIC_FIELD, 0));
	assert_true(permission_allows(&config.rules, &other, NNSENSORS_TYPE_LIGHT, 0));
	assert_string_equal(permission_name(&config.rules, NNSENSORS_TYPE_LIGHT), "");
	sensord_config_fini(&config);
}

/* Types that are about health, or not known, need a rule. */
TEST(test_needs_rule)
{
	static const int32_t types[] = { NNSENSORS_TYPE_HEART_RATE, NNSENSORS_TYPE_HEART_BEAT,
					 NNSENSORS_TYPE_PRIVATE_BASE,
					 NNSENSORS_TYPE_PRIVATE_BASE + 77 };
	const struct person root = { .user = 0 }, user = { .user = 7 };
	struct sensord_config config;
	char message[256];

	sensord_config_init(&config);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		assert_false(permission_allows(&config.rules, &root, types[i], 1000000000));
		assert_string_equal(permission_name(&config.rules, types[i]), "(no rule)");
	}
	assert_true(permission_allows(&config.rules, &user, NNSENSORS_TYPE_LIGHT, 1000000));
	sensord_config_fini(&config);
	if (parse(&config, "[permission body]\ntypes = heart_rate, private\nusers = 7\n", message,
		  sizeof(message)))
		fail_msg("%s", message);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		assert_false(permission_allows(&config.rules, &root, types[i], 1000000000));
		assert_true(permission_allows(&config.rules, &user, types[i], 1000000000));
	}
	sensord_config_fini(&config);
}

/* The groups of the process at the other end. */
TEST(test_person)
{
	struct person person;
	gid_t groups[256];
	int pair[2], count = getgroups(256, groups);

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	assert_int_equal(person_identify(&person, pair[0], getuid(), getegid()), 0);
	assert_int_equal(person.user, getuid());
	assert_int_equal(person.num_groups, count + 1);
	for (int i = 0; i < count; i++)
		assert_int_equal(person.groups[i], groups[i]);
	assert_int_equal(person.groups[count], getegid());
	person_fini(&person);
	close(pair[0]);
	close(pair[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),	   cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_files),	   cmocka_unit_test(test_permissions),
		cmocka_unit_test(test_person),	   cmocka_unit_test(test_computed),
		cmocka_unit_test(test_needs_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
