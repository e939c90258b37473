/* SPDX-License-Identifier: Apache-2.0 */
/* Sensors of the kernel's Industrial I/O. */
#ifndef NNACCEL_SENSORD_IIO_H
#define NNACCEL_SENSORD_IIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "core/sensord_core.h"
#include "nnsensors.h"

/*
 * iio_text.c: what drivers write into attribute files, parsed strictly. A driver is not hostile,
 * but its numbers may come from a device that was plugged in a moment ago: nothing here is believed
 * before it is checked. White space around a text is no part of it; everything else must be as
 * documented.
 */

/** Numbers in a list that are taken; those behind are left out. */
#define IIO_TEXT_NUMBERS 64u
/** No attribute of a sensor is larger. */
#define IIO_TEXT_LIMIT 1e15

/** A number. 0; -EINVAL: it is none; -ERANGE: larger than IIO_TEXT_LIMIT. */
int iio_text_number(const char *text, double *value);
/** Numbers with white space between them, 1 to @max, all that are there: as many as *@count. */
int iio_text_numbers(const char *text, double *values, unsigned int max, unsigned int *count);

/**
 * struct iio_available - what an attribute can be set to
 * @range: any from @min to @max, in steps of @step; else the list
 */
struct iio_available {
	bool range;
	double min, step, max;
	unsigned int count;
	double values[IIO_TEXT_NUMBERS];
};

/** "[min step max]", or a list. */
int iio_text_available(const char *text, struct iio_available *available);

/**
 * A mount matrix: "a, b, c; d, e, f; g, h, i", row by row. Its rows are lengthened or shortened to
 * 1 if they are within 10 % of it. -EINVAL: no such text, or no rotation or reflection.
 */
int iio_text_matrix(const char *text, double matrix[9]);

/** Printable ASCII of @text, without leading and trailing space; anything else becomes '_'. */
void iio_text_name(const char *text, char *name, size_t size);

/** ns between samples at @hz, rounded to the nearest; 0: not between 1 ns and a day. */
int64_t iio_text_period(double hz);
/** A number as drivers take it: without a fraction if it has none, with 6 digits otherwise. */
void iio_text_of_number(double value, char *text, size_t size);

/*
 * iio_dir.c: a device's folder in sysfs, by descriptor: its files stay those of this device,
 * whatever gets its name after it. libiio finds devices and channels; it joins files that a channel
 * has alone with those that it shares, while here the most special one counts, and it knows no
 * scan_elements.
 */

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

/*
 * iio_scan.c: a scan: what a buffer gives at once, the enabled elements in the order of their
 * indices. Each is aligned to its own size (storage bits times repeats), and the scan is padded to
 * the largest of these. An element is loaded, byte-swapped, shifted right, cut to its bits and
 * sign-extended.
 */

/** Repeats of an element: a quaternion has 4. */
#define IIO_REPEAT_MAX 16u

/**
 * struct iio_element - how an element is encoded, and where it is in the scan
 * @bytes: of one value in storage: 1, 2, 4 or 8
 * @bits: of it that mean something, above @shift others
 * @repeat: values one after the other
 * @offset: in the scan; set by iio_scan_place()
 */
struct iio_element {
	unsigned int bytes, bits, shift, repeat;
	bool is_signed, big_endian;
	size_t offset;
};

struct iio_data_format;

/** From what libiio read. -EINVAL: no encoding that the ABI knows. */
int iio_element_from_format(struct iio_element *element, const struct iio_data_format *format);

/**
 * Where an element that follows begins: @end is the end of the one before, 0 for the first.
 * @largest, first 0, becomes the largest alignment. Return: the end of this element.
 */
size_t iio_scan_place(struct iio_element *element, size_t end, size_t *largest);
/** Bytes of a scan whose last element ends at @end. */
size_t iio_scan_size(size_t end, size_t largest);

/** Value number @repeat of an element in the scan. Unsigned values of 64 bits wrap around. */
int64_t iio_element_integer(const struct iio_element *element, const uint8_t *scan,
			    unsigned int repeat);
