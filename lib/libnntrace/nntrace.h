/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trace points of the NNAPI stack: scopes of a thread, written as begin and end marks to ftrace's
 * trace_marker or, where tracefs is not writable, to a file in ftrace's text format.
 *
 *	static int compile(struct compilation *c)
 *	{
 *		NNTRACE_RT(NNTRACE_PHASE_COMPILATION, "ANeuralNetworksCompilation_finish");
 *		...
 *		NNTRACE_FULL_SWITCH(NNTRACE_LAYER_IPC, NNTRACE_PHASE_COMPILATION, "prepareModel");
 *		...
 *	}
 *
 * A mark is a literal, "[NN_<layer>_<phase>]detail": details are literals of at least one character
 * without '[', ']' and '|'. The plain form may appear once in a C scope; it ends with the scope. A
 * switch ends what the plain form or the switch before it began, and needs a plain form earlier in
 * the same C scope. Every form is a declaration: it cannot follow a label directly, and no goto or
 * case may jump over it into its scope.
 *
 * Off, a trace point is a load and a branch. On, it is one write(2): no allocation, no lock between
 * threads. When a write fails, its mark and the marks that depend on it are dropped and counted, so
 * that the written marks nest. errno is preserved.
 *
 * This is a static library: every shared library and program that links it has a copy, with its own
 * descriptor and its own flag. Each copy reads the environment at its first trace point;
 * nntrace_start() and nntrace_stop() affect the caller's copy only.
 *
 * NNTRACE in the environment (ignored in set-user-ID programs), or the target of nntrace_start():
 *	off			nothing is written (the same as no variable)
 *	marker			trace_marker below /sys/kernel/tracing or /sys/kernel/debug/tracing
 *	marker:PATH		that marker file, of an instance for example
 *	file:PATH		text appended to PATH; each %p in it becomes the process id
 *	auto, auto:PATH		marker where it can be opened, else file:PATH (default:
 *				nntrace-%p.txt)
 * NNTRACE_DETAIL=1 adds marks that are costly: each operation of an in-process device; 2 one more
 *for each, with its time and its work (firmware/core/interp.c).
 */
#ifndef NNTRACE_H
#define NNTRACE_H

#include <stddef.h>
#include <stdint.h>

#define NNTRACE_LAYER_APPLICATION "LA"
#define NNTRACE_LAYER_RUNTIME "LR"
#define NNTRACE_LAYER_IPC "LI"
#define NNTRACE_LAYER_DRIVER "LD"
#define NNTRACE_LAYER_CPU "LC"
#define NNTRACE_LAYER_OTHER "LO"
#define NNTRACE_LAYER_UTILITY "LU"

#define NNTRACE_PHASE_OVERALL "PO"
#define NNTRACE_PHASE_WARMUP "PWU"
#define NNTRACE_PHASE_BENCHMARK "PBM"
#define NNTRACE_PHASE_INITIALIZATION "PI"
#define NNTRACE_PHASE_PREPARATION "PP"
#define NNTRACE_PHASE_COMPILATION "PC"
#define NNTRACE_PHASE_EXECUTION "PE"
#define NNTRACE_PHASE_TERMINATION "PT"
#define NNTRACE_PHASE_UNSPECIFIED "PU"
/* Within an execution. */
#define NNTRACE_PHASE_INPUTS_AND_OUTPUTS "PIO"
#define NNTRACE_PHASE_TRANSFORMATION "PTR"
#define NNTRACE_PHASE_COMPUTATION "PCO"
#define NNTRACE_PHASE_RESULTS "PR"

/* The longest mark that nntrace_begin() takes; a longer one is cut. */
#define NNTRACE_MARK_MAX 960

/**
 * nntrace_start() - start writing marks
 * @target: as NNTRACE above
 *
 * Other threads may be in trace points; a mark that is written at the same time may be missing.
 *
 * Return: 0; -EINVAL: malformed @target; -EBUSY: tracing is on; or the errno of opening the file.
 */
int nntrace_start(const char *target);

/** nntrace_stop() - stop writing; open scopes still write their ends */
void nntrace_stop(void);

/**
 * nntrace_mute() - write no scopes of the calling thread
 *
 * For work that no client requested. Calls nest; nntrace_unmute() ends each. Open scopes still end.
 */
void nntrace_mute(void);
void nntrace_unmute(void);
int nntrace_muted(void);

/** nntrace_detail() - whether NNTRACE_DETAIL asks for costly marks: 0, 1 or 2 */
int nntrace_detail(void);

/** nntrace_dropped() - the number of marks that this copy could not write */
uint64_t nntrace_dropped(void);

/*
 * Used by the macros. A scope is a word: the session of tracing that it belongs to and the number
 * of begins that it has written; 0: none. nntrace_begin() may also be called with a mark that is
 * made at run time.
 */
