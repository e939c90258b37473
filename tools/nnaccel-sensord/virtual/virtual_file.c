// SPDX-License-Identifier: Apache-2.0
/* Files of virtual sensors: lines and sections. */
#include "virtual/sensord_virtual.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_log.h"

struct parser {
	struct virtual_config *config;
	struct virtual_section section; /* neither sensor nor recording: before the first one */
	unsigned int line, section_line;
	char why[160];
};

static char *virtual_file_trim(char *text)
{
	char *end;

	while (*text == ' ' || *text == '\t')
		text++;
	for (end = text + strlen(text); end > text && strchr(" \t\r", end[-1]); end--)
		end[-1] = '\0';
	return text;
}

static int virtual_file_refuse(struct parser *p, const char *why)
{
	return nnutil_refuse(p->why, sizeof(p->why), -EINVAL, "%s", why);
}

/* Complaints about a section as a whole are about its first line. */
static int end_section(struct parser *p)
{
	const unsigned int line = p->line;
	int ret;

	if (!p->section.sensor && !p->section.recording)
		return 0;
	p->line = p->section_line;
	ret = virtual_section_end(&p->section);
	if (!ret)
		p->line = line;
	return ret;
}

static int begin_sensor(struct parser *p)
{
	struct virtual_config *config = p->config;

	if (config->num_sensors == VIRTUAL_SENSORS_MAX)
		return virtual_file_refuse(p, "too many sensors");
	p->section.sensor = &config->sensors[config->num_sensors++];
	p->section.sensor->line = p->line;
	return 0;
}

static int begin_recording(struct parser *p)
{
	struct virtual_config *config = p->config;

	if (config->num_recordings == VIRTUAL_RECORDINGS_MAX)
		return virtual_file_refuse(p, "too many recordings");
	p->section.recording = &config->recordings[config->num_recordings++];
	p->section.recording->line = p->line;
	return 0;
}

static int begin_section(struct parser *p, const char *line)
{
	int ret = end_section(p);

	if (ret)
		return ret;
	p->section = (struct virtual_section){ .message = p->why, .message_size = sizeof(p->why) };
	p->section_line = p->line;
	if (!strcmp(line, "[sensor]"))
		return begin_sensor(p);
	if (!strcmp(line, "[recording]"))
		return begin_recording(p);
	return virtual_file_refuse(p, "a section is [sensor] or [recording]");
}

static int parse_line(struct parser *p, char *text)
{
	char *line = virtual_file_trim(text), *value;

	if (!line[0] || line[0] == '#' || line[0] == ';')
		return 0;
	for (const char *c = line; *c; c++)
		if (((unsigned char)*c < ' ' && *c != '\t') || *c == 0x7f)
			return virtual_file_refuse(p, "a control character");
	if (line[0] == '[')
		return begin_section(p, line);
	value = strchr(line, '=');
	if (!value)
		return virtual_file_refuse(p, "neither \"key = value\" nor a section");
	if (!p->section.sensor && !p->section.recording)
		return virtual_file_refuse(p, "before the first section");
	*value++ = '\0';
	return virtual_key_take(&p->section, virtual_file_trim(line), virtual_file_trim(value));
}

static int virtual_file_parse(struct parser *p, char *text, size_t size)
{
	char *line, *end;
	size_t length;
	int ret = 0;

	while (!ret && size) {
		p->line++;
		line = text;
		end = memchr(line, '\n', size);
		length = end ? (size_t)(end - line) : size;
		text += length + !!end;
		size -= length + !!end;
		line[length] = '\0';
		ret = strlen(line) == length ? parse_line(p, line)
					     : virtual_file_refuse(p, "a byte is 0");
	}
	return ret ? ret : end_section(p);
}

int virtual_config_parse(char *text, size_t size, struct virtual_config *config, char *message,
			 size_t message_size)
{
	struct parser p = { .config = config };
	int ret = -ENOMEM;

	*config = (struct virtual_config){
		.sensors = calloc(VIRTUAL_SENSORS_MAX, sizeof(*config->sensors)),
		.recordings = calloc(VIRTUAL_RECORDINGS_MAX, sizeof(*config->recordings)),
	};
	if (config->sensors && config->recordings)
		ret = virtual_file_parse(&p, text, size);
	if (!ret)
		return 0;
	virtual_config_fini(config);
	return nnutil_refuse(message, message_size, ret, "line %u: %s", p.line,
			     ret == -ENOMEM ? strerror(ENOMEM) : p.why);
}

void virtual_config_fini(struct virtual_config *config)
{
	free(config->sensors);
	free(config->recordings);
	*config = (struct virtual_config){ 0 };
}
