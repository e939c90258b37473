/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading traces: marks of the trace contract become times by layer and phase, for each run.
 *
 * A source is a file, read twice: what a mark means depends on marks anywhere in the trace (which
 * threads are tracked, which processes are drivers). Nothing of the trace is kept but the scopes
 * that are open, the sums of each thread and what the functions below say.
 *
 * Times are ns in nntp_run and ms in nntp_table. One thread at a time uses an object. Functions
 * return 0 or a negative errno unless they say otherwise.
 */
#ifndef NNTRACE_PARSE_H
#define NNTRACE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- codes ---- */

/*
 * From the lowest; the first NNTP_TABLE_LAYERS are in tables. A code that is not known is
 * NNTP_UNKNOWN | hash.
 */
enum nntp_layer {
	NNTP_LC,
	NNTP_LD,
	NNTP_LI,
	NNTP_LR,
	NNTP_LA,
	NNTP_TABLE_LAYERS,
	NNTP_LO = NNTP_TABLE_LAYERS,
	NNTP_LU,
	NNTP_LX,
	NNTP_LAYERS,
};

#define NNTP_LT NNTP_TABLE_LAYERS /* of a table: the maximum over the layers */

enum nntp_phase {
	NNTP_PO,
	NNTP_PI,
	NNTP_PP,
	NNTP_PC,
	NNTP_PE,
	NNTP_PIO,
	NNTP_PTR,
	NNTP_PCO,
	NNTP_PR,
	NNTP_PT,
	NNTP_TABLE_PHASES,
	NNTP_PWU = NNTP_TABLE_PHASES,
	NNTP_PBM,
	NNTP_PU,
	NNTP_PHASES,
};

#define NNTP_UNKNOWN 0x80000000u
#define NNTP_CODE_SIZE 32 /* bytes of a code as text; longer ones are cut */

/* Which of the application's loops a scope was begun in. */
enum nntp_loop { NNTP_IN_NONE, NNTP_IN_WARMUP, NNTP_IN_BENCHMARK, NNTP_LOOPS };

/* "LR", "PIO"; "LT" for NNTP_LT with @total. */
const char *nntp_layer_code(unsigned int layer);
const char *nntp_phase_code(unsigned int phase);
const char *nntp_loop_code(unsigned int loop);

/*
 * Copy @text to @out for display, with control characters as \x00, cut to @size. Returns @out.
 */
const char *nntp_printable(char *out, size_t size, const char *text, size_t len);

/* ---- sources ---- */

struct nntp_source;

/*
 * Open ftrace's text, a systrace page or a trace.dat at @path ("-": standard input, kept in a
 * temporary file because it is read twice). A trace.dat is read by libtracecmd in a process of its
 * own. On failure @message (@size bytes) has the reason.
 */
int nntp_source_open(const char *path, struct nntp_source **source, char *message, size_t size);
/* The same for @len bytes of text, which must outlive the source. */
int nntp_source_memory(const void *text, size_t len, struct nntp_source **source);
void nntp_source_close(struct nntp_source *source);

/* ---- tables ---- */

/* Sums of a thread or a run: ns and how many scopes they are of, by loop, layer and phase. */
struct nntp_cell {
	int64_t ns;
	uint64_t nodes;
};

/* ms by phase and layer; NAN: unknown. [NNTP_LT] is the maximum. */
struct nntp_table {
	double total[NNTP_TABLE_PHASES][NNTP_TABLE_LAYERS + 1];
	double self[NNTP_TABLE_PHASES][NNTP_TABLE_LAYERS + 1];
	uint64_t nodes[NNTP_TABLE_PHASES][NNTP_TABLE_LAYERS];
};

struct nntp_thread_sums {
	int32_t tid, tgid;
	bool driver;
	size_t count;
	const struct nntp_thread_cell {
		uint8_t loop, layer, phase;
		struct nntp_cell cell;
	} * cells; /* before the overrides of LR_PE and LD_PE */
	/* of layers and phases without a table cell, by their codes */
	size_t num_others;
	const struct nntp_thread_other {
		uint8_t loop;
		char layer[NNTP_CODE_SIZE], phase[NNTP_CODE_SIZE];
		struct nntp_cell cell;
	} * others;
};

