// SPDX-License-Identifier: Apache-2.0
/*
 * AMX on processors that lack it: the handler of SIGILL executes the instructions of the row "amx"
 * (Intel's manual, volume 2), which are then not only tested without such a machine but also seen
 * by ASan, to which the instructions themselves are opaque. A few microseconds for each.
 *
 * Linked with --wrap, so that the row counts as usable where NN_TEST_TILES is set. An instruction
 * that the processor would refuse (#UD, #GP) ends the process with the reason.
 */
#include "tiles_emulator.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "isa/usable.h"

#define TILES 8u
#define ROWS 16u
#define BYTES 64u

/* The opcodes of map 0F38, and the prefixes in a VEX prefix. */
#define OP_CONFIG 0x49u
#define OP_MOVE 0x4bu
#define OP_PRODUCT 0x5eu
#define PREFIX_66 1u
#define PREFIX_F3 2u
#define PREFIX_F2 3u

/* LDTILECFG's operand. */
struct config {
	uint8_t palette, start_row, reserved[14];
	uint16_t row_bytes[16];
	uint8_t rows[16];
};

struct tiles {
	struct config config; /* palette 0: tiles cannot be used */
	uint8_t data[TILES][ROWS][BYTES];
};

/* Of this thread; made at its first instruction, and left when it ends. */
static _Thread_local struct tiles *tiles;

struct instruction {
	unsigned int opcode, prefix;
	unsigned int reg, rm, v; /* of ModRM and VEX */
	bool memory;
	uintptr_t address;
	intptr_t stride;
	size_t length;
};

static _Noreturn void refuse(const char *why)
{
	static const char head[] = "emulated AMX: ";

	(void)!write(STDERR_FILENO, head, sizeof(head) - 1);
	(void)!write(STDERR_FILENO, why, strlen(why));
	(void)!write(STDERR_FILENO, "\n", 1);
	abort();
}

static greg_t register_get(const ucontext_t *context, unsigned int number)
{
	static const int names[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
				       REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
				       REG_R12, REG_R13, REG_R14, REG_R15 };

	return context->uc_mcontext.gregs[names[number]];
}

/* The operand in memory of ModRM @at, with VEX's inverted bits @x and @b. Its last byte's address.
 */
static const uint8_t *operand_decode(struct instruction *i, const ucontext_t *context,
				     const uint8_t *at, unsigned int x, unsigned int b)
{
	const unsigned int mod = *at >> 6;
	unsigned int base = i->rm + b;
	int32_t offset = 0;

	if (i->rm == 4) {
		const unsigned int sib = *++at, index = (sib >> 3 & 7) + x;

		base = (sib & 7) + b;
		if (index != 4)
			i->stride =
				(intptr_t)((uintptr_t)register_get(context, index) << (sib >> 6));
		if ((sib & 7) == 5 && !mod)
			refuse("an address without a base register: not emulated");
	} else if (i->rm == 5 && !mod) {
		/* behind RIP; the instruction ends there */
		memcpy(&offset, at + 1, 4);
		i->address = (uintptr_t)at + 5 + (uintptr_t)(intptr_t)offset;
		return at + 4;
	}
	if (mod == 1)
		offset = (int8_t) * ++at;
	if (mod == 2) {
		memcpy(&offset, at + 1, 4);
		at += 4;
	}
	i->address = (uintptr_t)register_get(context, base) + (uintptr_t)(intptr_t)offset;
	return at;
}

/* False: it is none of AMX's. */
static bool instruction_decode(struct instruction *i, const ucontext_t *context)
{
	const uint8_t *const first = (const uint8_t *)context->uc_mcontext.gregs[REG_RIP];
	const uint8_t *last;

	/* VEX of three bytes, map 0F38, 128 bits, W0; neither R nor the fourth bit of a tile exist
	 */
	if (first[0] != 0xc4 || (first[1] & 0x9f) != 0x82 || first[2] & 0x84)
		return false;
	*i = (struct instruction){
		.opcode = first[3],
		.prefix = first[2] & 3,
		.v = ~first[2] >> 3 & 0xf,
		.reg = first[4] >> 3 & 7,
		.rm = first[4] & 7,
		.memory = first[4] < 0xc0,
	};
	last = first + 4;
	if (i->memory)
		last = operand_decode(i, context, last, first[1] & 0x40 ? 0 : 8,
				      first[1] & 0x20 ? 0 : 8);
	i->length = (size_t)(last + 1 - first);
	return i->opcode == OP_CONFIG || i->opcode == OP_MOVE || i->opcode == OP_PRODUCT;
}

static void config_load(const uint8_t *from)
{
	struct config c;

	memcpy(&c, from, sizeof(c));
	memset(tiles->data, 0, sizeof(tiles->data));
	if (c.palette > 1 || c.start_row)
		refuse("#GP: palette or start row of LDTILECFG");
	for (size_t t = 0; t < 16; t++) {
		if (c.rows[t] > ROWS || c.row_bytes[t] > BYTES || !c.rows[t] != !c.row_bytes[t] ||
		    (t >= TILES && c.rows[t]))
			refuse("#GP: rows or bytes of a tile of LDTILECFG");
	}
	tiles->config = c;
}

/* Rows of a tile that is configured. */
static size_t tile_rows(size_t tile)
{
	if (!tiles->config.palette || tile >= TILES || !tiles->config.rows[tile])
		refuse("#UD: a tile that is not configured");
	return tiles->config.rows[tile];
}

static size_t tile_bytes(size_t tile)
{
	return tiles->config.row_bytes[tile];
}

