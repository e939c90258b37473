/* SPDX-License-Identifier: Apache-2.0 */
/*
 * IIO devices that are files: folders that look like sysfs, with a named pipe for the device's
 * node, and the context of libiio that describes them.
 */
#ifndef TESTS_SENSORS_IIO_FIXTURE_H
#define TESTS_SENSORS_IIO_FIXTURE_H

#include <stddef.h>

#include "iio/sensord_iio.h"

struct iio_context;

/** What begins each XML text of libiio. */
extern const char iio_xml_begin[];

/** struct iio_tree - the folders, and one device */
struct iio_tree {
	char root[64], sysfs[96], dev[96], configfs[96];
	struct iio_places places;
	char id[32];
	char xml[16384];
	int node; /* of the test: it writes scans here */
};

/** A device called @name with @label ("": none), without channels; "iio:device@number". */
void iio_tree_create(struct iio_tree *tree, unsigned int number, const char *name,
		     const char *label);
void iio_tree_destroy(struct iio_tree *tree);
/** A channel; @format NULL: it is not in a scan. */
void iio_tree_channel(struct iio_tree *tree, const char *id, int index, const char *format);
/** A file of the device's folder, or of a folder in it; printf's arguments. */
void iio_tree_file(const struct iio_tree *tree, const char *file, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/** A file that cannot be written, and has no text. */
void iio_tree_stubborn(const struct iio_tree *tree, const char *file);
void iio_tree_remove(const struct iio_tree *tree, const char *file);
/** The folders and files of a buffer, all off, with a node. */
void iio_tree_buffer(struct iio_tree *tree);
/** A trigger whose hardware is @parent: "" is the device's. */
void iio_tree_trigger(const struct iio_tree *tree, unsigned int number, const char *name,
		      const char *parent);
/** Whether the file has this text. */
bool iio_tree_has(const struct iio_tree *tree, const char *file, const char *text);
/** The context; the caller destroys it. */
struct iio_context *iio_tree_context(const struct iio_tree *tree);
/** The device of the service; a reference of the caller's. NULL: it has no sensors. */
struct sensor_device *iio_tree_add(const struct iio_tree *tree);
/** The sensor of @type. NULL: there is none. */
struct sensor *iio_tree_sensor(struct sensor_device *device, int32_t type);

#endif
