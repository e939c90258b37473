// SPDX-License-Identifier: Apache-2.0
/* Tags and names of marks (Documentation/tracing.rst). */
#include <string.h>

#include "nntp.h"

static const char *const layer_codes[NNTP_LAYERS] = {
	[NNTP_LC] = "LC", [NNTP_LD] = "LD", [NNTP_LI] = "LI", [NNTP_LR] = "LR",
	[NNTP_LA] = "LA", [NNTP_LO] = "LO", [NNTP_LU] = "LU", [NNTP_LX] = "LX",
};

static const char *const phase_codes[NNTP_PHASES] = {
	[NNTP_PO] = "PO", [NNTP_PI] = "PI",   [NNTP_PP] = "PP",	  [NNTP_PC] = "PC",
	[NNTP_PE] = "PE", [NNTP_PIO] = "PIO", [NNTP_PTR] = "PTR", [NNTP_PCO] = "PCO",
	[NNTP_PR] = "PR", [NNTP_PT] = "PT",   [NNTP_PWU] = "PWU", [NNTP_PBM] = "PBM",
	[NNTP_PU] = "PU",
};

const char *nntp_layer_code(unsigned int layer)
{
	return layer < NNTP_LAYERS ? layer_codes[layer] : "?";
}

const char *nntp_phase_code(unsigned int phase)
{
	return phase < NNTP_PHASES ? phase_codes[phase] : "?";
}

const char *nntp_loop_code(unsigned int loop)
{
	static const char *const codes[NNTP_LOOPS] = { "PO", "PWU", "PBM" };

	return loop < NNTP_LOOPS ? codes[loop] : "?";
}

/*
 * The index in @codes; for an unknown code a hash of it, which is only compared.
 */
static uint32_t find_code(struct span code, const char *const *codes, uint32_t count)
{
	uint32_t hash = 2166136261u;

	for (uint32_t i = 0; i < count; i++)
		if (span_is(code, codes[i]))
			return i;
	for (size_t i = 0; i < code.len; i++)
		hash = (hash ^ (unsigned char)code.at[i]) * 16777619u;
	return NNTP_UNKNOWN | hash;
}

/* ---- nesting ---- */

#define PHASE(p) (1u << (p))
#define EXECUTION_PARTS (PHASE(NNTP_PIO) | PHASE(NNTP_PTR) | PHASE(NNTP_PCO) | PHASE(NNTP_PR))

static const uint32_t sub_phases[NNTP_PHASES] = {
	[NNTP_PO] = PHASE(NNTP_PWU) | PHASE(NNTP_PBM) | PHASE(NNTP_PI) | PHASE(NNTP_PP) |
		    PHASE(NNTP_PC) | PHASE(NNTP_PE) | PHASE(NNTP_PT),
	[NNTP_PWU] = PHASE(NNTP_PE),
	[NNTP_PBM] = PHASE(NNTP_PE),
	[NNTP_PE] = EXECUTION_PARTS,
};

#define LAYER(l) (1u << (l))

static const uint32_t sub_layers[NNTP_LAYERS] = {
	[NNTP_LA] = LAYER(NNTP_LR),
	[NNTP_LR] = LAYER(NNTP_LI) | LAYER(NNTP_LC),
	[NNTP_LI] = LAYER(NNTP_LD),
};

bool phase_is_execution_part(uint32_t phase)
{
	return phase < NNTP_PHASES && (EXECUTION_PARTS & PHASE(phase));
}

bool phase_is_sub(uint32_t parent, uint32_t child)
{
	return parent < NNTP_PHASES && child < NNTP_PHASES && (sub_phases[parent] & PHASE(child));
}

bool phase_may_contain(uint32_t parent, uint32_t child)
{
	return parent == child || child == NNTP_PI || phase_is_sub(parent, child) ||
	       (phase_is_execution_part(child) && phase_is_sub(parent, NNTP_PE));
}

bool layer_may_contain(uint32_t parent, uint32_t child)
{
	return parent == child || child == NNTP_LU ||
	       (parent < NNTP_LAYERS && child < NNTP_LAYERS && (sub_layers[parent] & LAYER(child)));
}

/* ---- tags ---- */

/* The last "[...]" that something other than ']' follows. */
static bool find_tag(struct span s, struct span *tag)
{
	for (size_t end = s.len; end-- > 1;) {
		size_t start = end;

		if (s.at[end] != ']' || end + 1 == s.len || s.at[end + 1] == ']')
			continue;
		while (start && s.at[start - 1] != '[' && s.at[start - 1] != ']')
			start--;
		if (!start || s.at[start - 1] != '[' || start == end)
			continue;
		*tag = (struct span){ s.at + start, end - start };
		return true;
	}
	return false;
}

