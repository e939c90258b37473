/* SPDX-License-Identifier: Apache-2.0 */
/* Compilations: costs, partitioning, preparation, cache files, memory roles, the report. */
#ifndef NNR_PLAN_H
#define NNR_PLAN_H

#include <pthread.h>

#include "base/nnr_base.h"
#include "memory/nnr_memory.h"
#include "model/nnr_model.h"
#include "registry/nnr_registry.h"

/* step.c: plans: which device runs what of a model. */

/** A sub-model on a device. Constant once the plan is built, but for members with a lock. */
struct nnr_step {
	ANeuralNetworksDevice *device;
	struct nnmodel *model; /* what was prepared */
	bool owns_model; /* else it is the plan's whole model */
	struct nnhal_prepared_model *prepared;
	uint32_t subgraph, *operations; /* of that graph, ascending; none: the whole model */
	uint32_t num_operations;
	uint32_t num_inputs, num_outputs;
	uint32_t *inputs, *outputs; /* operand numbers in the graph's subgraph, as model's lists */
	/* the same on nnapi-reference, for a retry: prepared at the first need, under the lock */
	pthread_mutex_t fallback_lock;
	struct nnhal_prepared_model *fallback;
	struct nnr_workspaces *workspaces, *fallback_workspaces;
};

enum nnr_node_kind { NNR_NODE_STEP, NNR_NODE_IF, NNR_NODE_WHILE };

/** A step, or an IF or WHILE that the runtime runs. Those that a device runs are in a step. */
struct nnr_node {
	enum nnr_node_kind kind;
	struct nnr_step *step; /* STEP */
	uint32_t operation; /* IF, WHILE: its number in the graph's subgraph */
	uint32_t graphs[2]; /* IF: then, else; WHILE: condition, body: numbers in plan->graphs */
};

/** One subgraph, its nodes in an order that can be executed. Operands are the subgraph's. */
struct nnr_graph {
	uint32_t subgraph; /* 0 main, 1 + i referenced[i] */
	struct nnr_node *nodes;
	uint32_t num_nodes;
};

/** Immutable, reference counted: a compilation holds one, and each execution of it. */
struct nnr_plan {
	atomic_uint refs;
	unsigned int process; /* that it was made in */
	struct nnr_model_data *data;
	struct nnr_graph *graphs; /* [0] is main's; one per subgraph that the runtime runs */
	uint32_t num_graphs;
	bool simple; /* main is one step: the whole model as it is */
	bool fallback; /* execution errors are retried on nnapi-reference */
	/* no fallback, but the client listed nnapi-reference, which can run the whole model */
	bool reference_listed;
	bool has_dynamic_temporaries; /* an operand of unknown shape crosses steps */
	int32_t priority; /* PriorityCode */
	/* the whole model on nnapi-reference, for a retry: prepared at the first need */
	pthread_mutex_t full_lock;
	struct nnr_step *full;
	/*
	 * run/invocation.c: invocations that are kept for the next run, under a lock of that file
	 */
	struct nnr_invocation *invocations;
	uint32_t num_invocations;
	void (*free_invocations)(struct nnr_plan *plan);
};
/** Another process made it: it cannot be used, and is not freed. */
static inline bool nnr_inherited(const struct nnr_plan *plan)
{
	return plan->process != nnr_process_number();
}

/** Empty. NULL: out of memory. */
struct nnr_plan *nnr_plan_new(struct nnr_model_data *data);
/** Take a reference. */
struct nnr_plan *nnr_plan_get(struct nnr_plan *plan);
/** Drop one. @plan may be NULL. */
void nnr_plan_put(struct nnr_plan *plan);
/** Make the plan one step: the whole model on @device. Result code. */
int nnr_plan_single(struct nnr_plan *plan, ANeuralNetworksDevice *device);
/** Remove all graphs. */
void nnr_plan_clear(struct nnr_plan *plan);

/**
 * A step that owns @model; NULL: the plan's whole model. Lists are copied. NULL: out of memory
 * (@model is freed).
 */
struct nnr_step *nnr_step_new(ANeuralNetworksDevice *device, struct nnr_plan *plan,
			      struct nnmodel *model, const uint32_t *inputs, uint32_t num_inputs,
			      const uint32_t *outputs, uint32_t num_outputs);
