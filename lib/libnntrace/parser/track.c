// SPDX-License-Identifier: Apache-2.0
/* Scopes of a thread, settled one at a time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nntp.h"

/* ---- sums ---- */

static unsigned int key_of(unsigned int loop, uint32_t layer, uint32_t phase)
{
	return (loop * CELL_LAYERS + layer) * CELL_PHASES + phase;
}

_Static_assert(CELL_KEYS < 256, "a place in the cells fits a byte");

int tracker_add(struct tracker *t, unsigned int loop, uint32_t layer, uint32_t phase, int64_t ns)
{
	uint8_t *slot;

	slot = &t->slot[key_of(loop, layer, phase)];
	if (!*slot) {
		if (t->num_cells == t->max_cells) {
			uint32_t want = t->max_cells ? t->max_cells * 2 : 8;
			struct nntp_thread_cell *cells =
				reallocarray(t->cells, want, sizeof(*cells));

			if (!cells)
				return -ENOMEM;
			t->cells = cells;
			t->max_cells = want;
		}
		t->cells[t->num_cells] = (struct nntp_thread_cell){
			(uint8_t)loop, (uint8_t)layer, (uint8_t)phase, { 0, 0 }
		};
		*slot = (uint8_t)++t->num_cells;
	}
	t->cells[*slot - 1].cell.ns += ns;
	t->cells[*slot - 1].cell.nodes++;
	return 0;
}

const struct nntp_cell *tracker_cell(const struct tracker *t, unsigned int loop, uint32_t layer,
				     uint32_t phase)
{
	static const struct nntp_cell none;
	uint8_t slot = t->slot[key_of(loop, layer, phase)];

	return slot ? &t->cells[slot - 1].cell : &none;
}

void tracker_free(struct tracker *t)
{
	if (!t)
		return;
	overrides_free(&t->over);
	free(t->stack);
	free(t->text);
	free(t->cells);
	free(t->others);
	free(t->other_keys);
	free(t);
}

/* ---- begins ---- */

int tracker_reserve(struct tracker *t, size_t mark_len)
{
	if (t->depth + 2 > MAX_DEPTH)
		return -E2BIG;
	if (t->depth + 2 > t->max_depth) {
		uint32_t want = t->max_depth ? t->max_depth * 2 : 4;
		struct scope *stack = reallocarray(t->stack, want, sizeof(*stack));

		if (!stack)
			return -ENOMEM;
		t->stack = stack;
		t->max_depth = want;
	}
	/* at most MAX_DEPTH times the longest line: below 2^32 */
	if (t->text_len + mark_len > t->max_text) {
		uint32_t want = (uint32_t)(t->text_len + mark_len) * 2;
		char *text = realloc(t->text, want);

		if (!text)
			return -ENOMEM;
		t->text = text;
		t->max_text = want;
	}
	return 0;
}

/* The parent of the next scope, past ignored ones. */
static int32_t next_parent(const struct tracker *t)
{
	const struct scope *top;

	if (!t->depth)
		return PARENT_NONE;
	top = &t->stack[t->depth - 1];
	return top->ignored || top->dummy ? top->parent : (int32_t)t->depth - 1;
}

void tracker_push_dummy(struct tracker *t, int64_t ns, uint64_t line)
{
	int32_t parent = next_parent(t);

	t->stack[t->depth++] = (struct scope){
		.begin = ns, .line = line, .parent = parent, .dummy = true, .text = t->text_len
	};
}

static const struct scope *scope_at(const struct tracker *t, int32_t index)
{
	return index == PARENT_NONE ? NULL : &t->stack[index];
}

static bool is_detail(const struct scope *parent, uint32_t layer, uint32_t phase)
{
	return parent && parent->layer == layer && !phase_is_sub(parent->phase, phase) &&
	       !(phase == NNTP_PI && parent->phase != NNTP_PI);
}

static bool in_pe(const struct scope *parent, uint32_t layer)
{
	return parent && layer < NNTP_LX && (parent->pe_layers & (1u << layer));
}

static enum nesting track_check(const struct scope *parent, uint32_t layer, uint32_t phase)
{
	if (!parent)
		return NEST_OK;
	if (!phase_may_contain(parent->phase, phase))
		return NEST_PHASE;
	return layer_may_contain(parent->layer, layer) ? NEST_OK : NEST_LAYER;
}

/* The application has not marked its phase. */
static bool in_wrong_phase(const struct scope *parent, const struct scope *s)
{
	return parent && parent->layer == NNTP_LA && (s->layer == NNTP_LR || s->layer == NNTP_LI) &&
	       parent->phase != s->phase && parent->phase != NNTP_PO && s->phase != NNTP_PE &&
	       !phase_is_execution_part(s->phase);
}