/* The "[NN_...]" tag, anywhere in a mark with other brackets. */
static bool find_own_tag(struct span s, struct span *tag)
{
	const char *at = memmem(s.at, s.len, "[NN_", 4), *end;

	if (!at)
		return false;
	at++;
	end = memchr(at, ']', (size_t)(s.at + s.len - at));
	if (!end || end + 1 == s.at + s.len)
		return false;
	*tag = (struct span){ at, (size_t)(end - at) };
	return true;
}

/* "x_layer_phase" */
static bool split_tag(struct span tag, struct span *layer, struct span *phase)
{
	const char *end = tag.at + tag.len, *first = memchr(tag.at, '_', tag.len), *second;

	if (!first)
		return false;
	second = memchr(first + 1, '_', (size_t)(end - first - 1));
	if (!second || memchr(second + 1, '_', (size_t)(end - second - 1)))
		return false;
	*layer = (struct span){ first + 1, (size_t)(second - first - 1) };
	*phase = (struct span){ second + 1, (size_t)(end - second - 1) };
	return true;
}

/* ---- HIDL ---- */

/* A call of a service outside NNAPI, from a thread that uses NNAPI. */
static bool is_foreign_service(struct span s)
{
	static const char *const ours[] = {
		"HIDL::IDevice::",	  "HIDL::IPreparedModel", "HIDL::IExecutionCallback",
		"HIDL::IFencedExecution", "HIDL::IBurst",	  "HIDL::IBuffer",
		"HIDL::IAllocator",
	};

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (span_has(s, ours[i]))
			return false;
	return true;
}

static bool hidl_layer(struct span s, uint32_t *layer)
{
	bool notify = span_has(s, "notify");

	if (span_has(s, "::client"))
		*layer = notify ? NNTP_LX : NNTP_LI;
	else if (span_has(s, "::server"))
		*layer = notify ? NNTP_LX : NNTP_LD;
	else if (span_has(s, "::passthrough"))
		*layer = NNTP_LI;
	else if (span_has(s, "getCapabilities") || span_has(s, "getSupportedOperations"))
		*layer = NNTP_LD;
	else if (!span_has(s, "HIDL"))
		*layer = NNTP_LX;
	else
		return false;
	return true;
}

static uint32_t hidl_phase(struct span s)
{
	if (span_has(s, "IAllocator"))
		return NNTP_PU;
	if (span_has(s, "getCapabilities"))
		return NNTP_PI;
	if (span_has(s, "prepareModel") || span_has(s, "getSupportedOperations") ||
	    span_has(s, "IPreparedModelCallback"))
		return NNTP_PC;
	if (span_has(s, "execute") || span_has(s, "IExecutionCallback"))
		return NNTP_PE;
	return NNTP_PI;
}

/* ---- names ---- */

static struct span cut_at(struct span s, char c)
{
	const char *end = s.len ? memchr(s.at, c, s.len) : NULL;

	if (end)
		s.len = (size_t)(end - s.at);
	return s;
}

static bool starts_with(struct span s, const char *prefix)
{
	return s.len >= strlen(prefix) && !memcmp(s.at, prefix, strlen(prefix));
}

static bool ends_with(struct span s, const char *suffix)
{
	return s.len >= strlen(suffix) &&
	       !memcmp(s.at + s.len - strlen(suffix), suffix, strlen(suffix));
}

static enum mark_name api_name(struct span s)
{
	static const char *const listed[] = {
		"Execution_free",
		"Event_create",
		"Event_free",
		"Execution_setInput",
		"Execution_setOutput",
		"Execution_setInputFromMemory",
		"Execution_setOutputFromMemory",
	};
	static const char prefix[] = "ANeuralNetworks";

	if (!starts_with(s, prefix))
		return NAME_NONE;
	s = (struct span){ s.at + sizeof(prefix) - 1, s.len - (sizeof(prefix) - 1) };
	if (span_is(s, "Execution_startCompute"))
		return NAME_START;
	if (span_is(s, "Execution_startComputeWithDependencies"))
		return NAME_START_FENCED;
	if (span_is(s, "Event_wait"))
		return NAME_WAIT;
	if (span_is(s, "Execution_create"))
		return NAME_CREATE;
	for (size_t i = 0; i < sizeof(listed) / sizeof(listed[0]); i++)
		if (span_is(s, listed[i]))
			return NAME_LISTED;
	return NAME_API;
}

