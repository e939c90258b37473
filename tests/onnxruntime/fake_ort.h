/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As much of ONNX Runtime as an execution provider sees: a graph that a test builds, its function
 * tables, and fused nodes that run. It has no kernels: only what the provider takes can run.
 */
#ifndef FAKE_ORT_H
#define FAKE_ORT_H

#include "ort_abi.h"

#define FAKE_MAX 64

struct fake_value {
	const char *name;
	int type;
	size_t rank;
	int64_t dims[8]; /* -1 while the graph is shown: open */
	const char *dim_names[8]; /* of open ones; NULL: none */
	void *data; /* of constants, and of inputs and outputs at run time */
	bool constant, output;
};

struct fake_attribute {
	const char *name;
	int type;
	int64_t ints[8];
	size_t count;
	float number;
	const char *text;
};

struct fake_node {
	const char *op, *domain;
	int version;
	struct fake_value *inputs[8], *outputs[4];
	size_t num_inputs, num_outputs, num_attributes;
	struct fake_attribute attributes[8];
	bool claimed;
};

struct fake_graph {
	struct fake_value values[FAKE_MAX];
	struct fake_node nodes[FAKE_MAX];
	size_t num_values, num_nodes;
};

/* A partition that the provider claims, and the node in its place */
struct fake_partition {
	struct fake_graph graph;
	struct fake_node fused;
	struct ort_compute_info *info;
};

struct fake_ort {
	struct ort_api_base base;
	struct fake_graph graph;
	struct fake_partition partitions[8];
	size_t num_partitions;
	const char *option, *value; /* of the provider; NULL: none */
	const char *failing; /* name of the operator whose domain cannot be read; NULL: none */
	bool subgraph; /* the graph has no inputs of its own */
	uint32_t newest; /* version of the tables that the host has */
	char error[512]; /* of the last status that was not NULL */
};

void fake_ort_init(struct fake_ort *fake);
struct fake_value *fake_value(struct fake_ort *fake, const char *name, int type, size_t rank,
			      const int64_t *dims);
struct fake_value *fake_constant(struct fake_ort *fake, const char *name, int type, size_t rank,
				 const int64_t *dims, void *data);
/** Lists of values end with NULL. */
struct fake_node *fake_node(struct fake_ort *fake, const char *op, struct fake_value *const *inputs,
			    struct fake_value *const *outputs);
void fake_ints(struct fake_node *node, const char *name, const int64_t *list, size_t count);

/** Ask the provider, then compile its partitions. False: fake.error. */
bool fake_ort_prepare(struct fake_ort *fake, struct ort_ep *ep);
/** Run the partitions in their order. False: fake.error. */
bool fake_ort_run(struct fake_ort *fake);
void fake_ort_release(struct fake_ort *fake, struct ort_ep *ep);
/** Whether @status is a success; else its text is in fake.error. Releases it. */
bool fake_ort_check(struct fake_ort *fake, struct ort_status *status);

#endif
