/* SPDX-License-Identifier: Apache-2.0 */
/* Reading traces: lines, sources, tracks, reports. */
#ifndef NNTP_H
#define NNTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nntrace_parse.h"

/* totals.c: from the sums of a run to its tables. */

/* Of all threads, overrides included, ns. */
struct run_sums {
	struct nntp_cell cells[NNTP_LOOPS][NNTP_TABLE_LAYERS][NNTP_TABLE_PHASES];
	uint64_t executions[NNTP_LOOPS];
};

/** Set the tables, executions and has_loops of @run. @run->strict is set before. */
void totals_of(const struct run_sums *sums, struct nntp_run *run);

/**
 * The table that --per-execution divides by executions_shown: the benchmark's where there are
 * loops.
 */
const struct nntp_table *per_execution_table(const struct nntp_run *run);

/*
 * device_jobs.c: the device side of a trace: the driver's tracepoints (nnaccel:*) become a row for
 * each job, with the card's own times on the host's clock.
 *
 * Feed every event of the trace in file order, call finish, then read jobs and clocks. Times are ns
 * of the clock of the trace (CLOCK_BOOTTIME with "nnctl trace record"); an unknown time is
 * NNTRACE_DEVICE_UNKNOWN. Calls on one object must not overlap. Memory grows with the number of
 * jobs and clock readings in the trace.
 */

#define NNTRACE_DEVICE_UNKNOWN INT64_MIN

struct nntrace_device;

struct nntrace_device_job {
	uint32_t device; /* N of /dev/accel/accelN */
	uint64_t client; /* an open file */
	uint32_t queue; /* of the client */
	uint64_t seqno; /* in the queue */
	int32_t tid; /* of the thread that submitted it; -1: not in the trace */
	uint32_t generation; /* of the firmware that ran it */
	uint32_t status; /* enum nnaccel_status */
	int error; /* errno of its fence, 0 or negative */
	/* its end is in the trace; else the fields below that come from the end are unknown */
	int ended;
	/*
	 * When it was accepted, its fences had signalled, it was handed to the card, and its end
	 * was known.
	 */
	int64_t queued_ns, scheduled_ns, started_ns, done_ns;
	/*
	 * When the card began and ended it, on the host's clock, with an error of at most bound_ns.
	 */
	int64_t device_start_ns, device_end_ns, bound_ns;
	/* duration on the card, by the card's clock */
	int64_t device_ns;
	/*
	 * From queued to handed over, and from the end on the card to known.
	 */
	int64_t queueing_ns, interrupt_ns;
};

/* The clock of a card, in one generation of its firmware, from the readings in the trace. */
struct nntrace_device_clock {
	uint32_t device, generation;
	size_t readings;
	int64_t offset_ns; /* host's minus card's at the first good reading */
	/* by which the host's clock is faster; 0 when all readings are at one time */
	double drift_ppm;
	int64_t bound_ns; /* largest error of the mapping, at the readings that it uses */
};

/* NULL: no memory. */
struct nntrace_device *nntrace_device_new(void);
void nntrace_device_free(struct nntrace_device *d);

/*
 * One event: @name without its system ("nnaccel_job_done"), @fields as printed ("device=0 client=3
 * ..."); neither needs a NUL. @tid: the thread in whose context it was traced. 0, also for events
 * that are not used here; -EINVAL: a field is missing or malformed, and the event is left out;
 * -ENOMEM.
 */
int nntrace_device_event(struct nntrace_device *d, int64_t time_ns, int32_t tid, const char *name,
			 size_t name_len, const char *fields, size_t fields_len);

/*
 * All events were fed: map the times. Jobs and clocks are valid from here to nntrace_device_free().
 * 0 or -ENOMEM.
 */
int nntrace_device_finish(struct nntrace_device *d);

/* In the order in which they were queued. */
const struct nntrace_device_job *nntrace_device_jobs(const struct nntrace_device *d, size_t *count);
const struct nntrace_device_clock *nntrace_device_clocks(const struct nntrace_device *d,
							 size_t *count);
