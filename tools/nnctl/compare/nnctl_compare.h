/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of operations as outputs of a model, and as captures; how far a tensor of two devices
 * differs.
 */
#ifndef NNCTL_COMPARE_H
#define NNCTL_COMPARE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "session/nnctl_session.h"

/* device_run.c: a loaded model on one of the devices that a comparison names. */

/**
 * Split @devices ("A,B") into @specs, malloc'ed: free(specs[0]). 0, 1 or USAGE_ERROR after a
 * complaint.
 */
int device_pair_split(const char *devices, char *specs[2]);

/**
 * session_open() with a name of "nnctl list"; session_open_runtime() with "runtime" (all devices)
 * or "runtime:NAME", "runtime:NAME+NAME".
 */
int device_run_open(struct session *s, const char *spec);

/** The same, then one execution with the inputs of the options. 0, or -1 after a complaint. */
int device_run(struct session *s, const struct options *o, const char *spec);

/* difference.c: how far the same tensor of two sessions differs. */

/** What counts as equal. */
struct difference_bounds {
	double steps; /* of integers, as they are stored */
	double part; /* of floats: part of the largest magnitude in the tensor */
};

struct difference {
	size_t elements, unequal; /* unequal: not the same number */
	bool beyond; /* the bounds, somewhere */
	bool floats; /* max is real, else in steps */
	double max; /* INFINITY: of a NaN, or an infinity, and another number */
	size_t at; /* where max is */
};

/** Tensors of the same type and shape. */
struct difference difference_of(const struct session_tensor *a, const struct session_tensor *b,
				const struct difference_bounds *bounds);

/** Add the difference of two tensors to an object. */
void difference_json(cJSON *entry, const struct session_tensor *a, const struct session_tensor *b,
		     const struct difference *d);
/** Print it, and a newline. */
void difference_text(const struct session_tensor *a, const struct session_tensor *b,
		     const struct difference *d);

/* inner_tensors.c: results of operations inside a model, as outputs of it. */

/** Tensors of a window at most, and their bytes: memory of a device is limited. */
#define INNER_TENSORS 64
#define INNER_BYTES (64u << 20)

struct inner_tensor {
	uint32_t operation; /* of the NNAPI model */
	char operation_name[48];
	struct nnimport_origin origin;
	uint32_t output; /* of the session */
};

struct inner_window {
	uint32_t next; /* the operation behind the last one of this window */
	uint32_t count;
	struct inner_tensor tensors[INNER_TENSORS];
};

/**
 * Make the results of operations from @first on outputs of the model, behind those of the file. The
 * model is loaded and not opened. Left out are tensors that no output can be: those of unknown
 * shape, of types of extensions, and the states. Sets @window; next is the number of operations if
 * there are no others. 0, or -1 after a complaint.
 */
int inner_window_open(struct session *s, uint32_t first, struct inner_window *window);

/**
 * Make one operand an output; sets @output to its number in the session. The model is loaded and
 * not opened. 0, or -1 after a complaint: see above.
 */
int inner_output(struct session *s, uint32_t operand, uint32_t *output);

/*
 * range_capture.c: a capture (nncapture.h) of some operations of a model, with the values that they
 * had in it.
 */

/**
 * Run the model of the options on device @spec (device_run.c), and write @count of its operations,
 * from number @first on, with the values that they read and compute there. 0, or -1 after a
 * complaint.
 */
int range_capture(const struct options *o, const char *spec, uint32_t first, uint32_t count,
		  const char *path);

#endif
