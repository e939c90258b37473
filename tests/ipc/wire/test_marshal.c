// SPDX-License-Identifier: Apache-2.0
/* Values as bytes: every kind there and back, cut anywhere, and lengths that lie. */
#include "wire_test.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "wire/nnipc_wire.h"

static void put_all(struct nnipc_writer *w, int fd)
{
	size_t place;

	nnipc_put_u8(w, 0xfe);
	nnipc_put_u32(w, 0xdeadbeef);
	nnipc_put_u64(w, 0x0123456789abcdefull);
	nnipc_put_i64(w, -1);
	nnipc_put_f32(w, -0.5f);
	nnipc_put_f32(w, INFINITY);
	nnipc_put_bool(w, true);
	nnipc_put_bool(w, false);
	place = nnipc_put_reserve(w, sizeof(uint64_t));
	nnipc_put_raw(w, "raw", 3);
	nnipc_put_bytes(w, "bytes", 5);
	nnipc_put_bytes(w, NULL, 0);
	nnipc_put_u32(w, UINT16_MAX);
	nnipc_put_list(w, NULL, 3);
	nnipc_put_list(w, w, 1);
	nnipc_put_bool(w, true);
	nnipc_put_u64(w, 4);
	nnipc_put_raw(w, "blob", 4);
	nnipc_put_bool(w, false);
	nnipc_put_u64(w, 9);
	nnipc_put_text(w, "text");
	nnipc_put_text(w, "");
	nnipc_put_text(w, NULL);
	nnipc_put_chars(w, "cut", 3);
	nnipc_put_text(w, "a long text");
	nnipc_put_fd(w, fd);
	nnipc_put_fd(w, -1);
	nnipc_put_u64_at(w, place, 4711);
}

/* Everything that put_all() wrote; false at the first value that differs. */
static bool get_all(struct nnipc_reader *r, int *fd)
{
	char into[8], absent[2] = "x";
	uint32_t count = 9;
	void *blob;
	const void *bytes;
	char *text;
	size_t size;
	bool ok = true;

	ok = ok && nnipc_get_u8(r) == 0xfe;
	ok = ok && nnipc_get_u32(r) == 0xdeadbeef;
	ok = ok && nnipc_get_u64(r) == 0x0123456789abcdefull;
	ok = ok && nnipc_get_i64(r) == -1;
	ok = ok && nnipc_get_f32(r) == -0.5f;
	ok = ok && isinf(nnipc_get_f32(r));
	ok = ok && nnipc_get_bool(r) && !nnipc_get_bool(r);
	ok = ok && nnipc_get_u64(r) == 4711;
	bytes = nnipc_get_raw(r, 3);
	ok = ok && bytes && !memcmp(bytes, "raw", 3);
	bytes = nnipc_get_bytes(r, &size);
	ok = ok && bytes && size == 5 && !memcmp(bytes, "bytes", 5);
	bytes = nnipc_get_bytes(r, &size);
	ok = ok && bytes && !size;
	ok = ok && nnipc_get_u16(r) == UINT16_MAX && !r->error;
	ok = ok && !nnipc_get_list(r, 4, &count) && count == 3;
	ok = ok && nnipc_get_list(r, 4, &count) && count == 1;
	blob = nnipc_get_blob(r, &size);
	ok = ok && blob && size == 4 && !memcmp(blob, "blob", 4);
	free(blob);
	blob = nnipc_get_blob(r, &size);
	ok = ok && !blob && size == 9;
	free(blob);
	text = nnipc_get_text(r, 4);
	ok = ok && text && !strcmp(text, "text");
	free(text);
	text = nnipc_get_text(r, 0);
	ok = ok && text && !*text;
	free(text);
	nnipc_get_text_into(r, absent, sizeof(absent));
	ok = ok && !absent[0];
	text = nnipc_get_text(r, 4);
	ok = ok && text && !strcmp(text, "cu");
	free(text);
	nnipc_get_text_into(r, into, sizeof(into));
	ok = ok && !strcmp(into, "a long ");
	*fd = nnipc_get_fd(r);
	ok = ok && *fd >= 0 && nnipc_get_fd(r) == -1;
	return ok;
}

TEST(test_round_trip)
{
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;
	int fd;

	/* the writer's memory is used again */
	for (int round = 0; round < 2; round++) {
		put_all(&w, 0);
		assert_int_equal(w.error, 0);
		assert_int_equal(w.num_fds, 1);
		nnipc_reader_init(&r, w.data, w.size, w.fds, w.num_fds);
		assert_true(get_all(&r, &fd));
		assert_int_equal(fd, 0);
		assert_int_equal(nnipc_reader_end(&r), 0);
		nnipc_writer_reset(&w);
	}
	nnipc_writer_fini(&w);
}