/* Resets of cards in the trace. */
size_t nntrace_device_resets(const struct nntrace_device *d);

/* line.c: the fields of a line of ftrace's text. */

struct span {
	const char *at;
	size_t len;
};

enum line_kind {
	LINE_OTHER, /* neither a mark nor an event of the driver */
	LINE_MARK, /* a mark, written to trace_marker: @body */
	LINE_EVENT, /* a tracepoint "nnaccel_...": @name, @body */
	LINE_BAD, /* contains a mark, or text like one, and is malformed */
};

struct line {
	struct span comm, name, body;
	int32_t tid;
	int32_t tgid; /* TGID_NONE: no such column; TGID_DASHES: "-----" in it */
	int64_t ns;
};

#define TGID_NONE (-1)
#define TGID_DASHES (-2)

/**
 * @text has no newline. Fields of @line point into it and are valid for LINE_MARK and LINE_EVENT.
 */
enum line_kind line_parse(struct span text, struct line *line);

/**
 * The process id of "B|123|..." or "E|123"; -1: there is none.
 */
int32_t line_mark_pid(struct span body);

/** Whether @text contains @word. */
bool span_has(struct span text, const char *word);
bool span_is(struct span text, const char *word);

/**
 * Parse @text, "12.345678" with up to nine digits of fraction, to ns. False: it is not a time.
 */
bool parse_seconds(struct span text, int64_t *ns);

/* marks.c: the meaning of a begin mark: layer, phase, and the names that overrides use. */

/* Names that totals depend on. */
enum mark_name {
	NAME_NONE,
	NAME_START, /* ANeuralNetworksExecution_startCompute */
	NAME_START_FENCED, /* ..._startComputeWithDependencies */
	NAME_WAIT, /* ANeuralNetworksEvent_wait */
	NAME_CREATE, /* ANeuralNetworksExecution_create: counts executions, and as NAME_LISTED */
	NAME_LISTED, /* other functions whose duration is execution time */
	NAME_API, /* another ANeuralNetworks... function */
	NAME_EXECUTE, /* HIDL::IPreparedModel::execute::server */
	NAME_EXECUTE_LATER, /* asynchronous forms of later versions */
	NAME_EXECUTE_SYNC, /* synchronous and fenced forms */
	NAME_NOTIFY, /* HIDL::IExecutionCallback::notify::client */
	NAME_NOTIFY_LATER,
};

enum mark_error {
	MARK_OK,
	MARK_BAD_TAG, /* the tag does not have three parts */
	MARK_NO_SIDE, /* HIDL without ::client, ::server, ::passthrough */
};

struct mark {
	uint32_t layer, phase;
	enum mark_name name;
	bool is_switch, subtract;
	bool tagged; /* has an NN tag; else it is translated from another mark */
};

/**
 * @body: "B|pid|...". @driver: the thread belongs to a driver process. With @strict, foreign marks
 * are ignored.
 */
enum mark_error mark_parse(struct span body, bool driver, bool strict, struct mark *mark);

/** The codes of a mark's tag, as text. False: it has no tag. */
bool mark_codes(struct span body, bool strict, struct span *layer, struct span *phase);
/** Number of a code: an enum's, or NNTP_UNKNOWN plus a value that can only be compared. */
uint32_t mark_layer(struct span code);
uint32_t mark_phase(struct span code);

/**
 * The text of a mark for display: behind the tag, or the third field. *@tag: its tag, or empty.
 */
struct span mark_title(struct span body, struct span *tag);

bool phase_is_sub(uint32_t parent, uint32_t child);
bool phase_is_execution_part(uint32_t phase);
/** Whether a scope of the parent may directly contain the child. */
bool phase_may_contain(uint32_t parent, uint32_t child);
bool layer_may_contain(uint32_t parent, uint32_t child);

/*
 * override.c: execution times that are not sums of scopes: of the runtime, from the start of a
 * computation to the end of the wait for it; of the driver, from the request to the callback.
 */

