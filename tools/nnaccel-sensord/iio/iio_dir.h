/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device's folder in sysfs, by descriptor: its files stay those of this device, whatever gets its
 * name after it. libiio finds devices and channels; it joins files that a channel has alone with
 * those that it shares, while here the most special one counts, and it knows no scan_elements.
 */
#ifndef SENSORD_IIO_DIR_H
#define SENSORD_IIO_DIR_H

#include <stdbool.h>
#include <stddef.h>

struct iio_available;

/** A file's name, and the longest text of a file that is read. */
#define IIO_FILE_MAX 128u
#define IIO_FILE_TEXT 4096u

/** A descriptor of the folder, or -errno. */
int iio_dir_open(const char *path);
bool iio_dir_has(int dir, const char *file);
/** The file's text, without the newline at its end. -EFBIG: longer than @size. */
int iio_dir_read(int dir, const char *file, char *text, size_t size);
/** 0, or what the driver answered. */
int iio_dir_write(int dir, const char *file, const char *text);
int iio_dir_read_number(int dir, const char *file, double *value);
int iio_dir_write_number(int dir, const char *file, double value);
/** What an attribute can be set to. */
int iio_dir_read_available(int dir, const char *file, struct iio_available *available);

/**
 * iio_dir_find() - the file of an attribute of a channel: the most special one
 * @dir: the device's folder
 * @channel: "accel_x"
 * @attribute: "scale"
 * @file: set to "in_accel_x_scale", else in_accel_scale, else in_scale, else scale
 *
 * Return: 0; -ENOENT: the channel has none.
 */
int iio_dir_find(int dir, const char *channel, const char *attribute, char file[IIO_FILE_MAX]);
/** Of such a file the number; @otherwise without a file. -errno: it cannot be read, or is none. */
int iio_dir_find_number(int dir, const char *channel, const char *attribute, double otherwise,
			double *value);

#endif