/* A complete run. */
struct nntp_run {
	unsigned int index; /* among all runs, complete or not */
	const char *title; /* the mark that began it, as it was written; "" */
	size_t title_len;
	bool strict;
	bool has_loops; /* warm-up and benchmark: .loops[] are valid for both */
	uint64_t executions[NNTP_LOOPS];
	uint64_t executions_shown; /* what --per-execution divides by */
	struct nntp_table all, loops[NNTP_LOOPS];
	const struct nntp_thread_sums *threads; /* in the order of their ids */
	size_t num_threads;
};

/* ---- parsing ---- */

enum nntp_severity { NNTP_NOTE, NNTP_WARNING, NNTP_ERROR };

/*
 * @line 0: of the whole trace. @class: a word, "layer-nesting"; "" for messages of the reference,
 * which are shown without a prefix.
 */
struct nntp_diagnostic {
	enum nntp_severity severity;
	uint64_t line;
	const char *class;
	const char *text;
};

/* A scope that has ended. Callbacks come innermost first. */
struct nntp_scope_info {
	int32_t tid, tgid;
	bool driver;
	uint64_t order; /* of the begins: a parent's is smaller than its children's */
	unsigned int depth;
	int64_t begin_ns, end_ns;
	const char *mark;
	size_t mark_len;
	uint32_t layer, phase;
	unsigned int loop;
	/* it contributes @own_ns to its layer and phase; else it is a detail or was moved */
	bool counted;
	int64_t own_ns;
};

/* Any may be NULL, except @run. Strings are valid during the call. */
struct nntp_callbacks {
	void *ctx;
	/* a value other than 0 ends the parsing and is returned */
	int (*run)(void *ctx, const struct nntp_run *run);
	void (*diagnostic)(void *ctx, const struct nntp_diagnostic *d);
	void (*progress)(void *ctx, uint64_t done, uint64_t total); /* bytes */
	void (*scope)(void *ctx, const struct nntp_scope_info *scope);
	void (*run_begins)(void *ctx); /* scopes of the run before are complete */
	/* an event of the kernel whose name begins with "nnaccel_" */
	void (*event)(void *ctx, int64_t ns, int32_t tid, const char *name, size_t name_len,
		      const char *fields, size_t fields_len);
};

struct nntp_result {
	unsigned int runs, complete, incomplete, failed;
	uint64_t lines, marks;
	uint64_t errors, warnings;
	size_t most_open; /* scopes at one time */
};

/*
 * Analyse a trace with the rules of the reference or, with @strict, those of
 * Documentation/tracing.rst. 0, also when runs failed (see @result); -ENOMSG: @source contains no
 * trace; -ENOMEM; -EIO; or the value that @run returned.
 */
int nntp_parse(struct nntp_source *source, bool strict, const struct nntp_callbacks *cb,
	       struct nntp_result *result);

/* ---- outputs ---- */

struct nntp_format {
	bool total_times, per_execution;
};

void nntp_print_table(FILE *out, const struct nntp_run *run, const struct nntp_format *format);
/* One object of the array that --json prints; the brackets and commas are the caller's. */
void nntp_print_json(FILE *out, const struct nntp_run *run, const struct nntp_format *format);
/*
 * run, scope, layer, phase, total_ms, self_ms, nodes; and
 * run, tid, tgid, role, app_phase, layer, phase, sum_ms, nodes.
 */
void nntp_print_tsv(FILE *out, const struct nntp_run *run);
void nntp_print_tsv_threads(FILE *out, const struct nntp_run *run);
/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void nntp_print_json_string(FILE *out, const char *text, size_t len);

/*
 * The details of --print-detail: all scopes of a run. nntp_detail_scope() and nntp_detail_reset()
 * are callbacks with the object as ctx.
 */
struct nntp_detail;
struct nntp_detail *nntp_detail_new(void);
void nntp_detail_free(struct nntp_detail *detail);
void nntp_detail_scope(void *detail, const struct nntp_scope_info *scope);
void nntp_detail_reset(void *detail);
/* -ENOMEM: a call before this one had no memory. */
int nntp_detail_print(struct nntp_detail *detail, FILE *out);

/*
 * Trace event JSON, as ui.perfetto.dev and chrome://tracing read it: a track for each thread, one
 * for each queue of the device, and arrows from the submit to the job on the device and to where
 * its end is known. Times are those of the trace. Open scopes end with the trace; *@dropped ends
 * without a begin are left out. 0, -ENOMSG, -ENOMEM or -EIO.
 */
int nntp_export(struct nntp_source *source, FILE *out,
		void (*progress)(void *ctx, uint64_t done, uint64_t total), void *ctx,
		uint64_t *dropped);

#endif