TEST(test_truncation)
{
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;
	uint8_t *exact;
	int fd;

	put_all(&w, 0);
	for (size_t size = 0; size < w.size; size++) {
		int fds[] = { 7 };

		/* of exactly this size, so that a sanitizer sees a read behind it */
		exact = malloc(size + !size);
		assert_non_null(exact);
		memcpy(exact, w.data, size);
		nnipc_reader_init(&r, exact, size, fds, 1);
		get_all(&r, &fd);
		/* the last byte is read only here */
		nnipc_get_u8(&r);
		assert_int_equal(r.error, -EBADMSG);
		assert_int_equal(nnipc_reader_end(&r), -EBADMSG);
		/* taken, or still there */
		assert_true((fd == 7) != (fds[0] == 7));
		free(exact);
	}
	nnipc_writer_fini(&w);
}

TEST(test_flips)
{
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;
	uint32_t differing = 0;
	int fd;

	put_all(&w, 0);
	for (size_t bit = 0; bit < 8 * w.size; bit++) {
		int fds[] = { 7 };

		w.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		nnipc_reader_init(&r, w.data, w.size, fds, 1);
		differing += !get_all(&r, &fd) || nnipc_reader_end(&r);
		w.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	/* each bit means something, but for those of the numbers in the middle and of infinity */
	assert_true(differing > 8 * w.size * 3 / 4);
	nnipc_writer_fini(&w);
}

TEST(test_left_over)
{
	struct nnipc_reader r;
	int fds[] = { 5, 6 };

	nnipc_reader_init(&r, "\1", 1, fds, 2);
	assert_int_equal(nnipc_reader_end(&r), -EBADMSG); /* a byte and descriptors */
	assert_int_equal(nnipc_get_fd(&r), 5);
	assert_int_equal(nnipc_reader_end(&r), -EBADMSG); /* a descriptor */
	nnipc_reader_init(&r, "\1\1", 2, fds, 1);
	fds[0] = 5;
	assert_int_equal(nnipc_get_fd(&r), 5);
	assert_int_equal(nnipc_get_fd(&r), -1); /* announced, but not there */
	assert_int_equal(nnipc_reader_end(&r), -EBADMSG);
	nnipc_reader_init(&r, NULL, 0, NULL, 0);
	assert_non_null(nnipc_get_raw(&r, 0));
	assert_int_equal(nnipc_reader_end(&r), 0);
}

TEST(test_hostile_lengths)
{
	static const uint8_t huge[16] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	static const uint8_t text[] = { 1, 3, 0, 0, 0, 'a', 0, 'b' };
	struct nnipc_reader r;
	uint32_t count;
	size_t size = 1;

	nnipc_reader_init(&r, huge, sizeof(huge), NULL, 0);
	assert_null(nnipc_get_bytes(&r, &size));
	assert_int_equal(size, 0);
	assert_int_equal(r.error, -EBADMSG);
	nnipc_reader_init(&r, huge, sizeof(huge), NULL, 0);
	assert_int_equal(nnipc_get_u16(&r), 0);
	assert_int_equal(r.error, -EBADMSG);
	/* more elements than the message has room for, and elements of an empty list */
	nnipc_reader_init(&r, "\3\0\0\0\1abcdefgh", 13, NULL, 0);
	assert_false(nnipc_get_list(&r, 4, &count));
	assert_int_equal(count, 0);
	assert_int_equal(r.error, -EBADMSG);
	nnipc_reader_init(&r, "\0\0\0\0\1abcdefgh", 13, NULL, 0);
	assert_false(nnipc_get_list(&r, 4, &count));
	assert_int_equal(r.error, -EBADMSG);
	/* a blob that is longer than the message */
	nnipc_reader_init(&r, "\1\5\0\0\0\0\0\0\0abcd", 13, NULL, 0);
	assert_null(nnipc_get_blob(&r, &size));
	assert_int_equal(size, 0);
	assert_int_equal(r.error, -EBADMSG);
	/* fits into the message, but not under the limit */
	nnipc_reader_init(&r, "\2\0\0\0abcdefgh", 12, NULL, 0);
	assert_int_equal(nnipc_get_count(&r, 4, 1), 0);
	assert_int_equal(r.error, -EBADMSG);
	nnipc_reader_init(&r, "\2\0\0\0abcdefgh", 12, NULL, 0);
	assert_int_equal(nnipc_get_count(&r, 4, 2), 2);
	nnipc_reader_init(&r, "\2\0\0\0abcdefgh", 12, NULL, 0);
	assert_int_equal(nnipc_get_count(&r, 5, 2), 0);
	assert_int_equal(r.error, -EBADMSG);
	nnipc_reader_init(&r, huge, sizeof(huge), NULL, 0);
	assert_false(nnipc_get_bool(&r));
	assert_int_equal(r.error, -EBADMSG);
	/* a 0 inside; over the limit */
	nnipc_reader_init(&r, text, sizeof(text), NULL, 0);
	assert_null(nnipc_get_text(&r, 10));
	assert_int_equal(r.error, -EBADMSG);
	nnipc_reader_init(&r, "\1\3\0\0\0abc", 8, NULL, 0);
	assert_null(nnipc_get_text(&r, 2));
	assert_int_equal(r.error, -EBADMSG);
}

TEST(test_first_failure)
{
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;

	w.error = -ENOMEM;
	nnipc_put_u32(&w, 1);
	assert_int_equal(nnipc_put_reserve(&w, 8), SIZE_MAX);
	nnipc_put_fd(&w, 0);
	assert_int_equal(w.size, 0);
	assert_int_equal(w.num_fds, 0);
	assert_int_equal(w.error, -ENOMEM);
	nnipc_reader_init(&r, "abcd", 4, NULL, 0);
	nnipc_reader_no_memory(&r);
	nnipc_reader_refuse(&r);
	assert_int_equal(nnipc_get_u32(&r), 0);
	assert_int_equal(nnipc_reader_end(&r), -ENOMEM);
	nnipc_writer_fini(&w);
}

TEST(test_descriptors)
{
	struct nnipc_writer w = { 0 };
	uint32_t before = descriptors_open();
	int closed = numbered_fd(1);

	close(closed);
	nnipc_put_fd(&w, closed);
	assert_int_equal(w.num_fds, 0);
	assert_int_equal(w.data[0], 0);
	for (uint32_t i = 0; i < 20; i++) {
		nnipc_put_fd_owned(&w, numbered_fd(i));
		nnipc_put_fd(&w, 0);
	}
	assert_int_equal(w.num_fds, 40);
	assert_int_equal(descriptors_open(), before + 20);
	nnipc_writer_reset(&w);
	assert_int_equal(descriptors_open(), before);
	/* the writer has failed: it still closes what it was given */
	w.error = -E2BIG;
	nnipc_put_fd_owned(&w, numbered_fd(1));
	assert_int_equal(descriptors_open(), before);
	nnipc_writer_reset(&w);
	for (uint32_t i = 0; i <= NNIPC_FDS_MAX; i++)
		nnipc_put_fd(&w, 0);
	assert_int_equal(w.error, -E2BIG);
	nnipc_writer_fini(&w);
	assert_int_equal(descriptors_open(), before);
}

TEST(test_too_large)
{
	struct nnipc_writer w = { 0 };
	static char byte;

	nnipc_put_u32(&w, 1);
	/* refused before anything is read or allocated */
	nnipc_put_raw(&w, &byte, NNIPC_PAYLOAD_MAX);
	assert_int_equal(w.error, -E2BIG);
	assert_int_equal(w.size, 4);
	nnipc_writer_fini(&w);
}

/* A text of the other process does nothing to a terminal. */
TEST(test_texts)
{
	static const struct {
		const char *sent, *got;
	} texts[] = {
		{ "npu0 (rev 2)~", "npu0 (rev 2)~" },
		{ "\033[2J\a\r\n\t\x7f", "?[2J?????" },
		/* UTF-8: letters, and the last character that there is */
		{ "M\xc3\xbcller \xe2\x82\xac \xf0\x9f\x98\x80",
		  "M\xc3\xbcller \xe2\x82\xac \xf0\x9f\x98\x80" },
		{ "\xf4\x8f\xbf\xbf\xf4\x90\x80\x80", "\xf4\x8f\xbf\xbf????" },
		/* control characters of the upper half, as a byte and in UTF-8 */
		{ "\x9b"
		  "31m\xc2\x9b"
		  "31m\xc2\xa0",
		  "?31m??31m\xc2\xa0" },
		/* too long, too short, halves of pairs */
		{ "\xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf", "?????????" },
		{ "\xe2\x82", "??" },
		{ "\xc3", "?" },
		{ "\xc3"
		  "a\x80\xff",
		  "?a??" },
		{ "\xed\xa0\x80", "???" },
		/* other directions, lines, characters that are not seen */
		{ "\xe2\x80\xae"
		  "a\xe2\x81\xa9\xe2\x80\xa8\xe2\x80\x8b\xef\xbb\xbf",
		  "???a????????????" },
	};
	struct nnipc_writer w = { 0 };
	struct nnipc_reader r;
	char *text, into[64], cut[3];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		nnipc_put_text(&w, texts[i].sent);
		nnipc_put_text(&w, texts[i].sent);
		nnipc_reader_init(&r, w.data, w.size, w.fds, w.num_fds);
		text = nnipc_get_text(&r, 64);
		assert_non_null(text);
		assert_string_equal(text, texts[i].got);
		free(text);
		nnipc_get_text_into(&r, into, sizeof(into));
		assert_string_equal(into, texts[i].got);
		assert_int_equal(nnipc_reader_end(&r), 0);
		nnipc_writer_reset(&w);
	}
	/* a character that is cut */
	nnipc_put_text(&w, "a\xc3\xbc");
	nnipc_reader_init(&r, w.data, w.size, w.fds, w.num_fds);
	nnipc_get_text_into(&r, cut, sizeof(cut));
	assert_string_equal(cut, "a?");
	nnipc_writer_fini(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),	cmocka_unit_test(test_truncation),
		cmocka_unit_test(test_flips),		cmocka_unit_test(test_left_over),
		cmocka_unit_test(test_hostile_lengths), cmocka_unit_test(test_first_failure),
		cmocka_unit_test(test_descriptors),	cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