/** A step of the whole model. NULL: out of memory. */
struct nnr_step *nnr_step_whole_model(struct nnr_plan *plan, ANeuralNetworksDevice *device);
void nnr_step_free(struct nnr_step *step);
/** NULL: out of memory. Not NULL if @num is 0. */
uint32_t *nnr_copy_list(const uint32_t *list, uint32_t num);

/**
 * Find the steps that take or write main's input (output) number @index: calls @found for each
 * until it returns nonzero, which is the result. Later steps also read outputs. @step NULL: control
 * flow that the runtime runs. @step_input, @step_index: the number in the step's inputs or outputs.
 */
int nnr_plan_for_each_role(const struct nnr_plan *plan, bool input, uint32_t index,
			   int (*found)(void *cookie, struct nnr_step *step, bool step_input,
					uint32_t step_index),
			   void *cookie);

/* A compilation: what the application set, and the plan that finish() made. */

struct ANeuralNetworksCompilation {
	struct nnr_model_data *data;
	ANeuralNetworksDevice **devices;
	uint32_t num_devices;
	bool explicit_devices; /* createForDevices: no device but these, no fallback */
	int32_t preference, priority; /* PreferenceCode, PriorityCode */
	uint64_t timeout_ns; /* 0: none */
	bool caching;
	char *cache_dir; /* ends in '/', or is empty */
	uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN];
	int *cache_fds; /* SL's setCachingFromFds: model files then data files; or NULL */
	uint32_t num_model_cache_fds, num_data_cache_fds;
	struct nnr_attribute *attributes;
	uint32_t num_attributes;
	bool finished;
	struct nnr_plan *plan; /* finished and valid */
	struct nnr_report *report; /* of finish(), whatever its result */
};
/** Created for exactly one device. */
static inline bool nnr_explicit_one(const ANeuralNetworksCompilation *c)
{
	return c->explicit_devices && c->num_devices == 1;
}

/*
 * build_plan.c: a compilation becomes a plan in four parts: what each operation costs on each
 * device (cost.c), which device takes it (partition_choice.c, partition_transfer.c), steps
 * (partition_steps.c, partition_graph.c), and their preparation (prepare_steps.c). The findings
 * stay with the compilation as a report, for explain.c.
 *
 * A "graph" is one subgraph of the model: 0 main, 1 + i referenced[i]. Devices are numbers in the
 * compilation's list; the number behind the last one is the runtime, which interprets IF and WHILE.
 */

/**
 * Partition and prepare as the compilation says. @deadline_ns: CLOCK_BOOTTIME or NNHAL_NO_TIME.
 * Result code of finish(); *@plan with NO_ERROR.
 */
int nnr_plan_build(ANeuralNetworksCompilation *compilation, int64_t deadline_ns,
		   struct nnr_plan **plan);
/**
 * Before the plan of a finished compilation is used: make a plan from before a fork anew. Result
 * code (logged).
 */
int nnr_compilation_renew(const ANeuralNetworksCompilation *compilation);

/* memory_roles.c: roles: the inputs and outputs of compilations that a memory is for. */

struct nnr_role {
	/* compared, and used while the descriptor lives */
	const ANeuralNetworksCompilation *compilation;
	struct nnr_plan *plan; /* held; compared by executions */
	bool input;
	uint32_t index;
	float frequency;
};

struct ANeuralNetworksMemoryDesc {
	struct nnr_role *roles; /* each holds its plan */
	uint32_t num_roles;
	const struct nnmodel_operand *operand; /* of the first role */
	uint32_t rank, dims[NNR_MAX_RANK]; /* merged */
	bool explicit_devices; /* a role is of a compilation for chosen devices */
	bool finished;
};

/** Add a role to an unfinished descriptor. Result code (logged). */
int nnr_memory_desc_add_role(ANeuralNetworksMemoryDesc *desc,
			     const ANeuralNetworksCompilation *compilation, bool input,
			     uint32_t index, float frequency);