/* A queue, first in, first out. */
struct time_queue {
	int64_t *times;
	size_t first, count, max;
};

/* Of a thread, by loop. */
struct loop_overrides {
	int64_t sum; /* of pairs and of the listed functions (NAME_LISTED) */
	uint64_t starts, waits;
	/*
	 * compat: ends of waits that have no start yet; strict: starts without a wait, each with
	 * the duration of its call
	 */
	struct time_queue unpaired;
	bool any;
};

struct thread_overrides {
	struct loop_overrides loop[NNTP_LOOPS];
};

/* Of a run, by loop. */
struct driver_overrides {
	struct loop_driver {
		int64_t sum;
		uint64_t executes, notifies;
		struct time_queue open; /* strict: requests without a callback yet */
		bool any;
	} loop[NNTP_LOOPS];
};

void overrides_free(struct thread_overrides *o);
void driver_overrides_free(struct driver_overrides *d);

/**
 * A scope with a name has ended. @in_api: it is within a function that counts. 0 or -ENOMEM.
 */
int override_api(struct thread_overrides *o, enum mark_name name, unsigned int loop, int64_t begin,
		 int64_t end, bool in_api, bool strict);
/**
 * A scope with a name of the driver, which began at @ns. Called when it ends, strict when it
 * begins. 0 or -ENOMEM.
 */
int override_driver(struct driver_overrides *d, enum mark_name name, unsigned int loop, int64_t ns,
		    bool strict);
/** strict: a scope of the driver that is a whole execution. */
void override_driver_sync(struct driver_overrides *d, unsigned int loop, int64_t ns);

/**
 * At the end of a run: the number of starts without a wait; strict: with the durations of their
 * calls in @sum.
 */
uint64_t override_unpaired(const struct loop_overrides *o, bool strict, int64_t *sum);

/*
 * track.c: threads and their open scopes. The reference keeps a tree of a whole run and makes seven
 * passes over it. Here a scope is settled when it ends, with the same sums: its kind (ignored,
 * moved, detail, where a copy goes, whether its nesting is valid) depends only on the scopes around
 * it, which are open at that time; the time that it takes off its parent depends only on its
 * children, which have ended. No tree is needed.
 */

#define MAX_DEPTH 4096
#define MAX_OTHERS 256 /* per thread; further codes are summed in the last one, "?" */

#define PARENT_NONE (-1) /* top level */

struct scope {
	int64_t begin;
	int64_t moved; /* the part of its time that counts elsewhere */
	uint64_t line, order;
	uint32_t layer, phase;
	int32_t parent; /* on the stack, past ignored scopes; PARENT_NONE */
	uint32_t text, text_len;
	uint8_t loop, name;
	/* bit mask of the layers with a scope of phase PE here or around here */
	uint8_t pe_layers;
	bool dummy; /* ends with the scope that a switch began */
	bool ignored; /* LX */
	bool flagged; /* its time was moved; its copy contributes instead */
	bool detail; /* of the layer of its parent, whose time includes it */
	bool copy_counts; /* of a flagged scope: its copy is not a detail */
	bool copy_in_pe; /* and there a scope of its layer has phase PE */
	bool opened_loop;
	bool in_api; /* within a function of the API that has been counted */
};

#define CELL_LAYERS (NNTP_LU + 1) /* with LO and LU */
#define CELL_PHASES (NNTP_PBM + 1)
#define CELL_KEYS (NNTP_LOOPS * CELL_LAYERS * CELL_PHASES)

/* The data of a thread in a run. */
struct tracker {
	struct scope *stack;
	uint32_t depth, max_depth;
	char *text; /* of the marks of the stack */
	uint32_t text_len, max_text;
	uint8_t slot[CELL_KEYS]; /* 1 + its place in cells, 0: none */
	struct nntp_thread_cell *cells;
	uint32_t num_cells, max_cells;
	struct nntp_thread_other *others; /* of unknown layer and phase codes */
	struct other_key {
		uint32_t layer, phase;
	} * other_keys;
	uint32_t num_others, max_others;
	uint64_t creates[NNTP_LOOPS], application_executions[NNTP_LOOPS];
	struct thread_overrides over;
};

