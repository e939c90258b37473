/* SPDX-License-Identifier: Apache-2.0 */
/* The fused sensors as a table: a row is what a sensor is made of. */
#ifndef SENSORD_FUSED_KINDS_H
#define SENSORD_FUSED_KINDS_H

#include "fusion/base_reader.h"

#define FUSION_VENDOR "nnaccel fusion"

enum fused_kind {
	FUSED_STEP_COUNTER,
	FUSED_STEP_DETECTOR,
	FUSED_SIGNIFICANT_MOTION,
	FUSED_TILT,
	FUSED_ORIENTATION,
	FUSED_GRAVITY,
	FUSED_LINEAR,
	FUSED_GAME_ROTATION,
	FUSED_ROTATION,
	FUSED_GEOMAGNETIC,
	NUM_FUSED_KINDS
};
#define KIND_BIT(kind) (1u << (kind))

/** Sensors of one device, with one thread; a change of a device's bases makes it a new device. */
enum fused_group { GROUP_MOTION, GROUP_ATTITUDE, GROUP_HEADING, NUM_FUSED_GROUPS };

/**
 * struct fused_kind_row - a fused sensor
 * @type: its type
 * @name: its name
 * @group: whose device has it
 * @needs: bases (BASE_BIT) without which there is no such sensor
 * @uses: bases that are read for it, if they are there; contains @needs
 * @range: of its values; 0: the accelerometer's
 * @resolution: of its values; 0: the accelerometer's
 */
struct fused_kind_row {
	int32_t type;
	const char *name;
	enum fused_group group;
	unsigned int needs, uses;
	float range, resolution;
};

const struct fused_kind_row *fused_kind_row(enum fused_kind kind);
/** Of a device's thread. */
const char *fused_group_name(enum fused_group group);
/**
 * Make the sensor of @kind: what it can do follows from @bases, which has those that it needs.
 * False: the bases have no period in common.
 */
bool fused_kind_sensor(enum fused_kind kind, struct sensor *const bases[NUM_BASES],
		       struct sensor *sensor);

#endif
