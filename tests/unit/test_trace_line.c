// SPDX-License-Identifier: Apache-2.0
/* Lines of ftrace's text, and the meaning of marks. */
#include <string.h>

#include "nntp.h"
#include "test_case.h"

static struct span span(const char *text)
{
	return (struct span){ text, strlen(text) };
}

static void expect_mark(const char *text, const char *comm, int32_t tid, int32_t tgid, int64_t ns,
			const char *body)
{
	struct line line;

	if (line_parse(span(text), &line) != LINE_MARK)
		fail_msg("no mark: %s", text);
	if (!span_is(line.comm, comm))
		fail_msg("\"%.*s\" instead of \"%s\"", (int)line.comm.len, line.comm.at, comm);
	assert_int_equal(line.tid, tid);
	assert_int_equal(line.tgid, tgid);
	assert_true(line.ns == ns);
	if (!span_is(line.body, body))
		fail_msg("\"%.*s\" instead of \"%s\"", (int)line.body.len, line.body.at, body);
}

TEST(test_columns)
{
	expect_mark("  app-310   (  310) [000] ...1  5000.000001: tracing_mark_write: B|310|x",
		    "app", 310, 310, 5000000001000, "B|310|x");
	expect_mark("  app-310   (-----) [000] ...1  5000.000001: tracing_mark_write: E", "app",
		    310, TGID_DASHES, 5000000001000, "E");
	expect_mark("  app-310   [000] ...1.  5000.5: tracing_mark_write: E|310\r", "app", 310,
		    TGID_NONE, 5000500000000, "E|310");
	expect_mark("app-310 [000] 5000.123456789: print:      tracing_mark_write: E|310", "app",
		    310, TGID_NONE, 5000123456789, "E|310");
	expect_mark("app-310 5000.000000: tracing_mark_write: E|310", "app", 310, TGID_NONE,
		    5000000000000, "E|310");
	/* names that look like columns */
	expect_mark("  a-1 (2) [3] b-7   (    9) [001] d..1  1.000000: tracing_mark_write: E",
		    "a-1 (2) [3] b", 7, 9, 1000000000, "E");
	expect_mark("   <...>-7   (    9) [001] d..1  1.000000: tracing_mark_write: E", "<...>", 7,
		    9, 1000000000, "E");
	expect_mark("   a-7   (    9) [001] d..1  1.000000: tracing_mark_write: E", "a", 7, 9,
		    1000000000, "E");
}

TEST(test_bad_lines)
{
	static const char *const bad[] = {
		"tracing_mark_write: B|1|x",
		/* the task is a closing parenthesis */
		") [001] ...1 1.000001: tracing_mark_write: B|1|x",
		": tracing_mark_write: E",
		"x [000] 1.0: tracing_mark_write: E",
		"app-310 (  31x) [000] ...1 5.0: tracing_mark_write: E",
		"app-310 [000] ...1 5: tracing_mark_write: E",
		"app-99999999999 [000] ...1 5.0: tracing_mark_write: E",
		"app-310 [000] ...1 99999999999999.0: tracing_mark_write: E",
		"B|310|[NN_LR_PP]x",
		"app-310 HIDL::IDevice",
		"app-310 [000] ...1 5.0: tracing_mark_write: S|310|[NN_LR_PP]x|1",
		"-310 [000] ...1 5.0: tracing_mark_write: E",
	};
	static const char *const other[] = {
		"",
		"# tracer: nop",
		"app-310 [000] 5.0: sched_switch: prev_comm=B",
		": nnaccel_",
		"x: nnaccel_job_done: a=1",
		"app-310 [000] ...1 5.0: nnaccel_job_done",
	};
	struct line line;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (line_parse(span(bad[i]), &line) != LINE_BAD)
			fail_msg("not refused: %s", bad[i]);
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (line_parse(span(other[i]), &line) != LINE_OTHER)
			fail_msg("not passed over: %s", other[i]);
}

TEST(test_events)
{
	struct line line;

	assert_int_equal(
		line_parse(span("irq-12 (-----) [0] d.h1 5.000000: nnaccel_job_done: device=0 x=1"),
			   &line),
		LINE_EVENT);
	assert_true(span_is(line.name, "nnaccel_job_done") && span_is(line.body, "device=0 x=1"));
	assert_int_equal(line.tid, 12);
	assert_true(line.ns == 5000000000);
}

TEST(test_pid)
{
	assert_int_equal(line_mark_pid(span("B|310|x")), 310);
	assert_int_equal(line_mark_pid(span("E|310")), 310);
	assert_int_equal(line_mark_pid(span("E")), -1);
	assert_int_equal(line_mark_pid(span("E|")), -1);
	assert_int_equal(line_mark_pid(span("B|x|y")), -1);
	assert_int_equal(line_mark_pid(span("B|99999999999|y")), -1);
}

static void expect_tag(const char *body, bool driver, uint32_t layer, uint32_t phase)
{
	struct mark m;

	if (mark_parse(span(body), driver, false, &m) != MARK_OK)
		fail_msg("refused: %s", body);
	if (m.layer != layer || m.phase != phase)
		fail_msg("%s: %s_%s", body, nntp_layer_code(m.layer), nntp_phase_code(m.phase));
}

