// SPDX-License-Identifier: Apache-2.0
/* The profile of a trace, and the table of it. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/html_report.h"
#include "roofline/nnctl_roofline.h"
#include "temp.h"
#include "test_case.h"

#define COLUMNS "           nnctl-7769    (   7769) [001] .... 80702.364374: tracing_mark_write: "

static void read_text(const char *text, struct profile *profile)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	assert_non_null(f);
	assert_int_equal(profile_read(f, profile), 0);
	fclose(f);
}

static const char trace[] =
	"# tracer: nop\n" COLUMNS "B|7|[NN_LC_PCO]CONV_2D\n" COLUMNS "E|7\n" COLUMNS
	"B|7|[NN_LC_PU]op 0.1 FULLY_CONNECTED float32 ns=500 macs=1000 elements=10 bytes=4000 times=1\n" COLUMNS
	"B|7|[NN_LC_PU]op 0.0 CONV_2D int8 ns=3000 macs=100000 elements=100 bytes=1000 times=1\n" COLUMNS
	"B|7|[NN_LC_PU]op 1.0 POOL_2D int8 ns=10 macs=0 elements=20 bytes=50 times=1\n" COLUMNS
	"B|7|[NN_LC_PU]op 1.0 POOL_2D int8 ns=30 macs=0 elements=20 bytes=50 times=4\n" COLUMNS
	"B|7|[NN_LC_PU]op 0.0 CONV_2D int8 ns=1000 macs=100000 elements=100 bytes=1000 times=1\n" COLUMNS
	"B|7|[NN_LC_PU]op 0.1 FULLY_CONNECTED float32 ns=700 macs=1000 elements=10 bytes=4000 times=1\n" COLUMNS
	"B|7|[NN_LC_PU]op 0.0 CONV_2D int8 ns=2000 macs=100000 elements=100 bytes=1000 times=1\n" COLUMNS
	"B|7|[NN_LC_PU]op 0.1 FULLY_CONNECTED float32 ns=600 macs=1000 elements=10 bytes=4000 times=1\n" COLUMNS
	"B|7|[NN_LA_PU]op 0.2 is cut\n";

/* By place, medians, and how often in a run. */
TEST(test_profile)
{
	struct profile p;

	read_text(trace, &p);
	assert_int_equal(p.count, 3);
	assert_string_equal(p.ops[0].name, "CONV_2D");
	assert_string_equal(p.ops[0].type, "int8");
	assert_int_equal(p.ops[0].ns, 2000);
	assert_int_equal(p.ops[0].macs, 100000);
	assert_true(p.ops[0].times == 1);
	assert_string_equal(p.ops[1].name, "FULLY_CONNECTED");
	assert_int_equal(p.ops[1].ns, 600);
	assert_int_equal(p.ops[1].bytes, 4000);
	/* in a loop: five times in three runs */
	assert_int_equal(p.ops[2].graph, 1);
	assert_true(fabs(p.ops[2].times - 5. / 3) < 1e-9);
	profile_free(&p);
}

TEST(test_no_marks)
{
	struct profile p;

	read_text("# tracer: nop\n" COLUMNS "B|7|[NN_LC_PCO]CONV_2D\n", &p);
	assert_int_equal(p.count, 0);
	profile_free(&p);
}

TEST(test_row)
{
	const struct peak peak = { .int8_gops = 1000, .float_gops = 100, .read_gbs = 10 };
	struct roofline_row row;
	struct profile p;

	read_text(trace, &p);
	/* 0.2 M operations in 2 us; at the peak 0.2 us, the bytes 0.1 us */
	row = roofline_row(&p.ops[0], &peak);
	assert_true(fabs(row.us - 2) < 1e-9);
	assert_true(fabs(row.gops - 100) < 1e-9);
	assert_true(fabs(row.of_peak - 0.1) < 1e-9);
	assert_true(fabs(row.gbs - 0.5) < 1e-9);
	assert_true(fabs(row.of_roof - 0.1) < 1e-9);
	/* bound by its bytes: 0.4 us of 0.6 */
	row = roofline_row(&p.ops[1], &peak);
	assert_true(fabs(row.of_roof - 0.4 / 0.6) < 1e-9);
	/* without multiply-adds there is no share of a peak */
	row = roofline_row(&p.ops[2], &peak);
	assert_true(row.gops == 0 && row.of_peak == 0 && row.of_roof > 0);
	/* nothing is known of the processor */
	row = roofline_row(&p.ops[0], &(struct peak){ 0 });
	assert_true(row.of_peak == 0 && row.of_roof == 0 && row.gops > 0);
	profile_free(&p);
}

static double number(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name)->valuedouble;
}

/* The sum of the kinds is that of the operations; the longest kind is first. */
TEST(test_sums)
{
	const struct peak peak = { .int8_gops = 1000, .float_gops = 100, .read_gbs = 10 };
	struct profile p;
	cJSON *j, *kinds;

	read_text(trace, &p);
	j = roofline_json(&p, &peak, "avx512vnni");
	assert_non_null(j);
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(j, "operations")), 3);
	kinds = cJSON_GetObjectItem(j, "kinds");
	assert_int_equal(cJSON_GetArraySize(kinds), 3);
	assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(kinds, 0), "name")->valuestring,
			    "CONV_2D");
	assert_true(fabs(number(cJSON_GetObjectItem(j, "all"), "us") - (2 + 0.6 + 0.03 * 5 / 3)) <
		    1e-9);
	assert_true(fabs(number(cJSON_GetObjectItem(j, "all"), "macs") - 101000) < 1e-9);
	assert_string_equal(cJSON_GetObjectItem(j, "isa")->valuestring, "avx512vnni");
	cJSON_Delete(j);
	j = roofline_json(&p, &(struct peak){ 0 }, "");
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(j, "peak_int8_gops")));
	cJSON_Delete(j);
	profile_free(&p);
}

/* An unknown set has no peaks. */
TEST(test_peak_of_nothing)
{
	const struct peak peak = peak_measure("no-such-set");

	assert_true(peak.int8_gops == 0 && peak.float_gops == 0 && peak.read_gbs == 0);
}

/* The y of the text that begins with @name in the page. */
static double text_y(const char *page, const char *name)
{
	char mark[32];
	const char *at;

	snprintf(mark, sizeof(mark), "\">%s: ", name);
	at = strstr(page, mark);
	assert_non_null(at);
	while (at > page && strncmp(at, "<text ", 6) != 0)
		at--;
	at = strstr(at, " y=\"");
	assert_non_null(at);
	return strtod(at + 4, NULL);
}

/* Names of the peaks do not cover each other, however near the peaks are. */
TEST(test_names_of_peaks)
{
	static const double ratios[] = { 0.25, 0.5, 0.9, 1, 1.1, 1.6, 2, 4 };
	struct profile_op op = { .macs = 1000, .bytes = 100, .times = 1, .ns = 100 };
	const struct profile profile = { &op, 1 };
	char *page;

	for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
		const struct peak peak = { 96 * ratios[i], 96, 50 };
		const struct html_report report = {
			.model = "m", .device = "d", .isa = "", .profile = &profile, .peak = &peak
		};

		assert_int_equal(html_report_write(&report, temp_path("page.html")), 0);
		page = temp_read(temp_path("page.html"), NULL);
		/* letters of 12 px */
		assert_true(fabs(text_y(page, "int8") - text_y(page, "float32")) > 14);
		free(page);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profile),
		cmocka_unit_test(test_no_marks),
		cmocka_unit_test(test_row),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_peak_of_nothing),
		cmocka_unit_test(test_names_of_peaks),
	};

	return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