/** The same as a number. */
double iio_element_value(const struct iio_element *element, const uint8_t *scan,
			 unsigned int repeat);

/*
 * iio_table.c: which sensors IIO's channels make, and how their values become those of the sensor
 * types: a row is all that a kind is. An IIO value is (raw + offset) * scale, in the unit of the
 * kernel's ABI.
 */

#define IIO_KIND_CHANNELS 3u

/** enum iio_value - how the channels' values become an event */
enum iio_value {
	IIO_VALUE_SCALAR,
	IIO_VALUE_VEC3, /* three channels, turned by the mount matrix */
	IIO_VALUE_UNCAL, /* as VEC3, without the calibration's bias, and the bias */
	IIO_VALUE_QUATERNION, /* one channel that repeats four times: x y z w */
	IIO_VALUE_COUNT, /* a u64 */
	IIO_VALUE_PULSE, /* an event for each time that the count went up */
	IIO_VALUE_NEAR, /* without a unit, larger is nearer: 0 from the threshold on, else the range
			 */
};

/**
 * struct iio_kind - a kind of sensor
 * @type: enum nnsensors_type
 * @driver: name of the only device that the row is for; NULL: any that has no row of its own
 * @channels: their names, NULL behind the last one
 * @value: what becomes of them
 * @factor: from the ABI's unit to the sensor type's
 * @max_range: in the sensor type's unit, if the device does not tell
 * @resolution: likewise
 * @event: of the channel, in events/, that comes when the value changed; NULL: there is none
 * @partly: it does not come for each change: the value is read by a timer as well
 * @unless: not if the device has a channel of this name as well; NULL: whatever it has
 * @still: not if the device measures motion: then it is the chip's own
 */
struct iio_kind {
	int32_t type;
	const char *driver;
	const char *channels[IIO_KIND_CHANNELS];
	enum iio_value value;
	double factor, max_range, resolution;
	const char *event, *unless;
	bool partly, still;
};

/** The i-th row; NULL: there are no more. */
const struct iio_kind *iio_kind_at(size_t i);
/** Whether the row is for a device called @name: not another one's, nor is another one its own. */
bool iio_kind_applies(const struct iio_kind *kind, const char *name);
unsigned int iio_kind_channels(const struct iio_kind *kind);

/**
 * A channel's number: "proximity1" is number 1 of "proximity". -1: it has none. -2: no such one.
 */
int iio_channel_number(const char *channel, const char *of);

/**
 * The payload of a kind.
 * @matrix: mount matrix
 * @values: of the channels, in the sensor type's unit; 4 of a quaternion; of NEAR the raw value
 * @biases: of the channels; UNCAL alone
 * @limit: NEAR: the threshold
 * @max_range: NEAR: the sensor's
 */
void iio_kind_payload(const struct iio_kind *kind, const double matrix[9], const double *values,
		      const double *biases, double limit, float max_range,
		      union nnsensors_payload *payload);

/*
 * iio_unit.c: an IIO device as this backend sees it: what of it are sensors, from which channels,
 * with which numbers. Read once, when the device comes; libiio is not needed afterwards.
 */

/** More channels of a device are not looked at. */
#define IIO_CHANNELS_MAX 64u
/** Files that set a frequency: of the device, and of its kinds of channels. */
#define IIO_RATE_FILES_MAX 8u
/** Periods of sensors without files for rates, polled by a timer of ours. */
#define IIO_POLL_MIN_NS 10000000ll
#define IIO_POLL_MAX_NS 10000000000ll
/** Likewise, by a timer of the kernel (hrtimer trigger). */
#define IIO_TIMER_MIN_NS 5000000ll
#define IIO_TIMER_MAX_NS 1000000000ll

/** struct iio_places - where the kernel's folders are; tests have others */
struct iio_places {
	const char *sysfs; /* /sys/bus/iio/devices */
	const char *dev; /* /dev */
	const char *configfs; /* /sys/kernel/config/iio */
};