void nnr_roles_free(struct nnr_role *roles, uint32_t num_roles);
/**
 * Whether the memory can be an argument of the plan: role, offset and length, shape. @type: of the
 * setter; may be NULL. Result code (logged).
 */
int nnr_memory_validate_argument(const ANeuralNetworksMemory *memory, const struct nnr_plan *plan,
				 bool input, uint32_t index, const ANeuralNetworksOperandType *type,
				 size_t offset, size_t length);

/* cost.c: what an operation costs on a device. */

/**
 * Two figures of an operation on a device. The rating is NNAPI's: the device's performance (or
 * power) figure relative to a CPU; the operations of IF and WHILE add up. The time is the rating
 * times an estimate of the work, in ns of a nominal CPU; NAN if a shape that it depends on is
 * unknown.
 */
struct nnr_costs {
	const struct nnmodel *model;
	ANeuralNetworksDevice *const *devices;
	uint32_t num_devices;
	int32_t preference;
	/* sums over a referenced model's operations, [device * num_referenced + i]; < 0: unknown */
	double *ratings, *times;
};
/** 0 or -ENOMEM. The arguments outlive the costs. */
int nnr_costs_init(struct nnr_costs *costs, const struct nnmodel *model,
		   ANeuralNetworksDevice *const *devices, uint32_t num_devices, int32_t preference);
void nnr_costs_fini(struct nnr_costs *costs);
double nnr_cost_rating(struct nnr_costs *costs, uint32_t device,
		       const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op);
double nnr_cost_time(struct nnr_costs *costs, uint32_t device, const struct nnmodel_subgraph *graph,
		     const struct nnmodel_operation *op);
/** Bytes of an operand. NAN: its shape is unknown. */
double nnr_cost_bytes(const struct nnmodel_operand *operand);

/* partition_choice.c: which device takes which operation of a graph. */

/** Producers and readers of the operands of a graph. */
struct nnr_flow {
	uint32_t *producer; /* per operand the operation that writes it, or NNR_NONE */
	/* operand o is read by readers[first[o]] .. readers[first[o + 1] - 1] */
	uint32_t *first, *readers;
};
/** 0 or -ENOMEM. Readers are ascending; one that reads an operand twice is listed twice. */
int nnr_flow_init(struct nnr_flow *flow, const struct nnmodel_subgraph *graph);
void nnr_flow_fini(struct nnr_flow *flow);

/** The decision about the operations of one graph, and its reasons. */
struct nnr_choice {
	uint32_t subgraph, num_operations, num_devices;
	struct nnr_flow flow;
	bool *supported; /* [device * num_operations + operation], as are the next three */
	double *rating, *time;
	char **reasons; /* as of nnr_supported_operations() */
	bool *unknown_size; /* per operation: IF or WHILE that one device must take as it is */
	/* per operation its device; num_devices: interpreted; NNR_NONE: no device can */
	uint32_t *device;
	uint32_t *base; /* the same by rating alone, before transfers were counted */
	uint32_t *node; /* per operation its node in the graph's order */
	uint32_t *node_device; /* per node */
	uint32_t num_nodes;
};
/**
 * Ask the devices and choose by rating. Result code; BAD_DATA: no device can run some operation
 * (@choice is complete for the report). nnr_choice_fini() follows in any case.
 */
int nnr_choice_init(struct nnr_choice *choice, struct nnr_costs *costs, uint32_t subgraph);
void nnr_choice_fini(struct nnr_choice *choice);
/** The device can run it, and does not have to decide that at execution. */
bool nnr_choice_sure(const struct nnr_choice *choice, uint32_t device, uint32_t operation);

/* report.c: what was found out about a compilation, for nnaccelCompilation_explain(). */

