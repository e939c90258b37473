// SPDX-License-Identifier: Apache-2.0
/* Files of a device's folder. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "iio/sensord_iio.h"

int iio_dir_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

bool iio_dir_has(int dir, const char *file)
{
	return !faccessat(dir, file, F_OK, 0);
}

int iio_dir_read(int dir, const char *file, char *text, size_t size)
{
	int fd = openat(dir, file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t used = 0;
	ssize_t got;
	int ret = 0;

	if (fd < 0)
		return -errno;
	do {
		got = read(fd, text + used, size - used);
		if (got > 0)
			used += (size_t)got;
		else if (got < 0 && errno != EINTR)
			ret = -errno;
	} while (!ret && got && used < size);
	close(fd);
	if (ret)
		return ret;
	if (used >= size)
		return -EFBIG;
	if (used && text[used - 1] == '\n')
		used--;
	text[used] = '\0';
	/* a NUL inside ends no attribute */
	return strlen(text) == used ? 0 : -EINVAL;
}

int iio_dir_write(int dir, const char *file, const char *text)
{
	int fd = openat(dir, file, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_TRUNC);
	size_t size = strlen(text);
	ssize_t put;
	int ret = 0;

	if (fd < 0)
		return -errno;
	/* one write is one setting: never continue a short one */
	do {
		put = write(fd, text, size);
	} while (put < 0 && errno == EINTR);
	if (put < 0)
		ret = -errno;
	else if ((size_t)put != size)
		ret = -EIO;
	close(fd);
	return ret;
}

int iio_dir_read_number(int dir, const char *file, double *value)
{
	char text[IIO_FILE_TEXT];
	int ret = iio_dir_read(dir, file, text, sizeof(text));

	return ret ? ret : iio_text_number(text, value);
}

int iio_dir_read_available(int dir, const char *file, struct iio_available *available)
{
	char text[IIO_FILE_TEXT];
	int ret = iio_dir_read(dir, file, text, sizeof(text));

	return ret ? ret : iio_text_available(text, available);
}

int iio_dir_write_number(int dir, const char *file, double value)
{
	char text[48];

	iio_text_of_number(value, text, sizeof(text));
	return iio_dir_write(dir, file, text);
}

int iio_dir_find(int dir, const char *channel, const char *attribute, char file[IIO_FILE_MAX])
{
	char base[IIO_FILE_MAX / 2], *cut;

	if (strlen(channel) >= sizeof(base) || strlen(attribute) >= sizeof(base) - 4)
		return -ENOENT;
	strcpy(base, channel);
	for (;;) {
		snprintf(file, IIO_FILE_MAX, "in_%s_%s", base, attribute);
		if (iio_dir_has(dir, file))
			return 0;
		/* accel_linear_x, accel_linear, accel; proximity0, proximity */
		cut = strrchr(base, '_');
		if (!cut) {
			cut = base + strcspn(base, "0123456789");
			if (!*cut)
				break;
		}
		*cut = '\0';
	}
	snprintf(file, IIO_FILE_MAX, "in_%s", attribute);
	if (iio_dir_has(dir, file))
		return 0;
	snprintf(file, IIO_FILE_MAX, "%s", attribute);
	return iio_dir_has(dir, file) ? 0 : -ENOENT;
}

int iio_dir_find_number(int dir, const char *channel, const char *attribute, double otherwise,
			double *value)
{
	char file[IIO_FILE_MAX];

	if (iio_dir_find(dir, channel, attribute, file)) {
		*value = otherwise;
		return 0;
	}
	return iio_dir_read_number(dir, file, value);
}