/** What a service has. */
extern const struct iio_places iio_system_places;

/**
 * struct iio_source - a channel that a sensor uses, or that takes place in a scan
 * @name: "accel_x", of files "in_accel_x_raw"
 * @index: in a scan; negative: it is in none
 * @element: likewise
 * @scale, @offset: value = (raw + offset) * scale
 * @bias: the driver's calibration, in raw units
 * @input: its file has a value that is processed already
 */
struct iio_source {
	char name[IIO_FILE_MAX / 2];
	long index;
	struct iio_element element;
	double scale, offset, bias;
	bool input;
};

/** struct iio_rate_file - a file that sets a frequency, and what it can be set to */
struct iio_rate_file {
	char name[IIO_FILE_MAX];
	unsigned int num_periods; /* 0: any from min to max */
	int64_t periods_ns[SENSOR_RATES_MAX]; /* ascending */
	double hz[SENSOR_RATES_MAX]; /* what to write for it */
	int64_t min_ns, max_ns;
};

/**
 * struct iio_bound - a sensor of the device
 * @kind: row of the table
 * @sources: of its channels, as the row has them
 * @value: as the row's, or IIO_VALUE_NEAR where the channel has no unit
 * @limit: of NEAR
 * @matrix: mount matrix
 * @buffered: all of its channels are in the scan
 * @readable: all of its channels have a file with the value
 * @rate_file: sets its frequency; negative: none does
 * @event_file: "events/in_steps_change_en"; empty: there is none
 */
struct iio_bound {
	struct iio_kind kind;
	struct iio_source *sources[IIO_KIND_CHANNELS];
	unsigned int num_sources;
	double limit, matrix[9];
	bool buffered, readable;
	int rate_file;
	char event_file[IIO_FILE_MAX];
};

/** struct iio_unit - a device */
struct iio_unit {
	const struct iio_places *places;
	char id[32]; /* iio:device0 */
	char name[NNSENSORS_NAME_MAX];
	char label[NNSENSORS_NAME_MAX];
	int dir; /* its folder in sysfs */
	char scan_dir[32], buffer_dir[32];
	bool has_buffer;
	unsigned int num_sources;
	struct iio_source sources[IIO_CHANNELS_MAX]; /* those in the scan by index first */
	long timestamp; /* place in @sources; negative: there is none */
	unsigned int num_rate_files;
	struct iio_rate_file rate_files[IIO_RATE_FILES_MAX];
	uint32_t fifo; /* scans of the hardware's FIFO */
	unsigned int num_sensors;
	struct iio_bound bound[SENSORS_PER_DEVICE];
	struct sensor sensors[SENSORS_PER_DEVICE];
};

struct iio_device;

/**
 * iio_unit_create() - read what a device has
 * @device: of a context of libiio; not needed afterwards
 * @places: where its files are; stays the caller's
 * @unit: set to the unit. NULL with 0: it has no sensor
 *
 * Return: 0; -ENOMEM; -ENOENT, -ENODEV: it is gone.
 */
int iio_unit_create(const struct iio_device *device, const struct iio_places *places,
		    struct iio_unit **unit);
void iio_unit_destroy(struct iio_unit *unit);

/** A channel's value of the file for it, in IIO's unit; @count of them: 4 of a quaternion. */
int iio_unit_read(const struct iio_unit *unit, const struct iio_source *source, double *values,
		  unsigned int count);

/* ---- iio_rates.c ---- */

/**
 * The place in unit->rate_files of the file that sets @channel's frequency; negative: none does.
 */
int iio_rates_of(struct iio_unit *unit, const char *channel);
/** Set periods and limits of a sensor. */
void iio_rates_fill(const struct iio_unit *unit, const struct iio_bound *bound,
		    struct sensor *sensor);
/** Set the frequency of @file to the slowest that is not slower than @period_ns: *@actual_ns. */
int iio_rates_set(const struct iio_unit *unit, const struct iio_rate_file *file, int64_t period_ns,
		  int64_t *actual_ns);

