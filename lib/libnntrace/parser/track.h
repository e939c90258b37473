/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads and their open scopes. The reference keeps a tree of a whole run and makes seven passes
 * over it. Here a scope is settled when it ends, with the same sums: its kind (ignored, moved,
 * detail, where a copy goes, whether its nesting is valid) depends only on the scopes around it,
 * which are open at that time; the time that it takes off its parent depends only on its children,
 * which have ended. No tree is needed.
 */
#ifndef NNTP_TRACK_H
#define NNTP_TRACK_H

#include "marks.h"
#include "override.h"

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

#endif
