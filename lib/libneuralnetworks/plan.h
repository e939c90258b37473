/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the plan room. A compilation becomes a plan in four parts: what each operation would cost
 * on each device (cost.c), which device takes it (partition_choice.c, partition_transfer.c), steps
 * (partition_steps.c, partition_graph.c), and their preparation (prepare.c). What was found out on
 * the way stays with the compilation as a report, for explain.c.
 *
 * A "graph" is one subgraph of the model: 0 main, 1 + i referenced[i]. Devices are numbers in the
 * compilation's list; the number after the last one is the runtime, which interprets IF and WHILE.
 */
#ifndef NNR_PLAN_H
#define NNR_PLAN_H

#include "runtime.h"

static inline bool nnr_is_control_flow(const struct nnmodel_operation *op)
{
	return nnmodel_names_subgraphs(op->type);
}

/** The subgraph that input @input of an IF or WHILE names; 0: it names none. */
uint32_t nnr_referenced_by(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
			   const struct nnmodel_operation *op, uint32_t input);
/** The two subgraphs of an IF (then, else) or WHILE (condition, body); 0: none. */
void nnr_control_graphs(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
			const struct nnmodel_operation *op, uint32_t graphs[2]);

/* ---- cost.c ---- */

/**
 * Two figures of an operation on a device. The rating is NNAPI's: the device's performance (or
 * power) figure relative to a CPU; operations of IF and WHILE add up. The time is the rating times
 * an estimate of the work, in ns of a nominal CPU; NAN where a shape that it depends on is not
 * known.
 */
struct nnr_costs {
	const struct nnmodel *model;
	ANeuralNetworksDevice *const *devices;
	uint32_t num_devices;
	int32_t preference;
	/*
	 * sums over a referenced model's operations, [device * num_referenced + i]; below 0: not
	 * computed
	 */
	double *ratings, *times;
};
/** 0 or -ENOMEM. The arguments are the caller's and stay. */
int nnr_costs_init(struct nnr_costs *costs, const struct nnmodel *model,
		   ANeuralNetworksDevice *const *devices, uint32_t num_devices, int32_t preference);
void nnr_costs_fini(struct nnr_costs *costs);
double nnr_cost_rating(struct nnr_costs *costs, uint32_t device,
		       const struct nnmodel_subgraph *graph, const struct nnmodel_operation *op);
double nnr_cost_time(struct nnr_costs *costs, uint32_t device, const struct nnmodel_subgraph *graph,
		     const struct nnmodel_operation *op);
/** Bytes of an operand; NAN: its shape is not known. */
double nnr_cost_bytes(const struct nnmodel_operand *operand);

/* ---- partition_choice.c ---- */

/** Who reads what in a graph. */
struct nnr_flow {
	uint32_t *producer; /* per operand the operation that writes it, or NNR_NONE */
	/* operand o is read by readers[first[o]] .. readers[first[o + 1] - 1] */
	uint32_t *first, *readers;
};
/** 0 or -ENOMEM. Operations that read an operand twice are listed twice; ascending. */
int nnr_flow_init(struct nnr_flow *flow, const struct nnmodel_subgraph *graph);
void nnr_flow_fini(struct nnr_flow *flow);

/** What was decided about the operations of one graph, and from what. */
struct nnr_choice {
	uint32_t subgraph, num_operations, num_devices;
	struct nnr_flow flow;
	bool *supported; /* [device * num_operations + operation], as are the next three */
	double *rating, *time;
	char **reasons; /* as of nnr_supported_operations() */
	bool *unknown_size; /* per operation: IF or WHILE that one device must take as it is */
	/* per operation who takes it; num_devices: interpreted; NNR_NONE: nobody */
	uint32_t *device;
	uint32_t *base; /* the same by rating alone, before transfers were counted */
	uint32_t *node; /* per operation its node in the graph's order */
	uint32_t *node_device; /* per node */
	uint32_t num_nodes;
};
/** Ask the devices and choose by rating. Result code; BAD_DATA: some operation has no device
 * (@choice is complete for the report then). To be ended by nnr_choice_fini() in any case. */
int nnr_choice_init(struct nnr_choice *choice, struct nnr_costs *costs, uint32_t subgraph);
void nnr_choice_fini(struct nnr_choice *choice);
/** The device can, and that does not have to wait for the execution to be judged. */
bool nnr_choice_sure(const struct nnr_choice *choice, uint32_t device, uint32_t operation);

