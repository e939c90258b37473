// SPDX-License-Identifier: Apache-2.0
/*
 * Loops of one instruction each, in assembly: a compiler would see that nothing uses the results.
 * Their registers hold 0, and no loop waits for its own results.
 */
#include "roofline/nnctl_roofline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nnutil_clock.h"

/* Large enough for the first-level cache to be of no use, small enough for the second. */
#define READ_BYTES (256 << 10)
#define PASS_NS 500000
#define PASSES 8

struct loops {
	const char *isa;
	/* @n rounds of @..._macs multiply-adds */
	void (*int8)(uint64_t n);
	void (*floats)(uint64_t n);
	unsigned int int8_macs, float_macs;
	/* @n lines of 512 bytes from @from */
	void (*read)(const void *from, uint64_t n);
	/* whether this process may use them; NULL: it may */
	bool (*allowed)(void);
};

#if defined(__x86_64__)

#define SIX(insn) insn("0") insn("1") insn("2") insn("3") insn("4") insn("5")
#define EIGHT(insn) SIX(insn) insn("6") insn("7")
#define TWELVE(insn) EIGHT(insn) insn("8") insn("9") insn("10") insn("11")
#define LINES(insn) \
	insn("0") insn("64") insn("128") insn("192") insn("256") insn("320") insn("384") insn("448")
#define CLOBBERS                                                                              \
	"cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
		"xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

/* A loop of twelve accumulators, 0 to 11: of five each instruction would wait for the last one. */
#define LOOP(name, zero, insn, end)                                                    \
	static void name(uint64_t n)                                                   \
	{                                                                              \
		__asm__ volatile(zero "1:\n\t" TWELVE(insn) "dec %0\n\tjnz 1b\n\t" end \
				 : "+r"(n)                                             \
				 :                                                     \
				 : CLOBBERS);                                          \
	}

#define READ(name, insn, end)                                                                    \
	static void name(const void *from, uint64_t n)                                           \
	{                                                                                        \
		__asm__ volatile("1:\n\t" LINES(insn) "add $512, %1\n\tdec %0\n\tjnz 1b\n\t" end \
				 : "+r"(n), "+r"(from)                                           \
				 :                                                               \
				 : "memory", CLOBBERS);                                          \
	}

#define ZERO_SSE(r) "pxor %%xmm" r ", %%xmm" r "\n\t"
#define ZERO_VEX(r) "vpxor %%xmm" r ", %%xmm" r ", %%xmm" r "\n\t"
#define ZEROS_SSE EIGHT(ZERO_SSE) ZERO_SSE("8") ZERO_SSE("9")
#define ZEROS_VEX TWELVE(ZERO_VEX) ZERO_VEX("12") ZERO_VEX("13")

/* Without a set of its own the compiler has SSE2. Its products need a copy, which is not free. */
#define MADD_SSE(r)                                                                               \
	"movdqa %%xmm8, %%xmm1" r "\n\tpmaddwd %%xmm9, %%xmm1" r "\n\tpaddd %%xmm1" r ", %%xmm" r \
	"\n\t"
#define MUL_SSE(r)                                                                              \
	"movaps %%xmm8, %%xmm1" r "\n\tmulps %%xmm9, %%xmm1" r "\n\taddps %%xmm1" r ", %%xmm" r \
	"\n\t"

static void sse_int8(uint64_t n)
{
	__asm__ volatile(ZEROS_SSE "1:\n\t" SIX(MADD_SSE) "dec %0\n\tjnz 1b"
			 : "+r"(n)
			 :
			 : CLOBBERS);
}

static void sse_float(uint64_t n)
{
	__asm__ volatile(ZEROS_SSE "1:\n\t" SIX(MUL_SSE) "dec %0\n\tjnz 1b" : "+r"(n) : : CLOBBERS);
}

#define LOAD_SSE(at)                                                                 \
	"movups " at "(%1), %%xmm0\n\tmovups 16+" at "(%1), %%xmm1\n\tmovups 32+" at \
	"(%1), %%xmm2\n\tmovups 48+" at "(%1), %%xmm3\n\t"
READ(sse_read, LOAD_SSE, "")

/* Exact 8-bit products without VNNI: of 16 bits, which pairs add up to 32. */
#define MADD_AVX2(r) \
	"vpmaddwd %%ymm12, %%ymm13, %%ymm14\n\tvpaddd %%ymm14, %%ymm" r ", %%ymm" r "\n\t"
#define FMA_AVX2(r) "vfmadd231ps %%ymm12, %%ymm13, %%ymm" r "\n\t"
#define LOAD_AVX2(at) "vmovups " at "(%1), %%ymm0\n\tvmovups 32+" at "(%1), %%ymm1\n\t"
LOOP(avx2_int8, ZEROS_VEX, MADD_AVX2, "vzeroupper")
LOOP(avx2_float, ZEROS_VEX, FMA_AVX2, "vzeroupper")
READ(avx2_read, LOAD_AVX2, "vzeroupper")

