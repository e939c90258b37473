// SPDX-License-Identifier: Apache-2.0
#include "nnutil_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The first and the last character of each length; RFC 3629, section 3. */
static const struct {
	uint8_t mask, lead; /* of the first byte */
	uint32_t first, last;
} lengths[] = {
	{ 0x80, 0x00, 0x20, 0x7e },
	{ 0xe0, 0xc0, 0xa0, 0x7ff },
	{ 0xf0, 0xe0, 0x800, 0xffff },
	{ 0xf8, 0xf0, 0x10000, 0x10ffff },
};

/* What shows nothing itself and changes how others are shown; halves of pairs of UTF-16. */
static const struct {
	uint32_t first, last;
} hidden[] = {
	{ 0x061c, 0x061c }, { 0x200b, 0x200f }, { 0x2028, 0x202e },   { 0x2060, 0x206f },
	{ 0xd800, 0xdfff }, { 0xfeff, 0xfeff }, { 0xe0000, 0xe0fff },
};

static bool is_shown(uint32_t character)
{
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (character >= hidden[i].first && character <= hidden[i].last)
			return false;
	return true;
}

/* Bytes of the character; 0: it is none to print. */
static size_t character_length(const char *text)
{
	const uint8_t lead = (uint8_t)text[0];
	uint32_t character;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		if ((lead & lengths[i].mask) != lengths[i].lead)
			continue;
		character = lead & (uint8_t)~lengths[i].mask;
		/* the 0 at the end is no byte of a character */
		for (size_t k = 1; k <= i; k++) {
			if (((uint8_t)text[k] & 0xc0) != 0x80)
				return 0;
			character = character << 6 | ((uint8_t)text[k] & 0x3f);
		}
		return character >= lengths[i].first && character <= lengths[i].last &&
				       is_shown(character)
			       ? i + 1
			       : 0;
	}
	return 0;
}

void nnutil_text_copy(char *to, size_t size, const char *from, size_t length)
{
	const size_t n = length < size - 1 ? length : size - 1;

	for (size_t i = 0; i < n; i++)
		to[i] = from[i] ? from[i] : '?';
	to[n] = '\0';
	nnutil_text_clean(to);
}

void nnutil_text_clean(char *text)
{
	while (*text) {
		const size_t length = character_length(text);

		if (!length)
			*text = '?';
		text += length ? length : 1;
	}
}