/* ---- partition_transfer.c, partition_steps.c ---- */

/**
 * Move steps to a neighbour's device where moving their tensors, and launching them, costs more
 * than their own device gains. Forms the nodes. Equal ratings are no reason to move. 0 or -ENOMEM.
 */
int nnr_choice_count_transfers(struct nnr_choice *choice, const struct nnr_costs *costs,
			       const struct nnr_config *config);
/** Form nodes of ready operations: fills node, node_device and num_nodes. 0 or -ENOMEM. */
int nnr_choice_form_nodes(struct nnr_choice *choice, const struct nnmodel_subgraph *graph);

/* ---- explain.c ---- */

/** What explain tells of a compilation. */
struct nnr_report {
	struct nnr_model_data *data; /* held */
	ANeuralNetworksDevice **devices;
	uint32_t num_devices;
	int32_t preference;
	bool explicit_devices;
	enum nnr_partitioning partitioning;
	struct nnr_choice *choices; /* [0] is main's; none where nobody was asked */
	uint32_t num_choices;
	bool simple;
	int partition_result; /* result code of partitioning and preparing */
	int result; /* of finish() */
	char reason[256]; /* of partition_result; empty on success */
	bool on_reference; /* the whole model went to nnapi-reference instead */
};
struct nnr_report *nnr_report_new(const ANeuralNetworksCompilation *compilation);
void nnr_report_free(struct nnr_report *report);
/** What explain says why, and the log: kept if it is the first. */
void nnr_report_reason(struct nnr_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- partition_graph.c ---- */

/** Steps of the whole model, not prepared yet. Result code; @plan as far as it went in any case. */
int nnr_plan_partition(struct nnr_plan *plan, struct nnr_report *report);

/* ---- step.c ---- */

struct nnr_plan *nnr_plan_new(struct nnr_model_data *data);
/** @model becomes the step's; NULL: the plan's whole model. Lists are copied. NULL: out of memory
 * (@model is freed). */
struct nnr_step *nnr_step_new(ANeuralNetworksDevice *device, struct nnr_plan *plan,
			      struct nnmodel *model, const uint32_t *inputs, uint32_t num_inputs,
			      const uint32_t *outputs, uint32_t num_outputs);
void nnr_step_free(struct nnr_step *step);
/** NULL: out of memory, also for none. */
uint32_t *nnr_copy_list(const uint32_t *list, uint32_t num);
/** Make the plan one step: the whole model on @device. Result code. */
int nnr_plan_single(struct nnr_plan *plan, ANeuralNetworksDevice *device);
/** Take all graphs out, to build it anew. */
void nnr_plan_clear(struct nnr_plan *plan);

/* ---- prepare.c ---- */

/** Prepare one model and wait. Result code; *@prepared on NO_ERROR. */
int nnr_prepare(ANeuralNetworksDevice *device, const struct nnmodel *model, int32_t preference,
		int32_t priority, int64_t deadline_ns, struct nnhal_prepared_model **prepared);
/** Prepare all steps of a plan at a time, from cache files where there are some. Result code. */
int nnr_plan_prepare(struct nnr_plan *plan, const ANeuralNetworksCompilation *compilation,
		     int64_t deadline_ns, struct nnr_report *report);

/* ---- cache_token.c, cache_files.c ---- */

/** The token that a step's device gets. 0 or -ENOMEM. */
int nnr_cache_token(const ANeuralNetworksCompilation *compilation, const struct nnr_step *step,
		    uint8_t token[NNHAL_CACHE_TOKEN_SIZE]);

/** Descriptors of a device's cache files: model files, then data files. */
struct nnr_cache_files {
	int fds[2 * NNHAL_MAX_CACHE_FILES];
	uint32_t num_model, num_data;
};
/** What is there already: 0, or -ENOENT when a file is missing. */
int nnr_cache_files_open(struct nnr_cache_files *files,
			 const ANeuralNetworksCompilation *compilation,
			 const ANeuralNetworksDevice *device,
			 const uint8_t token[NNHAL_CACHE_TOKEN_SIZE]);
/** The same, made where missing: 0 or -errno. */
int nnr_cache_files_create(struct nnr_cache_files *files,
			   const ANeuralNetworksCompilation *compilation,
			   const ANeuralNetworksDevice *device,
			   const uint8_t token[NNHAL_CACHE_TOKEN_SIZE]);
void nnr_cache_files_close(struct nnr_cache_files *files);

#endif
