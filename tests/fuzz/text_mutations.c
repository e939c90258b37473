// SPDX-License-Identifier: Apache-2.0
/* Mutations of texts. */
#include "text_mutations.h"

#include <string.h>

#include "fuzz_target.h"

struct text {
	uint8_t *bytes;
	size_t size, max;
};

static size_t place(const struct text *t, uint64_t *random)
{
	return fuzz_random(random) % ((uint32_t)t->size + 1);
}

static void insert(struct text *t, size_t at, const void *bytes, size_t size)
{
	if (t->size + size > t->max)
		return;
	memmove(t->bytes + at + size, t->bytes + at, t->size - at);
	memcpy(t->bytes + at, bytes, size);
	t->size += size;
}

static void cut(struct text *t, size_t at, size_t size)
{
	if (size > t->size - at)
		size = t->size - at;
	memmove(t->bytes + at, t->bytes + at + size, t->size - at - size);
	t->size -= size;
}

/* The line that @at is in: where it begins, and its bytes with the end. */
static size_t line_at(const struct text *t, size_t at, size_t *size)
{
	size_t begin = at, end = at;

	while (begin && t->bytes[begin - 1] != '\n')
		begin--;
	while (end < t->size && t->bytes[end] != '\n')
		end++;
	*size = end - begin + (end < t->size);
	return begin;
}

static void repeat_line(struct text *t, uint64_t *random)
{
	uint8_t line[256];
	size_t size, begin = line_at(t, place(t, random), &size);

	if (size > sizeof(line))
		return;
	memcpy(line, t->bytes + begin, size);
	begin = line_at(t, place(t, random), &(size_t){ 0 });
	insert(t, begin, line, size);
}

static void cut_line(struct text *t, uint64_t *random)
{
	size_t size, begin = line_at(t, place(t, random), &size);

	cut(t, begin, size);
}

static void put_word(struct text *t, const char *const *words, uint64_t *random)
{
	uint32_t n = 0;
	const char *word;

	while (words[n])
		n++;
	word = words[fuzz_random(random) % n];
	insert(t, place(t, random), word, strlen(word));
}

static void mutate_once(struct text *t, const char *const *words, uint64_t *random)
{
	const size_t at = place(t, random);

	switch (fuzz_random(random) % 7) {
	case 0:
		if (at < t->size)
			t->bytes[at] = (uint8_t)fuzz_random(random);
		break;
	case 1:
		/* a digit */
		if (at < t->size && t->bytes[at] >= '0' && t->bytes[at] <= '9')
			t->bytes[at] = (uint8_t)('0' + fuzz_random(random) % 10);
		break;
	case 2:
		cut(t, at, 1 + fuzz_random(random) % 8);
		break;
	case 3:
		repeat_line(t, random);
		break;
	case 4:
		cut_line(t, random);
		break;
	case 5:
		if (fuzz_random(random) % 8 == 0)
			t->size = at;
		break;
	default:
		put_word(t, words, random);
	}
}

size_t fuzz_mutate_text(uint8_t *data, size_t size, size_t max, const char *const *words,
			uint64_t *random)
{
	struct text text = { data, size, max };

	for (uint32_t k = 1 + fuzz_random(random) % 4; k; k--)
		mutate_once(&text, words, random);
	return text.size;
}
