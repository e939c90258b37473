/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a file of virtual sensors. */
#ifndef SENSORD_VIRTUAL_KEYS_H
#define SENSORD_VIRTUAL_KEYS_H

#include "virtual/virtual_config.h"

#define VIRTUAL_KEYS_MAX 64u

/**
 * struct virtual_section - a section while it is read: one of @sensor and @recording
 * @seen: keys that were there, by their place in the table
 * @mode, @has_range...: what decides over defaults at the end
 */
struct virtual_section {
	struct virtual_sensor *sensor;
	struct virtual_recording *recording;
	uint64_t seen;
	uint32_t mode;
	bool has_mode, has_wake_up, has_generator, wake_up;
	char *message;
	size_t message_size;
};

/** Take "@key = @value". 0 or -EINVAL, and the section's message says why. */
int virtual_key_take(struct virtual_section *section, const char *key, char *value);
/** The section's end: defaults, and whether it is whole. Likewise. */
int virtual_section_end(struct virtual_section *section);

#endif
