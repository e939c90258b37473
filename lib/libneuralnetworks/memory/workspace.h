/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workspaces: what an execution of a prepared model needs, kept for the next execution. A workspace
 * has a burst object, so that its device remembers memories, and shared memory into which data at
 * an application's pointers is copied (staged). Concurrent executions have different workspaces.
 */
#ifndef NNR_WORKSPACE_H
#define NNR_WORKSPACE_H

#include "memory/memory_object.h"
#include "registry/attributes.h"

/** The workspaces of a prepared model. */
struct nnr_workspaces;
/** The workspaces that one burst of the application keeps. Used by one thread at a time. */
struct nnr_workspace_set;

/**
 * A workspace has one owner at a time, but for the memories that its burst remembers: these are
 * released when the memory object is freed, at any time.
 */
struct nnr_workspace {
	struct nnr_workspace *next; /* in the list of free ones */
	struct nnr_workspace *all_next, **all_pos; /* of all workspaces of the process */
	struct nnr_workspaces *workspaces;
	struct nnr_workspace_set *set; /* that keeps it; NULL: none */
	const struct nnmodel *model; /* the step's */
	struct nnhal_burst *burst; /* NULL: the device has none */
	_Atomic uint64_t used; /* memories that the burst may know: bit (id % 64) */

	/* shared memory for staged data; NULL: not needed yet */
	ANeuralNetworksMemory *arena;
	uint8_t *arena_data;
	uint64_t arena_size;
	bool staged; /* the request refers to the arena */

	/* one per input or output of the model; set by the owner */
	const struct nnr_argument **inputs, **outputs;
	/* results of nnr_workspace_execute(); dims have room for NNR_MAX_RANK */
	struct nnhal_output_shape *shapes;
	struct nnhal_timing timing;

	/* the request that is made of the arguments */
	struct nnhal_request request;
	struct nnhal_request_argument *request_args; /* inputs, then outputs */
	struct nnhal_request_pool *pools;
	const ANeuralNetworksMemory **pool_memories; /* per pool, to find it again */
	int64_t *tokens;
	/* extension attributes of the run, for the device */
	struct nnr_hints hints;
};

/** For a prepared model, which outlives them. NULL: out of memory. */
struct nnr_workspaces *nnr_workspaces_new(struct nnhal_prepared_model *prepared,
					  ANeuralNetworksDevice *device);
void nnr_workspaces_free(struct nnr_workspaces *workspaces);
ANeuralNetworksDevice *nnr_workspaces_device(const struct nnr_workspaces *workspaces);
struct nnhal_prepared_model *nnr_workspaces_prepared(const struct nnr_workspaces *workspaces);

/** Become the owner of a workspace. @set may be NULL. Result code; *@workspace with NO_ERROR. */
int nnr_workspace_take(struct nnr_workspaces *workspaces, struct nnr_workspace_set *set,
		       const struct nnmodel *model, struct nnr_workspace **workspace);
void nnr_workspace_give(struct nnr_workspace *workspace);
/** At least @size bytes in the arena, whose contents are lost. Result code. */
int nnr_workspace_reserve(struct nnr_workspace *workspace, uint64_t size);

/** Empty; workspaces are added as they are needed. NULL: out of memory. */
struct nnr_workspace_set *nnr_workspace_set_new(void);
/** Before the plan is freed. */
void nnr_workspace_set_free(struct nnr_workspace_set *set);

/**
 * Shared memory that @device accesses without copying, or host memory if it has none. Mapped at
 * *@data. Result code.
 */
int nnr_shared_create(ANeuralNetworksDevice *device, uint64_t size, ANeuralNetworksMemory **memory,
		      void **data);

#endif