/*
 * iio_trigger.c: what makes a device fill its buffer: a trigger of its own, or a timer of the
 * kernel.
 */

/**
 * iio_trigger_set() - give the device a trigger
 * @unit: the device; its buffer is not enabled
 * @period_ns: between samples, if it is a timer that makes them
 * @actual_ns: set to the timer's period; as it is, if it is no timer
 *
 * The device's own data-ready trigger; else the one that it has; else an hrtimer trigger made
 * through configfs. A device without triggers fills its buffer by itself.
 *
 * Return: 0; -ENXIO: there is none that it takes.
 */
int iio_trigger_set(const struct iio_unit *unit, int64_t period_ns, int64_t *actual_ns);
/** Remove what iio_trigger_set() has made for the device. */
void iio_trigger_drop(const struct iio_unit *unit);

/* iio_backend.c: IIO devices as devices of the service. */

/**
 * iio_backend_add() - make a device of the service of one of libiio
 * @device: of a context; not needed afterwards
 * @places: stays the caller's, as long as the device lives
 * @added: set to the device, a reference of the caller's; NULL with 0: it has no sensors
 */
int iio_backend_add(const struct iio_device *device, const struct iio_places *places,
		    struct sensor_device **added);

/*
 * iio_clock.c: the clock of a device's timestamps. IIO's default is the time of day; the service's
 * is CLOCK_BOOTTIME. Where a device does not take that, its clock is compared with it now and then.
 */

/** struct iio_clock - one thread at a time */
struct iio_clock {
	clockid_t id; /* of the timestamps */
	bool none; /* a clock that cannot be read */
	int64_t offset_ns; /* boottime - clock */
	int64_t measured_ns; /* when, boottime */
};

/** Set the device's clock, before its buffer is enabled. */
void iio_clock_set(struct iio_clock *clock, int dir);
/** A timestamp as CLOCK_BOOTTIME; @now_ns: the time now, in case that it means nothing. */
int64_t iio_clock_boottime(struct iio_clock *clock, int64_t timestamp, int64_t now_ns);

/* iio_sensors.c: sensors of the kernel's Industrial I/O subsystem, as they come and go. */

/** Add the devices that are there and watch for others (uevents by libudev, in a thread). 0 or
 * -errno. */
int iio_sensors_start(void);
/** End the watch. Devices stay until sensor_list_clear(). */
void iio_sensors_stop(void);

/* iio_stream.c: scans from a device's buffer. All on the device's thread. */

#define IIO_STREAM_BYTES 16384u

/** struct iio_plan - what a buffer shall give: @sensors by bit; 0: it is off */
struct iio_plan {
	uint32_t sensors;
	int64_t period_ns;
	uint32_t watermark; /* scans that may wait in it */
};

struct iio_stream {
	struct iio_unit *unit;
	int node; /* of the device; stays the owner's */
	struct iio_plan plan;
	int64_t period_ns; /* that it runs at */
	size_t scan_size, held; /* bytes of a scan; bytes in @buffer of one that is not whole */
	bool stamped;
	struct iio_element stamps[2]; /* where a scan has its time: the first that is not 0 */
	int64_t started_ns, last_stamp; /* the device's, of the scan before */
	struct iio_clock clock;
	_Alignas(8) uint8_t buffer[IIO_STREAM_BYTES];
};

/**
 * Set the device up and enable its buffer. -ENXIO: nothing triggers it; -errno of the driver: the
 * buffer is off.
 */
int iio_stream_start(struct iio_stream *stream, const struct iio_plan *plan);
/** The buffer is off afterwards, unless the device is gone. */
void iio_stream_stop(struct iio_stream *stream);
/**
 * Give every scan that waits to @each, with its time. 0; -ENODEV: the device is gone.
 */
int iio_stream_read(struct iio_stream *stream,
		    void (*each)(void *cookie, const uint8_t *scan, int64_t timestamp_ns),
		    void *cookie);

#endif
