/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As much of TensorFlow Lite as a delegate sees: the graph of a file as tensors and nodes, and the
 * functions of the context. It has no kernels: only what a delegate takes can run.
 */
#ifndef FAKE_HOST_H
#define FAKE_HOST_H

#include "tflite.h"
#include "tflite_abi.h"

struct fake_host {
	struct tfl_context context; /* the first member: its impl */
	uint8_t *bytes;
	struct tflite_model model;
	struct tfl_tensor *tensors;
	struct tfl_node *nodes; /* of the file, then the delegate's */
	struct tfl_registration *registrations;
	int num_nodes;
	struct tfl_int_array *plan;
	struct tfl_delegate_params *partitions; /* of preview_partitions() */
	int num_partitions;
	char error[512]; /* the last report */
};

/** Of a .tflite file; NULL: libnnimport's parser refuses it. */
struct fake_host *fake_host_open(const char *path);
void fake_host_close(struct fake_host *host);

/** Apply a delegate; its status. */
int fake_host_apply(struct fake_host *host, struct tfl_delegate *delegate);
/** Prepare the delegate's nodes and give all tensors memory. The first status that is not OK. */
int fake_host_prepare(struct fake_host *host);
int fake_host_invoke(struct fake_host *host);
/** Nodes of the file in the plan, and those of the delegate. */
int fake_host_left(const struct fake_host *host);
int fake_host_kernels(const struct fake_host *host);
/** Give a tensor another shape, of the same rank. */
void fake_host_resize(struct fake_host *host, int32_t tensor, const int32_t *dims);
/** For create(): the text goes to fake_host_reported. */
void fake_host_report(const char *text);
extern char fake_host_reported[512];

#endif
