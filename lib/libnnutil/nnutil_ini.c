// SPDX-License-Identifier: Apache-2.0
#include "nnutil_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_file.h"
#include "nnutil_log.h"

#define SPACES " \t\r\v\f"

/* Without the spaces at both ends. */
static char *ini_trim(char *text)
{
	char *end;

	text += strspn(text, SPACES);
	end = text + strlen(text);
	while (end > text && strchr(SPACES, end[-1]))
		end--;
	*end = '\0';
	return text;
}

/* "[section argument]" */
static int begin_section(char *text, struct nnutil_ini_line *line, char *why, size_t size)
{
	char *end = text + strlen(text) - 1;
	char *section, *argument;

	if (*end != ']')
		return nnutil_refuse(why, size, -EINVAL, "the section's ] is missing");
	*end = '\0';
	section = ini_trim(text + 1);
	argument = section + strcspn(section, SPACES);
	if (*argument)
		*argument++ = '\0';
	if (!*section)
		return nnutil_refuse(why, size, -EINVAL, "the section has no name");
	line->section = section;
	line->argument = ini_trim(argument);
	line->key = line->value = NULL;
	return 0;
}

static int split_key(char *text, struct nnutil_ini_line *line, char *why, size_t size)
{
	char *value = strchr(text, '=');

	if (!value)
		return nnutil_refuse(why, size, -EINVAL,
				     "expected [section] or key = value, got \"%.64s\"", text);
	*value++ = '\0';
	line->key = ini_trim(text);
	line->value = ini_trim(value);
	if (!*line->key)
		return nnutil_refuse(why, size, -EINVAL, "there is no key before =");
	return 0;
}

/* Pass the parts of a line to @take. */
static int take_line(char *text, struct nnutil_ini_line *line, nnutil_ini_take take, void *cookie,
		     char *why, size_t size)
{
	int ret;

	text = ini_trim(text);
	if (!*text || *text == '#' || *text == ';')
		return 0;
	ret = *text == '[' ? begin_section(text, line, why, size)
			   : split_key(text, line, why, size);
	return ret ? ret : take(cookie, line, why, size);
}

int nnutil_ini_parse(const char *name, char *text, size_t size, nnutil_ini_take take, void *cookie,
		     char *message, size_t message_size)
{
	struct nnutil_ini_line line = { .section = "", .argument = "" };
	const char *end = text + size;
	char why[256] = "";
	int ret = 0;

	while (text < end && !ret) {
		char *stop = memchr(text, '\n', (size_t)(end - text));

		line.number++;
		if (!stop)
			stop = text + (end - text);
		*stop = '\0';
		if (strlen(text) != (size_t)(stop - text))
			ret = nnutil_refuse(why, sizeof(why), -EINVAL, "a zero byte");
		else
			ret = take_line(text, &line, take, cookie, why, sizeof(why));
		text = stop + 1;
	}
	if (ret)
		nnutil_refuse(message, message_size, ret, "%s:%u: %s", name, line.number,
			      why[0] ? why : strerror(-ret));
	return ret;
}

int nnutil_ini_read(const char *path, nnutil_ini_take take, void *cookie, char *message,
		    size_t message_size)
{
	/* a FIFO in its place must not hold us up */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = NULL;
	size_t size = 0;
	int ret = fd < 0 ? -errno : nnutil_read_to_end(fd, NNUTIL_INI_MAX, &text, &size);

	if (fd >= 0)
		close(fd);
	if (ret)
		return nnutil_refuse(message, message_size, ret, "%s: %s", path, strerror(-ret));
	ret = nnutil_ini_parse(path, text, size, take, cookie, message, message_size);
	free(text);
	return ret;
}

bool nnutil_ini_word(const char **at, char *word, size_t size)
{
	size_t length;

	*at += strspn(*at, SPACES ",");
	length = strcspn(*at, SPACES ",");
	if (!length || length >= size)
		return false;
	memcpy(word, *at, length);
	word[length] = '\0';
	*at += length;
	return true;
}

int nnutil_ini_bool(const char *value, bool *result)
{
	if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		return -EINVAL;
	*result = !strcmp(value, "yes");
	return 0;
}