#define DOT_AVXVNNI(r) "%{vex%} vpdpbusd %%ymm12, %%ymm13, %%ymm" r "\n\t"
LOOP(avxvnni_int8, ZEROS_VEX, DOT_AVXVNNI, "vzeroupper")

#define DOT_AVX512VNNI(r) "vpdpbusd %%zmm12, %%zmm13, %%zmm" r "\n\t"
#define FMA_AVX512(r) "vfmadd231ps %%zmm12, %%zmm13, %%zmm" r "\n\t"
#define LOAD_AVX512(at) "vmovups " at "(%1), %%zmm0\n\t"
LOOP(avx512vnni_int8, ZEROS_VEX, DOT_AVX512VNNI, "vzeroupper")
LOOP(avx512_float, ZEROS_VEX, FMA_AVX512, "vzeroupper")
READ(avx512_read, LOAD_AVX512, "vzeroupper")

/* Tiles of 16 rows of 64 bytes: four accumulators, two operands each way. */
#define ZERO_TILE(r) "tilezero %%tmm" r "\n\t"
#define DOT_AMX                                                                \
	"tdpbssd %%tmm6, %%tmm4, %%tmm0\n\ttdpbssd %%tmm7, %%tmm4, %%tmm1\n\t" \
	"tdpbssd %%tmm6, %%tmm5, %%tmm2\n\ttdpbssd %%tmm7, %%tmm5, %%tmm3\n\t"

static void amx_int8(uint64_t n)
{
	/* palette 1, then bytes of a row and rows of each tile */
	struct {
		uint8_t palette, start_row, reserved[14];
		uint16_t row_bytes[16];
		uint8_t rows[16];
	} __attribute__((packed, aligned(64))) config = { .palette = 1 };

	for (int i = 0; i < 8; i++) {
		config.row_bytes[i] = 64;
		config.rows[i] = 16;
	}
	__asm__ volatile("ldtilecfg %1\n\t" EIGHT(ZERO_TILE) "1:\n\t" DOT_AMX
							     "dec %0\n\tjnz 1b\n\ttilerelease"
			 : "+r"(n)
			 : "m"(config)
			 : "cc");
}

/* The operations may be in another process, and only that process has the permission for tiles. */
static bool amx_allowed(void)
{
	const long request = 0x1023 /* ARCH_REQ_XCOMP_PERM */, tiles = 18;

	return !syscall(SYS_arch_prctl, request, tiles);
}

static const struct loops all[] = {
	{ "scalar", sse_int8, sse_float, 6 * 8, 6 * 4, sse_read, NULL },
	{ "avx2", avx2_int8, avx2_float, 12 * 16, 12 * 8, avx2_read, NULL },
	{ "avxvnni", avxvnni_int8, avx2_float, 12 * 32, 12 * 8, avx2_read, NULL },
	{ "avx512", avx2_int8, avx512_float, 12 * 16, 12 * 16, avx512_read, NULL },
	{ "avx512vnni", avx512vnni_int8, avx512_float, 12 * 64, 12 * 16, avx512_read, NULL },
	{ "amx", amx_int8, avx512_float, 4 * 16 * 16 * 64, 12 * 16, avx512_read, amx_allowed },
};

#else

static const struct loops all[] = { { 0 } };

#endif

/* Rounds in a second, of the fastest pass: other load only makes one slower. */
static double peak_rate(void (*loop)(uint64_t n))
{
	uint64_t n = 64;
	double best = 0;

	for (int pass = 0; pass < PASSES;) {
		const int64_t start = nnutil_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		int64_t ns;

		loop(n);
		ns = nnutil_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
		if (ns < PASS_NS) {
			n *= 2;
			continue;
		}
		best = (double)n / (double)ns > best ? (double)n / (double)ns : best;
		pass++;
	}
	return best * 1e9;
}

static const void *read_from;
static void (*read_loop)(const void *from, uint64_t n);

static void read_all(uint64_t n)
{
	for (; n; n--)
		read_loop(read_from, READ_BYTES / 512);
}

struct peak peak_measure(const char *isa)
{
	struct peak peak = { 0 };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		void *memory;

		if (!all[i].isa || strcmp(all[i].isa, isa) || (all[i].allowed && !all[i].allowed()))
			continue;
		peak.int8_gops = 2e-9 * all[i].int8_macs * peak_rate(all[i].int8);
		peak.float_gops = 2e-9 * all[i].float_macs * peak_rate(all[i].floats);
		memory = calloc(1, READ_BYTES);
		if (!memory)
			continue;
		memset(memory, 1, READ_BYTES);
		read_from = memory;
		read_loop = all[i].read;
		peak.read_gbs = 1e-9 * READ_BYTES * peak_rate(read_all);
		free(memory);
	}
	return peak;
}