struct thread {
	int32_t tid;
	int32_t seen_tgid; /* of its last line; -1 */
	int32_t tgid; /* of the process, since the tracker was made */
	bool tracked, driver;
	unsigned int run; /* that the tracker is of, + 1 */
	int64_t last_ns; /* of its last mark */
	bool has_last;
	uint64_t carried; /* strict: scopes that were open when a run was cut off */
	struct tracker *tracker;
	struct open_scopes *open; /* of an export */
	struct thread *next; /* of its bucket */
};

enum nesting { NEST_OK, NEST_PHASE, NEST_LAYER, NEST_NO_PHASE };

/** Room for one more scope; -ENOMEM, -E2BIG for MAX_DEPTH. */
int tracker_reserve(struct tracker *t, size_t mark_len);
void tracker_free(struct tracker *t);

/** A dummy below the scope that a switch begins. */
void tracker_push_dummy(struct tracker *t, int64_t ns, uint64_t line);
/**
 * *@outer: the scope that a nesting error is about, NULL for the top level. tracker_reserve() came
 * before.
 */
enum nesting tracker_push(struct tracker *t, const struct mark *mark, struct span body, int64_t ns,
			  uint64_t line, uint64_t order, unsigned int loop, bool strict,
			  const struct scope **outer);
/**
 * The innermost scope has ended; it is in *@ended, its text in the tracker until the next push.
 * What it contributes to its layer and phase is in *@own when *@counted. The stack must not be
 * empty. 0 or -ENOMEM.
 */
int tracker_pop(struct tracker *t, int64_t ns, bool strict, struct scope *ended, bool *counted,
		int64_t *own);

/** -ENOMEM. A layer and a phase that have a number of their own. */
int tracker_add(struct tracker *t, unsigned int loop, uint32_t layer, uint32_t phase, int64_t ns);
const struct nntp_cell *tracker_cell(const struct tracker *t, unsigned int loop, uint32_t layer,
				     uint32_t phase);

/* thread_table.c: the threads of a trace and their processes. */

struct threads {
	struct thread **buckets; /* a power of two of them */
	size_t num_buckets, count;
	int32_t *drivers; /* ids of driver processes, a hash table; -1: free */
	size_t num_driver_places, num_drivers;
};

/** The thread @tid, created at its first use. NULL: no memory. */
struct thread *threads_get(struct threads *t, int32_t tid);
/** 0 or -ENOMEM. */
int threads_add_driver(struct threads *t, int32_t tgid);
bool threads_is_driver(const struct threads *t, int32_t tgid);
/** Call before the second reading of the trace. */
void threads_forget_tgids(struct threads *t);
void threads_free(struct threads *t);

/**
 * The process of a mark: from the TGID column, from the mark, or from the last line of the thread.
 * -1: unknown.
 */
int32_t thread_tgid(struct thread *thread, const struct line *line);

/* trace_source.c: the lines of a trace, which can be read any number of times. */

/** Go to the first line behind the header, if there is one. 0 or -EIO, -ENOMEM. */
int source_rewind(struct nntp_source *s);
/** The next line, without its newline; valid until the next call. 1; 0 at the end; -EIO. */
int source_next(struct nntp_source *s, struct span *line, uint64_t *number);
/** Valid after source_rewind(). */
bool source_has_header(const struct nntp_source *s);
/** Bytes read since source_rewind(), and in all. */
uint64_t source_position(const struct nntp_source *s);
uint64_t source_size(const struct nntp_source *s);

/* chrome.c: trace event JSON, an event at a time. */

struct chrome {
	FILE *out;
	uint64_t events;
};

/**
 * Write "{ph, pid, tid, ts". The caller adds fields, each with a comma before it, and chrome_end().
 */