TEST(test_tags)
{
	struct mark m;

	expect_tag("B|1|[NN_LR_PP]foo", false, NNTP_LR, NNTP_PP);
	expect_tag("B|1|[NN_LR_PP]foo[3]", false, NNTP_LR, NNTP_PP);
	expect_tag("B|1|[NN_LR_PP][foo]", false, NNTP_LR, NNTP_PP);
	expect_tag("B|1|[SW][NN_LC_PCO]conv", false, NNTP_LC, NNTP_PCO);
	expect_tag("B|1|[SW][NN_LC_PCO]conv", true, NNTP_LD, NNTP_PCO);
	expect_tag("B|1|[NN_LD_PC]prepare", false, NNTP_LC, NNTP_PC);
	/* no text after the tag: no tag */
	expect_tag("B|1|[NN_LR_PP]", false, NNTP_LX, NNTP_PI);
	expect_tag("B|1|[NN_LR_PT]ANeuralNetworksEvent_free", false, NNTP_LR, NNTP_PE);
	expect_tag("B|1|[NN_LI_PC]getSupportedExtensions", false, NNTP_LI, NNTP_PI);
	assert_int_equal(mark_parse(span("B|1|draw[1] x"), false, false, &m), MARK_BAD_TAG);
	assert_int_equal(mark_parse(span("B|1|[NN_LR_PP]foo[3]x"), false, false, &m), MARK_BAD_TAG);
	assert_int_equal(mark_parse(span("B|1|draw[1] x"), false, true, &m), MARK_OK);
	assert_int_equal(m.layer, NNTP_LX);
	assert_int_equal(mark_parse(span("B|1|[NN_LR_PP]foo[3]x"), false, true, &m), MARK_OK);
	assert_int_equal(m.layer, NNTP_LR);
	/* unknown codes are equal to themselves only */
	assert_int_equal(mark_parse(span("B|1|[NN_LZ_PZ]foo"), false, false, &m), MARK_OK);
	assert_true((m.layer & NNTP_UNKNOWN) && (m.phase & NNTP_UNKNOWN));
	assert_true(layer_may_contain(m.layer, m.layer) && !layer_may_contain(m.layer, NNTP_LR));
	assert_int_equal(mark_parse(span("B|1|[SW][NN_LA_PR]executeWithCompilation"), false, false,
				    &m),
			 MARK_OK);
	assert_false(m.is_switch);
}

TEST(test_hidl)
{
	struct mark m;

	expect_tag("B|1|HIDL::IDevice::prepareModel_1_3::client", false, NNTP_LI, NNTP_PC);
	expect_tag("B|1|HIDL::IDevice::prepareModel_1_3::server", true, NNTP_LD, NNTP_PC);
	expect_tag("B|1|HIDL::IDevice::getCapabilities::passthrough", false, NNTP_LI, NNTP_PI);
	expect_tag("B|1|HIDL::IPreparedModelCallback::notify::client", true, NNTP_LX, NNTP_PC);
	expect_tag("B|1|HIDL::IPreparedModel::executeFenced::client", false, NNTP_LI, NNTP_PE);
	expect_tag("B|1|HIDL::IAllocator::allocate::client", false, NNTP_LI, NNTP_PU);
	expect_tag("B|1|HIDL::IServiceManager::get::client", false, NNTP_LI, NNTP_PI);
	expect_tag("B|1|anything", false, NNTP_LX, NNTP_PI);
	assert_int_equal(mark_parse(span("B|1|HIDL::IDevice::prepareModel"), false, false, &m),
			 MARK_NO_SIDE);
	assert_int_equal(mark_parse(span("B|1|HIDL::IServiceManager::get::client"), false, true,
				    &m),
			 MARK_OK);
	assert_int_equal(m.layer, NNTP_LX);
}

/* Every pair of the contract's tables. */
TEST(test_nesting)
{
	static const char *const phases[NNTP_PHASES] = {
		[NNTP_PO] = "PO PWU PBM PI PP PC PE PT PIO PTR PCO PR",
		[NNTP_PWU] = "PWU PE PI PIO PTR PCO PR",
		[NNTP_PBM] = "PBM PE PI PIO PTR PCO PR",
		[NNTP_PI] = "PI",
		[NNTP_PP] = "PP PI",
		[NNTP_PC] = "PC PI",
		[NNTP_PE] = "PE PI PIO PTR PCO PR",
		[NNTP_PT] = "PT PI",
		[NNTP_PIO] = "PIO PI",
		[NNTP_PTR] = "PTR PI",
		[NNTP_PCO] = "PCO PI",
		[NNTP_PR] = "PR PI",
	};
	static const char *const layers[NNTP_LAYERS] = {
		[NNTP_LA] = "LA LR LU", [NNTP_LR] = "LR LI LC LU", [NNTP_LI] = "LI LD LU",
		[NNTP_LD] = "LD LU",	[NNTP_LC] = "LC LU",	   [NNTP_LO] = "LO LU",
		[NNTP_LU] = "LU",
	};
	char word[8], list[80];

	for (uint32_t p = 0; p < NNTP_PHASES; p++) {
		for (uint32_t c = 0; c < NNTP_PHASES; c++) {
			if (!phases[p] || !phases[c])
				continue;
			snprintf(word, sizeof(word), " %s ", nntp_phase_code(c));
			snprintf(list, sizeof(list), " %s ", phases[p]);
			if (phase_may_contain(p, c) != (strstr(list, word) != NULL))
				fail_msg("%s in %s", nntp_phase_code(c), nntp_phase_code(p));
		}
	}
	for (uint32_t p = 0; p < NNTP_LX; p++) {
		for (uint32_t c = 0; c < NNTP_LX; c++) {
			snprintf(word, sizeof(word), " %s ", nntp_layer_code(c));
			snprintf(list, sizeof(list), " %s ", layers[p]);
			if (layer_may_contain(p, c) != (strstr(list, word) != NULL))
				fail_msg("%s in %s", nntp_layer_code(c), nntp_layer_code(p));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns), cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_events),	cmocka_unit_test(test_pid),
		cmocka_unit_test(test_tags),	cmocka_unit_test(test_hidl),
		cmocka_unit_test(test_nesting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
