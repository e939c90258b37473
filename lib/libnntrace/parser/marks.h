/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of a begin mark: layer, phase, and the names that overrides use. */
#ifndef NNTP_MARKS_H
#define NNTP_MARKS_H

#include "line.h"
#include "nntrace_parse.h"

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

#endif
