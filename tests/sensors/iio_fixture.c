// SPDX-License-Identifier: Apache-2.0
/* IIO devices that are files. */
#include "iio_fixture.h"

#include <fcntl.h>
#include <iio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nnutil_file.h"
#include "temp.h"
#include "test_case.h"

const char iio_xml_begin[] =
	"<?xml version=\"1.0\" encoding=\"utf-8\"?><!DOCTYPE context [<!ELEMENT context (device)*>"
	"<!ELEMENT device (channel)*><!ELEMENT channel (scan-element?)><!ELEMENT scan-element EMPTY>"
	"<!ATTLIST context name CDATA #REQUIRED><!ATTLIST device id CDATA #REQUIRED name CDATA #IMPLIED "
	"label CDATA #IMPLIED><!ATTLIST channel id CDATA #REQUIRED type (input|output) #REQUIRED>"
	"<!ATTLIST scan-element index CDATA #REQUIRED format CDATA #REQUIRED>]>"
	"<context name=\"xml\">";

static void make_folder(const char *path)
{
	assert_int_equal(mkdir(path, 0755), 0);
}

static void add_xml(struct iio_tree *tree, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add_xml(struct iio_tree *tree, const char *format, ...)
{
	size_t used = strlen(tree->xml);
	va_list arguments;
	int size;

	va_start(arguments, format);
	size = vsnprintf(tree->xml + used, sizeof(tree->xml) - used, format, arguments);
	va_end(arguments);
	assert_true(size >= 0 && (size_t)size < sizeof(tree->xml) - used);
}

static void path_of(const struct iio_tree *tree, const char *file, char path[256])
{
	snprintf(path, 256, "%s/%s/%s", tree->sysfs, tree->id, file);
}

void iio_tree_create(struct iio_tree *tree, unsigned int number, const char *name,
		     const char *label)
{
	char path[256], target[256];

	*tree = (struct iio_tree){ .node = -1 };
	strcpy(tree->root, temp_folder_new());
	snprintf(tree->sysfs, sizeof(tree->sysfs), "%s/sysfs", tree->root);
	snprintf(tree->dev, sizeof(tree->dev), "%s/dev", tree->root);
	snprintf(tree->configfs, sizeof(tree->configfs), "%s/configfs", tree->root);
	tree->places = (struct iio_places){ tree->sysfs, tree->dev, tree->configfs };
	snprintf(tree->id, sizeof(tree->id), "iio:device%u", number);
	make_folder(tree->sysfs);
	make_folder(tree->dev);
	make_folder(tree->configfs);
	/* as in sysfs: a link to the device's folder in that of its hardware */
	snprintf(target, sizeof(target), "%s/chip", tree->root);
	make_folder(target);
	snprintf(target, sizeof(target), "%s/chip/%s", tree->root, tree->id);
	make_folder(target);
	snprintf(path, sizeof(path), "%s/%s", tree->sysfs, tree->id);
	assert_int_equal(symlink(target, path), 0);
	add_xml(tree, "%s<device id=\"%s\" name=\"%s\"", iio_xml_begin, tree->id, name);
	add_xml(tree, label[0] ? " label=\"%s\">" : "%s>", label);
}

void iio_tree_destroy(struct iio_tree *tree)
{
	if (tree->node >= 0)
		close(tree->node);
	temp_remove_path(tree->root);
}

void iio_tree_channel(struct iio_tree *tree, const char *id, int index, const char *format)
{
	char file[128];

	add_xml(tree, "<channel id=\"%s\" type=\"input\">", id);
	if (format) {
		add_xml(tree, "<scan-element index=\"%d\" format=\"%s\" />", index, format);
		snprintf(file, sizeof(file), "scan_elements/in_%s_en", id);
		iio_tree_file(tree, file, "0\n");
	}
	add_xml(tree, "</channel>");
}

void iio_tree_file(const struct iio_tree *tree, const char *file, const char *format, ...)
{
	char path[256], text[8192];
	va_list arguments;
	int size;

	path_of(tree, file, path);
	temp_make_folders(path);
	va_start(arguments, format);
	size = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	assert_true(size >= 0 && (size_t)size < sizeof(text));
	temp_write(path, text, (size_t)size);
}

void iio_tree_stubborn(const struct iio_tree *tree, const char *file)
{
	char path[256];

	path_of(tree, file, path);
	unlink(path);
	assert_int_equal(symlink("/dev/full", path), 0);
}

void iio_tree_remove(const struct iio_tree *tree, const char *file)
{
	char path[256];

	path_of(tree, file, path);
	assert_int_equal(unlink(path), 0);
}

void iio_tree_buffer(struct iio_tree *tree)
{
	char path[256];

	iio_tree_file(tree, "buffer/enable", "0\n");
	iio_tree_file(tree, "buffer/length", "2\n");
	iio_tree_file(tree, "buffer/watermark", "1\n");
	iio_tree_file(tree, "current_timestamp_clock", "realtime\n");
	snprintf(path, sizeof(path), "%s/%s", tree->dev, tree->id);
	assert_int_equal(mkfifo(path, 0600), 0);
	tree->node = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	assert_true(tree->node >= 0);
}

void iio_tree_trigger(const struct iio_tree *tree, unsigned int number, const char *name,
		      const char *parent)
{
	char path[300], target[256];

	snprintf(target, sizeof(target), "%s/%s", tree->root, parent[0] ? parent : "chip");
	mkdir(target, 0755);
	snprintf(target, sizeof(target), "%s/%s/trigger%u", tree->root, parent[0] ? parent : "chip",
		 number);
	make_folder(target);
	snprintf(path, sizeof(path), "%s/trigger%u", tree->sysfs, number);
	assert_int_equal(symlink(target, path), 0);
	snprintf(path, sizeof(path), "%s/name", target);
	temp_write_text(path, name);
	snprintf(path, sizeof(path), "%s/sampling_frequency", target);
	temp_write_text(path, "100.000\n");
}

bool iio_tree_has(const struct iio_tree *tree, const char *file, const char *text)
{
	char path[256], *found;
	bool same;

	path_of(tree, file, path);
	if (nnutil_read_file(path, 65536, &found, NULL))
		return false;
	found[strcspn(found, "\n")] = '\0';
	same = !strcmp(found, text);
	free(found);
	return same;
}

struct iio_context *iio_tree_context(const struct iio_tree *tree)
{
	char xml[sizeof(tree->xml) + 32];
	struct iio_context *context;

	snprintf(xml, sizeof(xml), "%s</device></context>", tree->xml);
	context = iio_create_xml_context_mem(xml, strlen(xml));
	assert_non_null(context);
	return context;
}

struct sensor_device *iio_tree_add(const struct iio_tree *tree)
{
	struct iio_context *context = iio_tree_context(tree);
	struct sensor_device *added;

	assert_int_equal(iio_backend_add(iio_context_get_device(context, 0), &tree->places, &added),
			 0);
	iio_context_destroy(context);
	return added;
}

struct sensor *iio_tree_sensor(struct sensor_device *device, int32_t type)
{
	for (unsigned int i = 0; i < device_num_sensors(device); i++)
		if (device_sensor(device, i)->info.type == type)
			return device_sensor(device, i);
	return NULL;
}
