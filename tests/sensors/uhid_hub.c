// SPDX-License-Identifier: Apache-2.0
#include "uhid_hub.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "nnutil_file.h"
#include "test_case.h"

static struct {
	pid_t pid;
	int commands;
	FILE *answers;
} hub;

void uhid_hub_says(const char *line)
{
	char found[128] = "";

	assert_non_null(fgets(found, sizeof(found), hub.answers));
	found[strcspn(found, "\n")] = '\0';
	assert_string_equal(found, line);
}

void uhid_hub_command(const char *command, const char *answer)
{
	char line[64];

	snprintf(line, sizeof(line), "%s\n", command);
	assert_int_equal(nnutil_write_all(hub.commands, line, strlen(line)), 0);
	uhid_hub_says(answer);
}

void uhid_hub_start(void)
{
	int to[2], from[2];

	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	hub.pid = fork();
	if (!hub.pid) {
		dup2(to[0], STDIN_FILENO);
		dup2(from[1], STDOUT_FILENO);
		execl(UHID_SENSORS, UHID_SENSORS, (char *)NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	hub.commands = to[1];
	hub.answers = fdopen(from[0], "re");
	assert_non_null(hub.answers);
	uhid_hub_says("plugged");
}

void uhid_hub_stop(void)
{
	/* the end of its input is its end */
	close(hub.commands);
	fclose(hub.answers);
	assert_int_equal(child_wait(hub.pid), 0);
}