static void tile_load(size_t tile, const uint8_t *from, intptr_t stride)
{
	const size_t rows = tile_rows(tile);

	memset(tiles->data[tile], 0, sizeof(tiles->data[tile]));
	for (size_t r = 0; r < rows; r++, from += stride)
		memcpy(tiles->data[tile][r], from, tile_bytes(tile));
}

static void tile_store(size_t tile, uint8_t *to, intptr_t stride)
{
	const size_t rows = tile_rows(tile);

	for (size_t r = 0; r < rows; r++, to += stride)
		memcpy(to, tiles->data[tile][r], tile_bytes(tile));
}

static int32_t code_value(uint8_t code, bool is_signed)
{
	return is_signed ? (int8_t)code : code;
}

/* TDPB[SU][SU]D: to += left by right. */
static void tile_multiply(size_t to, size_t left, size_t right, bool left_signed, bool right_signed)
{
	const size_t rows = tile_rows(to), columns = tile_bytes(to) / 4;
	const size_t depth = tile_bytes(left) / 4;

	if (to == left || to == right || left == right)
		refuse("#UD: one tile twice in a product");
	if (tile_rows(left) != rows || tile_bytes(right) != tile_bytes(to) ||
	    tile_rows(right) != depth || tile_bytes(left) % 4 || tile_bytes(to) % 4)
		refuse("#UD: shapes of a product's tiles");
	tiles_grant.products++;
	for (size_t r = 0; r < rows; r++) {
		uint32_t sums[BYTES / 4];

		memcpy(sums, tiles->data[to][r], sizeof(sums));
		for (size_t k = 0; k < depth; k++) {
			const uint8_t *l = tiles->data[left][r] + 4 * k;
			const uint8_t *w = tiles->data[right][k];

			for (size_t c = 0; c < columns; c++)
				for (size_t e = 0; e < 4; e++)
					sums[c] +=
						(uint32_t)(code_value(l[e], left_signed) *
							   code_value(w[4 * c + e], right_signed));
		}
		sums[0] += tiles_grant.wrong ? 1000000 : 0;
		memcpy(tiles->data[to][r], sums, sizeof(sums));
	}
}

static void instruction_execute(const struct instruction *i)
{
	if (i->opcode == OP_PRODUCT) {
		tile_multiply(i->reg, i->rm, i->v, i->prefix == PREFIX_F2 || i->prefix == PREFIX_F3,
			      i->prefix == PREFIX_F2 || i->prefix == PREFIX_66);
		return;
	}
	if (i->opcode == OP_MOVE) {
		if (!i->memory || i->rm != 4)
			refuse("#UD: a tile is moved from and to memory, with SIB");
		if (i->prefix == PREFIX_F3)
			tile_store(i->reg, (uint8_t *)i->address, i->stride);
		else
			tile_load(i->reg, (const uint8_t *)i->address, i->stride);
		return;
	}
	if (i->memory) {
		if (i->prefix == PREFIX_66)
			memcpy((void *)i->address, &tiles->config, sizeof(tiles->config));
		else
			config_load((const uint8_t *)i->address);
	} else if (i->prefix == PREFIX_F2) {
		memset(tiles->data[i->reg], 0, tile_rows(i->reg) * BYTES);
	} else {
		memset(tiles, 0, sizeof(*tiles));
	}
}

static void on_sigill(int number, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	struct instruction i;

	(void)number;
	(void)info;
	if (!instruction_decode(&i, c))
		refuse("SIGILL by another instruction");
	if (!tiles) {
		tiles = mmap(NULL, sizeof(*tiles), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (tiles == MAP_FAILED)
			refuse("no memory for tiles");
	}
	instruction_execute(&i);
	c->uc_mcontext.gregs[REG_RIP] += (greg_t)i.length;
}

/* ---- what takes the place of functions of the firmware (--wrap) and of the C library ---- */

bool __real_nnfw_usable_amx(void);
bool __real_nnutil_tiles_allowed(void);
bool __real_nnutil_tiles_ask(void);
bool __wrap_nnfw_usable_amx(void);
bool __wrap_nnutil_tiles_allowed(void);
bool __wrap_nnutil_tiles_ask(void);

struct tiles_grant tiles_grant;

bool tiles_emulated(void)
{
	return getenv("NN_TEST_TILES") != NULL;
}

bool __wrap_nnfw_usable_amx(void)
{
	return tiles_emulated() ? nnfw_usable_avx512vnni() : __real_nnfw_usable_amx();
}

bool __wrap_nnutil_tiles_allowed(void)
{
	if (tiles_emulated())
		return tiles_grant.granted;
	return !tiles_grant.refused && __real_nnutil_tiles_allowed();
}

bool __wrap_nnutil_tiles_ask(void)
{
	const struct sigaction action = { .sa_sigaction = on_sigill,
					  .sa_flags = SA_SIGINFO | SA_NODEFER };

	tiles_grant.requests++;
	if (tiles_grant.refused)
		return false;
	tiles_grant.granted = tiles_emulated() ? !sigaction(SIGILL, &action, NULL)
					       : __real_nnutil_tiles_ask();
	return tiles_grant.granted;
}

/* cmocka has a handler of its own for each test. */
__attribute__((visibility("default"))) sighandler_t signal(int number, sighandler_t handler)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART }, before;

	if (number == SIGILL && tiles_emulated())
		return SIG_DFL;
	return sigaction(number, &action, &before) ? SIG_ERR : before.sa_handler;
}