/* The layer to which the time of @s is moved, if any. */
static bool find_target(const struct tracker *t, const struct scope *s, bool subtract,
			int32_t *target)
{
	const struct scope *parent = scope_at(t, s->parent);
	int32_t at = s->parent;

	if (subtract) {
		while (at != PARENT_NONE && (t->stack[at].layer != s->layer || t->stack[at].detail))
			at = t->stack[at].parent;
	} else if (s->phase == NNTP_PI && !(parent && parent->phase == NNTP_PI)) {
		at = PARENT_NONE;
	} else if (in_wrong_phase(parent, s)) {
		at = parent->parent;
	} else {
		return false;
	}
	*target = at == PARENT_NONE ? at : t->stack[at].parent;
	return true;
}

enum nesting tracker_push(struct tracker *t, const struct mark *mark, struct span body, int64_t ns,
			  uint64_t line, uint64_t order, unsigned int loop, bool strict,
			  const struct scope **outer)
{
	struct scope *s = &t->stack[t->depth];
	const struct scope *parent, *around;
	enum nesting ret = NEST_OK;
	int32_t target;

	*s = (struct scope){ .begin = ns,
			     .line = line,
			     .order = order,
			     .layer = mark->layer,
			     .phase = mark->phase,
			     .parent = next_parent(t),
			     .text = t->text_len,
			     .text_len = (uint32_t)body.len,
			     .loop = (uint8_t)loop,
			     .name = (uint8_t)mark->name };
	memcpy(t->text + t->text_len, body.at, body.len);
	t->text_len += (uint32_t)body.len;
	t->depth++;
	parent = scope_at(t, s->parent);
	*outer = parent;
	s->in_api = parent && (parent->in_api || parent->name == NAME_API ||
			       parent->name == NAME_LISTED || parent->name == NAME_CREATE);
	if (mark->layer == NNTP_LX) {
		s->ignored = true;
		return NEST_OK;
	}
	if (s->phase == NNTP_PU) {
		if (parent)
			s->phase = parent->phase;
		else if (!strict)
			return NEST_NO_PHASE;
		else {
			s->phase = NNTP_PI;
			ret = NEST_NO_PHASE;
		}
	}
	if (s->name == NAME_API && s->phase != NNTP_PE && !phase_is_execution_part(s->phase))
		s->name = NAME_NONE;
	s->flagged = mark->subtract || find_target(t, s, false, &target);
	if (s->flagged) {
		find_target(t, s, mark->subtract, &target);
		around = scope_at(t, target);
		s->copy_counts = !is_detail(around, s->layer, s->phase);
		s->copy_in_pe = in_pe(around, s->layer);
		if (track_check(around, s->layer, s->phase) != NEST_OK) {
			*outer = around;
			return track_check(around, s->layer, s->phase);
		}
	} else {
		s->detail = is_detail(parent, s->layer, s->phase);
		if (track_check(parent, s->layer, s->phase) != NEST_OK)
			return track_check(parent, s->layer, s->phase);
	}
	s->pe_layers = parent ? parent->pe_layers : 0;
	if (s->phase == NNTP_PE && s->layer < NNTP_LX)
		s->pe_layers |= (uint8_t)(1u << s->layer);
	return ret;
}

/* ---- ends ---- */

static bool is_overall(uint32_t phase)
{
	return phase == NNTP_PO || phase == NNTP_PWU || phase == NNTP_PBM;
}

/*
 * strict: time that counts in another phase is subtracted from every scope around it, of any layer,
 * but those of whole cases and loops; time of a [SUB] scope from those between it and its own
 * layer. True: the scope of its own layer includes the time already.
 */
static bool move_strictly(struct tracker *t, const struct scope *s, int64_t ns)
{
	bool in_own = false, included = false;

	for (int32_t at = s->parent; at != PARENT_NONE; at = t->stack[at].parent) {
		struct scope *a = &t->stack[at];
		bool same = a->phase == s->phase ||
			    (a->phase == NNTP_PE && phase_is_execution_part(s->phase));

		if (is_overall(a->phase))
			continue;
		if (!same) {
			a->moved += ns;
		} else if (!in_own && a->layer == s->layer) {
			in_own = true;
			included = a->phase == s->phase && !a->detail;
			/* an outer scope, of which this is a detail, has the time */
			if (a->detail)
				in_own = false;
		} else if (!in_own) {
			a->moved += ns;
		}
	}
	return included;
}

/*
 * The text of a code of @s: from its own mark or, for an inherited phase, from a mark around it.
 */