static enum mark_name hidl_name(struct span s)
{
	static const char execute[] = "HIDL::IPreparedModel::execute",
			  notify[] = "HIDL::IExecutionCallback::notify";

	if (span_is(s, "HIDL::IPreparedModel::execute::server"))
		return NAME_EXECUTE;
	if (span_is(s, "HIDL::IExecutionCallback::notify::client"))
		return NAME_NOTIFY;
	if (starts_with(s, notify) && ends_with(s, "::client"))
		return NAME_NOTIFY_LATER;
	if (!starts_with(s, execute) || !ends_with(s, "::server"))
		return NAME_NONE;
	s = (struct span){ s.at + sizeof(execute) - 1, s.len - (sizeof(execute) - 1) };
	return starts_with(s, "Synchronously") || starts_with(s, "Fenced") ? NAME_EXECUTE_SYNC
									   : NAME_EXECUTE_LATER;
}

/* Name of a mark: the text behind the tag, else the third field. */
static enum mark_name name_of(struct span body, bool tagged, struct span tag)
{
	struct span s;

	if (tagged) {
		/* behind the bracket of the tag, of which old marks have two */
		s.at = tag.at + tag.len + 1;
		s.len = (size_t)(body.at + body.len - s.at);
		return api_name(cut_at(cut_at(s, ']'), '|'));
	}
	for (int field = 0; field < 2; field++) {
		const char *bar = memchr(body.at, '|', body.len);

		if (!bar)
			return NAME_NONE;
		body = (struct span){ bar + 1, (size_t)(body.at + body.len - bar - 1) };
	}
	return hidl_name(cut_at(body, '|'));
}

struct span mark_title(struct span body, struct span *tag)
{
	const char *bar = body.len > 2 ? memchr(body.at + 2, '|', body.len - 2) : NULL;
	struct span title = body;

	if (find_own_tag(body, tag)) {
		title.at = tag->at + tag->len + 1;
		title.len = (size_t)(body.at + body.len - title.at);
		return title;
	}
	*tag = (struct span){ body.at, 0 };
	if (bar)
		title = (struct span){ bar + 1, (size_t)(body.at + body.len - bar - 1) };
	return title;
}

uint32_t mark_layer(struct span code)
{
	return find_code(code, layer_codes, NNTP_LAYERS);
}

uint32_t mark_phase(struct span code)
{
	return find_code(code, phase_codes, NNTP_PHASES);
}

bool mark_codes(struct span body, bool strict, struct span *layer, struct span *phase)
{
	struct span tag;

	return (strict ? find_own_tag(body, &tag) : find_tag(body, &tag)) &&
	       split_tag(tag, layer, phase);
}

/* ---- marks ---- */

/* Corrections of marks by old instrumentation. */
static void repair(struct span body, struct mark *m)
{
	if (m->phase == NNTP_PT && (span_has(body, "ANeuralNetworksEvent_free") ||
				    span_has(body, "ANeuralNetworksExecution_free")))
		m->phase = NNTP_PE;
	if (span_has(body, "getSupportedExtensions")) {
		if (m->phase == NNTP_PC)
			m->phase = NNTP_PI;
	} else if (m->is_switch && span_has(body, "[SW][NN_LA_PR]executeWithCompilation")) {
		m->is_switch = false;
	}
}

enum mark_error mark_parse(struct span body, bool driver, bool strict, struct mark *m)
{
	struct span tag, layer, phase;
	bool found;

	*m = (struct mark){ .is_switch = span_has(body, "[SW]"),
			    .subtract = span_has(body, "[SUB]") };
	found = strict ? find_own_tag(body, &tag) : find_tag(body, &tag);
	/* a prefix without a tag, "[SW]name", is a foreign mark */
	if (found && !strict && (span_is(tag, "SW") || span_is(tag, "SUB")))
		return MARK_BAD_TAG;
	if (found) {
		if (!split_tag(tag, &layer, &phase))
			return MARK_BAD_TAG;
		m->tagged = true;
		m->layer = mark_layer(layer);
		m->phase = mark_phase(phase);
		repair(body, m);
	} else {
		if (!hidl_layer(body, &m->layer))
			return MARK_NO_SIDE;
		m->phase = hidl_phase(body);
		if (strict && m->layer != NNTP_LX && is_foreign_service(body))
			m->layer = NNTP_LX;
	}
	m->name = name_of(body, found, tag);
	if (driver && m->layer == NNTP_LC)
		m->layer = NNTP_LD;
	else if (!driver && m->layer == NNTP_LD)
		m->layer = NNTP_LC;
	return MARK_OK;
}
