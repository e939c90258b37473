/* SPDX-License-Identifier: Apache-2.0 */
/* A parse: what it has between its files. */
#ifndef NNTP_TRACE_RUN_H
#define NNTP_TRACE_RUN_H

#include "trace_source.h"
#include "thread_table.h"

/* Of diagnostics, each counted and shown a limited number of times. */
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

/* A nesting error, which counts when the run turns out to be complete. */
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
	unsigned int loop; /* the application is in: enum nntp_loop */
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
/** One of the contract's messages. */
void diagnose_verbatim(struct parse *p, enum nntp_severity severity, const char *text);
/** How many were not shown. */
void diagnose_rest(struct parse *p);

/**
 * The run is over; what it has goes to the callback. 0, -ENOMEM, or what the callback
 * returned.
 */
int run_end(struct parse *p);
void run_free(struct parse *p);

#define MARK_SHOWN 300 /* characters of a mark in a diagnostic */

struct printed {
	char text[MARK_SHOWN + 1];
};

/** As a diagnostic shows it. */
#define PRINTED(span_at, span_len) \
	nntp_printable((struct printed){ "" }.text, sizeof(struct printed), span_at, span_len)

#endif