static void write_code(char out[NNTP_CODE_SIZE], const struct tracker *t, const struct scope *s,
		       bool phase, bool strict)
{
	uint32_t code = phase ? s->phase : s->layer;
	struct span texts[2];

	if (!(code & NNTP_UNKNOWN)) {
		strcpy(out, phase ? nntp_phase_code(code) : nntp_layer_code(code));
		return;
	}
	for (;; s = &t->stack[s->parent]) {
		if (mark_codes((struct span){ t->text + s->text, s->text_len }, strict, &texts[0],
			       &texts[1]) &&
		    (phase ? mark_phase(texts[1]) : mark_layer(texts[0])) == code) {
			nntp_printable(out, NNTP_CODE_SIZE, texts[phase].at, texts[phase].len);
			return;
		}
		if (s->parent == PARENT_NONE)
			break;
	}
	strcpy(out, "?");
}

/* The row of @s with @phase, its own or PE. */
static struct nntp_thread_other *other_of(struct tracker *t, const struct scope *s, uint32_t phase,
					  bool strict)
{
	struct nntp_thread_other *o;
	uint32_t i;

	for (i = 0; i < t->num_others; i++)
		if (t->others[i].loop == s->loop && t->other_keys[i].layer == s->layer &&
		    t->other_keys[i].phase == phase)
			return &t->others[i];
	if (i == MAX_OTHERS)
		return &t->others[i - 1];
	if (i == t->max_others) {
		uint32_t want = i ? i * 2 : 4;
		struct other_key *keys;

		o = reallocarray(t->others, want, sizeof(*o));
		if (!o)
			return NULL;
		t->others = o;
		keys = reallocarray(t->other_keys, want, sizeof(*keys));
		if (!keys)
			return NULL;
		t->other_keys = keys;
		t->max_others = want;
	}
	o = &t->others[t->num_others++];
	*o = (struct nntp_thread_other){ .loop = s->loop, .layer = "?", .phase = "?" };
	t->other_keys[i] = (struct other_key){ s->layer, phase };
	if (i < MAX_OTHERS - 1) {
		write_code(o->layer, t, s, false, strict);
		if (phase == s->phase)
			write_code(o->phase, t, s, true, strict);
		else
			strcpy(o->phase, nntp_phase_code(phase));
	}
	return o;
}

static int track_add(struct tracker *t, const struct scope *s, uint32_t phase, int64_t ns,
		     bool strict)
{
	struct nntp_thread_other *o;

	if (s->layer < CELL_LAYERS && phase < CELL_PHASES)
		return tracker_add(t, s->loop, s->layer, phase, ns);
	o = other_of(t, s, phase, strict);
	if (!o)
		return -ENOMEM;
	o->cell.ns += ns;
	o->cell.nodes++;
	return 0;
}

/* Layers without a bit in pe_layers. */
static bool unknown_in_pe(const struct tracker *t, const struct scope *s)
{
	for (int32_t at = s->parent; at != PARENT_NONE; at = t->stack[at].parent)
		if (t->stack[at].layer == s->layer && t->stack[at].phase == NNTP_PE)
			return true;
	return false;
}

static int track_count(struct tracker *t, const struct scope *s, int64_t ns, bool inside_pe,
		       bool strict)
{
	int ret = track_add(t, s, s->phase, ns, strict);

	if (!ret && phase_is_execution_part(s->phase) && !inside_pe &&
	    !((s->layer & NNTP_UNKNOWN) && unknown_in_pe(t, s)))
		ret = track_add(t, s, NNTP_PE, ns, strict);
	return ret;
}

int tracker_pop(struct tracker *t, int64_t ns, bool strict, struct scope *ended, bool *counted,
		int64_t *own)
{
	struct scope *s = &t->stack[--t->depth], *parent;
	int64_t len = ns - s->begin;
	bool included;

	*ended = *s;
	*counted = false;
	*own = 0;
	t->text_len = s->text;
	if (s->dummy || s->ignored)
		return 0;
	parent = s->parent == PARENT_NONE ? NULL : &t->stack[s->parent];
	if (s->flagged && strict) {
		included = move_strictly(t, s, len);
		*own = len - s->moved;
		*counted = !included;
		return included ? 0 : track_count(t, s, *own, in_pe(parent, s->layer), strict);
	}
	if (s->flagged) {
		if (parent)
			parent->moved += len;
		*own = len;
		*counted = s->copy_counts;
		return s->copy_counts ? track_count(t, s, len, s->copy_in_pe, strict) : 0;
	}
	if (s->detail) {
		if (!strict)
			parent->moved += s->moved;
		return 0;
	}
	*own = len - s->moved;
	*counted = true;
	return track_count(t, s, *own, in_pe(parent, s->layer), strict);
}
