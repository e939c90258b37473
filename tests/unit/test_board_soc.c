// SPDX-License-Identifier: Apache-2.0
/* An accelerator of a board: power, clocks, reset and firmware (nnaccel-slot --soc). */
#include <stdio.h>
#include <string.h>

#include "board.h"
#include "board_host.h"
#include "nnaccel/nnaccel_soc.h"
#include "test_case.h"

static const char *const soc_option[] = { "--soc", NULL };

static struct nnaccel_soc *soc_of(struct host *h)
{
	return (struct nnaccel_soc *)((uint8_t *)h->regs + NNACCEL_SOC_CONTROL);
}

/* Request a state, which the slot carries out. */
static void soc_set(struct host *h, uint32_t power, uint32_t clocks, uint32_t deasserted)
{
	struct nnaccel_soc *soc = soc_of(h);
	const uint32_t req = reg_get32(&soc->req) + 1;

	reg_set32(&soc->power, power);
	reg_set32(&soc->clocks, clocks);
	reg_set32(&soc->deasserted, deasserted);
	reg_set32(&soc->req, req);
	host_ring(h, NNACCEL_DOORBELL_RESET);
	/* the slot looks at its doorbell before it answers */
	host_control(h, "status");
	assert_int_equal(reg_get32(&soc->ack), req);
}

/* Into the memory for the firmware: what the slot offers, with @size bytes of it. */
static void load_firmware(struct host *h, size_t size)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/firmware.bin", h->dir);
	f = fopen(path, "re");
	assert_non_null(f);
	assert_true(fread((uint8_t *)h->regs + NNACCEL_SOC_FIRMWARE, 1, size, f) > 0);
	fclose(f);
}

static void counts_are(struct host *h, uint32_t boots, uint32_t refused, uint32_t violations)
{
	assert_int_equal(reg_get32(&soc_of(h)->boots), boots);
	assert_int_equal(reg_get32(&soc_of(h)->refused), refused);
	assert_int_equal(reg_get32(&soc_of(h)->violations), violations);
}

static void compute(struct host *h)
{
	host_bring_up(h);
	host_wait_job(h, 0, host_submit_null(h, 0));
}

TEST(test_begins_without_power)
{
	struct host *h = host_start(NNACCEL_TEST_CARD, soc_option);

	assert_int_equal(reg_get32(&h->regs->magic), UINT32_MAX);
	soc_set(h, 1, 0, 0);
	assert_int_equal(reg_get32(&h->regs->magic), NNACCEL_MAGIC);
	assert_int_equal(reg_get32(&h->regs->link), NNACCEL_LINK_ABSENT);
	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 0);
	load_firmware(h, 4096);
	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 1);
	assert_int_equal(reg_get32(&h->regs->link), NNACCEL_LINK_PRESENT);
	host_wait_ready(h, 0);
	compute(h);
	counts_are(h, 1, 0, 0);
	/* reset: the memory of the firmware stays */
	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 0);
	assert_int_equal(reg_get32(&h->regs->link), NNACCEL_LINK_ABSENT);
	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 1);
	host_wait_ready(h, h->generation);
	counts_are(h, 2, 0, 0);
	host_stop(h);
}

TEST(test_power_loses_firmware)
{
	struct host *h = host_start(NNACCEL_TEST_CARD, soc_option);

	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 0);
	load_firmware(h, 4096);
	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 1);
	host_wait_ready(h, 0);
	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 0);
	soc_set(h, 0, 0, 0);
	assert_int_equal(reg_get32(&h->regs->magic), UINT32_MAX);
	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 1);
	assert_int_equal(reg_get32(&h->regs->link), NNACCEL_LINK_ABSENT);
	counts_are(h, 1, 1, 0);
	host_stop(h);
}

TEST(test_invalid_firmware_is_refused)
{
	struct host *h = host_start(NNACCEL_TEST_CARD, soc_option);
	struct nnaccel_soc_image *image =
		(struct nnaccel_soc_image *)((uint8_t *)h->regs + NNACCEL_SOC_FIRMWARE);

	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 0);
	load_firmware(h, sizeof(*image) + 5); /* cut off */
	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 1);
	counts_are(h, 0, 1, 0);
	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 0);
	load_firmware(h, 4096);
	image->magic ^= 1;
	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 1);
	counts_are(h, 0, 2, 0);
	/* a size that leads out of the memory */
	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 0);
	load_firmware(h, 4096);
	image->size = UINT32_MAX;
	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 1);
	counts_are(h, 0, 3, 0);
	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 0);
	load_firmware(h, 4096);
	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 1);
	host_wait_ready(h, 0);
	counts_are(h, 1, 3, 0);
	host_stop(h);
}

TEST(test_violations_are_counted)
{
	struct host *h = host_start(NNACCEL_TEST_CARD, soc_option);

	/* out of reset without a clock, and without power */
	soc_set(h, 1, NNACCEL_SOC_CLOCK_CORE, 1);
	counts_are(h, 0, 0, 1);
	soc_set(h, 0, NNACCEL_SOC_CLOCKS, 1);
	counts_are(h, 0, 0, 2);
	/* a register without power */
	reg_set32(&h->regs->host_state, 0);
	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 0);
	counts_are(h, 0, 0, 3);
	/* clocks off under a firmware that runs */
	load_firmware(h, 4096);
	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 1);
	host_wait_ready(h, 0);
	soc_set(h, 1, 0, 1);
	counts_are(h, 1, 0, 4);
	assert_int_equal(reg_get32(&h->regs->link), NNACCEL_LINK_ABSENT);
	host_stop(h);
}

/* A reset controller that does not answer. */
TEST(test_reset_line_off)
{
	struct host *h = host_start(NNACCEL_TEST_CARD, soc_option);
	struct nnaccel_soc *soc = soc_of(h);

	assert_memory_equal(host_control(h, "reset-line off"), "ok ", 3);
	reg_set32(&soc->power, 1);
	reg_set32(&soc->req, 1);
	host_ring(h, NNACCEL_DOORBELL_RESET);
	/* the answer comes after the slot has looked at its doorbell */
	assert_non_null(strstr(host_control(h, "status"), "resets="));
	assert_int_equal(reg_get32(&soc->ack), 0);
	assert_memory_equal(host_control(h, "reset-line on"), "ok ", 3);
	soc_set(h, 1, NNACCEL_SOC_CLOCKS, 0);
	assert_int_equal(reg_get32(&h->regs->magic), NNACCEL_MAGIC);
	host_stop(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begins_without_power),
		cmocka_unit_test(test_power_loses_firmware),
		cmocka_unit_test(test_invalid_firmware_is_refused),
		cmocka_unit_test(test_violations_are_counted),
		cmocka_unit_test(test_reset_line_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