typedef uint64_t nntrace_scope_t;

extern uint32_t nntrace_state __attribute__((visibility("hidden")));

nntrace_scope_t nntrace_begin(const char *mark, size_t len) __attribute__((cold));
nntrace_scope_t nntrace_switch(nntrace_scope_t scope, const char *mark, size_t len)
	__attribute__((cold));
void nntrace_end(nntrace_scope_t scope) __attribute__((cold));

/* Also true until the first nntrace_begin() reads the environment. */
static inline int nntrace_enabled(void)
{
	return (int)__builtin_expect(__atomic_load_n(&nntrace_state, __ATOMIC_RELAXED) != 0, 0);
}

static inline void nntrace_scope_end(const nntrace_scope_t *scope)
{
	if (__builtin_expect(*scope != 0, 0))
		nntrace_end(*scope);
}

#ifdef NNTRACE_COMPATIBILITY

/* A build without trace points. */
#define NNTRACE_NAME_1(name) ((void)0)
#define NNTRACE_NAME_SWITCH(name) ((void)0)
#define NNTRACE_NAME_RAW(name) ((void)0)

#else

/* Nested scopes have variables of the same name: a switch uses the innermost. */
#define NNTRACE_DECLARE(variable, name)                                                        \
	_Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"")          \
		nntrace_scope_t variable __attribute__((cleanup(nntrace_scope_end), unused)) = \
			nntrace_enabled() ? nntrace_begin("" name, sizeof(name) - 1) : 0;      \
	_Pragma("GCC diagnostic pop") _Static_assert(sizeof(name) <= NNTRACE_MARK_MAX,         \
						     "a mark is at most NNTRACE_MARK_MAX long")

#define NNTRACE_PASTE_(a, b) a##b
#define NNTRACE_PASTE(a, b) NNTRACE_PASTE_(a, b)

#define NNTRACE_NAME_1(name) NNTRACE_DECLARE(nntrace_scope_1, name)
#define NNTRACE_NAME_RAW(name) NNTRACE_DECLARE(NNTRACE_PASTE(nntrace_raw_, __COUNTER__), name)
#define NNTRACE_NAME_SWITCH(name)                                                           \
	do {                                                                                \
		_Static_assert(sizeof(name) <= NNTRACE_MARK_MAX,                            \
			       "a mark is at most NNTRACE_MARK_MAX long");                  \
		if (__builtin_expect(nntrace_scope_1 != 0, 0))                              \
			nntrace_scope_1 =                                                   \
				nntrace_switch(nntrace_scope_1, "" name, sizeof(name) - 1); \
	} while (0)

#endif

#define NNTRACE_MARK(prefix, layer, phase, detail) prefix "[NN_" layer "_" phase "]" detail

#define NNTRACE_FULL(layer, phase, detail) NNTRACE_NAME_1(NNTRACE_MARK("", layer, phase, detail))
#define NNTRACE_FULL_SWITCH(layer, phase, detail) \
	NNTRACE_NAME_SWITCH(NNTRACE_MARK("[SW]", layer, phase, detail))
#define NNTRACE_FULL_SUBTRACT(layer, phase, detail) \
	NNTRACE_NAME_1(NNTRACE_MARK("[SUB]", layer, phase, detail))
#define NNTRACE_FULL_RAW(layer, phase, detail) \
	NNTRACE_NAME_RAW(NNTRACE_MARK("", layer, phase, detail))

#define NNTRACE_APP(phase, detail) NNTRACE_FULL(NNTRACE_LAYER_APPLICATION, phase, detail)
#define NNTRACE_APP_SWITCH(phase, detail) \
	NNTRACE_FULL_SWITCH(NNTRACE_LAYER_APPLICATION, phase, detail)
#define NNTRACE_RT(phase, detail) NNTRACE_FULL(NNTRACE_LAYER_RUNTIME, phase, detail)
#define NNTRACE_RT_SWITCH(phase, detail) NNTRACE_FULL_SWITCH(NNTRACE_LAYER_RUNTIME, phase, detail)
#define NNTRACE_CPU(phase, detail) NNTRACE_FULL(NNTRACE_LAYER_CPU, phase, detail)
#define NNTRACE_TRANS(detail) NNTRACE_FULL(NNTRACE_LAYER_CPU, NNTRACE_PHASE_TRANSFORMATION, detail)
#define NNTRACE_COMP(detail) NNTRACE_FULL(NNTRACE_LAYER_CPU, NNTRACE_PHASE_COMPUTATION, detail)
#define NNTRACE_COMP_SWITCH(detail) \
	NNTRACE_FULL_SWITCH(NNTRACE_LAYER_CPU, NNTRACE_PHASE_COMPUTATION, detail)

#endif