void chrome_begin(struct chrome *c, char ph, int32_t pid, int32_t tid, int64_t ns);
void chrome_end(struct chrome *c);
/** Name a process (@tid -1) or a thread. */
void chrome_name(struct chrome *c, int32_t pid, int32_t tid, const char *name, size_t len);

/* Process ids for cards, above those of processes: PID_MAX_LIMIT is 2^22. */
#define CHROME_CARD_PID(device) (4194305 + (int32_t)((device)&0xffff))

/**
 * Write the jobs of @d: their way through the driver, on the card, and arrows to and from
 * the thread that submitted them. @process_of: which process a thread is of.
 */
void chrome_jobs(struct chrome *c, const struct nntrace_device *d,
		 int32_t (*process_of)(void *ctx, int32_t tid), void *ctx);

/* dat.c: trace.dat, the file of trace-cmd. */

/**
 * Write the events of the trace.dat at @path as text to @out. 0, or a negative errno with the
 * reason in @message.
 */
int dat_to_text(const char *path, FILE *out, char *message, size_t size);

/* device_report.c: the jobs of a trace as text and as JSON. */

/*
 * Print a report: sums and medians of all jobs, the clocks with their bounds and, with @each, a
 * line per job. As JSON: one object { "clocks": [...], "jobs": [...], "resets": n }; unknown times
 * are null.
 */
void nntrace_device_print(const struct nntrace_device *d, FILE *out, int each);
void nntrace_device_print_json(const struct nntrace_device *d, FILE *out);

/* trace_run.c: the state of a parse, the end of a run, diagnostics. */

/* Classes of diagnostics. Each is counted, and shown a limited number of times. */
enum diagnostic_class {
	DIAG_LINE,
	DIAG_TAG,
	DIAG_SIDE,
	DIAG_END,
	DIAG_LAYER,
	DIAG_PHASE,
	DIAG_NO_PHASE,
	DIAG_DEPTH,
	DIAG_OPEN,
	DIAG_STARTS,
	DIAG_CALLBACKS,
	DIAG_ORDER,
	DIAG_LOOPS,
	DIAG_CLASSES,
};

/* A nesting error. It counts only if the run is complete. */
struct pending {
	enum diagnostic_class class;
	uint64_t line;
	char *text;
};

#define MAX_PENDING 16

struct parse {
	struct nntp_source *source;
	const struct nntp_callbacks *cb;
	struct nntp_result *result;
	bool strict;
	struct threads threads;
	bool has_runtime;

	/* the run */
	unsigned int run; /* its index */
	bool began; /* its LA_PO was seen */
	bool failed;
	char *title;
	size_t title_len;
	struct thread **active; /* threads with a tracker of this run */
	size_t num_active, max_active;
	unsigned int loop; /* of the application: enum nntp_loop */
	uint32_t open_loops[NNTP_LOOPS]; /* strict */
	struct driver_overrides driver;
	struct pending pending[MAX_PENDING];
	unsigned int num_pending;
	uint64_t order;
	size_t open; /* scopes now */
	uint64_t shown[DIAG_CLASSES]; /* diagnostics of the whole trace */
};

void diagnose(struct parse *p, enum nntp_severity severity, enum diagnostic_class class,
	      uint64_t line, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/** A message of the reference, word by word. */
void diagnose_verbatim(struct parse *p, enum nntp_severity severity, const char *text);
/** Tell how many diagnostics were not shown. */
void diagnose_rest(struct parse *p);

/**
 * The run has ended: pass its results to the callback. 0, -ENOMEM, or the value of the callback.
 */
int run_end(struct parse *p);
void run_free(struct parse *p);

#define MARK_SHOWN 300 /* characters of a mark in a diagnostic */

struct printed {
	char text[MARK_SHOWN + 1];
};

/** Text as diagnostics show it. */
#define PRINTED(span_at, span_len) \
	nntp_printable((struct printed){ "" }.text, sizeof(struct printed), span_at, span_len)

#endif