struct nnr_report {
	struct nnr_model_data *data; /* held */
	ANeuralNetworksDevice **devices;
	uint32_t num_devices;
	int32_t preference;
	bool explicit_devices;
	enum nnr_partitioning partitioning;
	struct nnr_choice *choices; /* [0] is main's; none if no device was queried */
	uint32_t num_choices;
	bool simple;
	int partition_result; /* result code of partitioning and preparing */
	int result; /* of finish() */
	/* why a device cannot prepare its part, the first one; empty if all did */
	char reason[256];
	bool on_reference; /* the whole model went to nnapi-reference instead */
};
struct nnr_report *nnr_report_new(const ANeuralNetworksCompilation *compilation);
void nnr_report_free(struct nnr_report *report);
/** Log the reason of a failure, and keep it if it is the first. */
void nnr_report_reason(struct nnr_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/**
 * Remove a candidate that died, and what was decided with it, to partition anew. False: it is
 * nnapi-reference, or no candidate.
 */
bool nnr_report_leave_out(struct nnr_report *report, const ANeuralNetworksDevice *device);
/** The report of a finished compilation as JSON, malloc'ed. Result code. */
int nnr_report_explain(const struct nnr_report *report, char **json);

/* prepare_steps.c: preparation of models by their devices. */

/**
 * Prepare all steps of a plan at the same time, from cache files if there are any. Result code.
 * *@died: a device whose process died, NULL: none.
 */
int nnr_plan_prepare(struct nnr_plan *plan, const ANeuralNetworksCompilation *compilation,
		     int64_t deadline_ns, struct nnr_report *report, ANeuralNetworksDevice **died);

/* Steps and plans on nnapi-reference, prepared at the first need. Result codes. */

/** OP_FAILED: nnapi-reference has run the step already. Valid as long as the plan. */
int nnr_step_fallback(struct nnr_plan *plan, struct nnr_step *step,
		      struct nnr_workspaces **workspaces);
/** The whole model. */
int nnr_plan_full(struct nnr_plan *plan, struct nnr_step **step);

/* cache_files.c: cache files of a step. */

/** Descriptors of a device's cache files: model files, then data files. */
struct nnr_cache_files {
	int fds[2 * NNHAL_MAX_CACHE_FILES];
	uint32_t num_model, num_data;
};
/** Open existing files. 0, or -errno: -ENOENT if one is missing. */
int nnr_cache_files_open(struct nnr_cache_files *files,
			 const ANeuralNetworksCompilation *compilation,
			 const ANeuralNetworksDevice *device,
			 const uint8_t token[NNHAL_CACHE_TOKEN_SIZE]);
/** The same; missing files are created. */
int nnr_cache_files_create(struct nnr_cache_files *files,
			   const ANeuralNetworksCompilation *compilation,
			   const ANeuralNetworksDevice *device,
			   const uint8_t token[NNHAL_CACHE_TOKEN_SIZE]);
void nnr_cache_files_close(struct nnr_cache_files *files);

/* The key of a step's cache entry. */

/** Identity of the runtime's sources and compiler, which cut and change models for devices. */
uint64_t nnr_build(void);
/** The token for the step's device. 0 or -ENOMEM. */
int nnr_cache_token(const ANeuralNetworksCompilation *compilation, const struct nnr_step *step,
		    uint8_t token[NNHAL_CACHE_TOKEN_SIZE]);

/* partition_graph.c: from choices to the graphs of a plan. */

/** Make the steps of the whole model, not prepared yet. Result code; @plan may be incomplete. */
int nnr_plan_partition(struct nnr_plan *plan, struct nnr_report *report);

/* partition_steps.c: nodes: operations that one device runs together. */

/** Form nodes of ready operations: fills node, node_device and num_nodes. 0 or -ENOMEM. */
int nnr_choice_form_nodes(struct nnr_choice *choice, const struct nnmodel_subgraph *graph);

/* partition_transfer.c: the cost of moving tensors between devices. */

/**
 * Move steps to a neighbour's device where moving their tensors, and launching them, costs more
 * than their own device gains. Forms the nodes. Equal ratings are no reason to move. 0 or -ENOMEM.
 */
int nnr_choice_count_transfers(struct nnr_choice *choice, const struct nnr_costs *costs,
			       const struct nnr_config *config);

/* role_memory.c: memory from a descriptor. */

/**
 * Allocate for the roles of a finished descriptor: in the device if all roles belong to one device,
 * else in shared memory of the host if the roles allow that. Result code (logged).
 */
int nnr_memory_create_from_desc(const ANeuralNetworksMemoryDesc *desc,
				ANeuralNetworksMemory **memory);

#endif
