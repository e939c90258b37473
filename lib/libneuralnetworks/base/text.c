// SPDX-License-Identifier: Apache-2.0
/* Text of configuration files: whole files, lines, lists. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_file.h"

#include "base/nnr_base.h"

int nnr_read_text(const char *path, size_t max, char **text, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret;

	if (fd < 0)
		return -errno;
	ret = nnutil_read_to_end(fd, max, text, size);
	close(fd);
	return ret;
}

char *nnr_next_line(char **position, const char *end, bool *zero)
{
	char *line = *position, *stop;

	if (line >= end)
		return NULL;
	stop = memchr(line, '\n', (size_t)(end - line));
	if (stop)
		*stop = '\0';
	else
		stop = line + (end - line);
	*zero = strlen(line) != (size_t)(stop - line);
	*position = stop + 1;
	return line;
}

size_t nnr_list_next(const char **item, size_t previous, const char *separators)
{
	*item += previous;
	*item += strspn(*item, separators);
	return strcspn(*item, separators);
}
