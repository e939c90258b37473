// SPDX-License-Identifier: Apache-2.0
/*
 * TensorFlow Lite as a peer (serve.h): its own kernels, those of XNNPACK, its NNAPI delegate
 * with the libneuralnetworks.so that the loader finds, or an external delegate, the library at a
 * PATH, with its default options.
 *
 *   peer_tflite builtin|xnnpack|nnapi|PATH MODEL.tflite [CODE]
 *
 * CODE: a number of enum BuiltinOperator. Operations of this kind are not offered to the delegate,
 * for what it takes and then cannot run.
 *
 * scripts/bench-peers.sh compiles it beside Debian's library, not meson.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers/serve.h"
#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/c_api_experimental.h"
#include "tensorflow/lite/delegates/xnnpack/xnnpack_delegate.h"

/* As in nnapi_delegate_c_api.h, which is C++. */
struct nnapi_options {
	int execution_preference;
	const char *accelerator_name, *cache_dir, *model_token;
	int disallow_nnapi_cpu, allow_fp16, max_number_delegated_partitions;
	void *nnapi_support_library_handle;
};
TfLiteDelegate *TfLiteNnapiDelegateCreate(const struct nnapi_options *options);
struct nnapi_options TfLiteNnapiDelegateOptionsDefault(void);

/* Another delegate, and what it did with the graph. */
struct counted {
	TfLiteDelegate base, *inner;
	struct peer *peer;
};

/* The execution plan without the operations of one kind, which are then left to TensorFlow Lite. */
static TfLiteStatus (*whole_plan)(TfLiteContext *context, TfLiteIntArray **plan);
static int left_out = -1;

static TfLiteStatus plan_without(TfLiteContext *context, TfLiteIntArray **plan)
{
	static TfLiteIntArray *rest;
	TfLiteIntArray *all;
	int n = 0;

	if (whole_plan(context, &all) != kTfLiteOk)
		return kTfLiteError;
	TfLiteIntArrayFree(rest);
	rest = TfLiteIntArrayCreate(all->size);
	for (int i = 0; i < all->size; i++) {
		TfLiteRegistration *registration;
		TfLiteNode *node;

		if (context->GetNodeAndRegistration(context, all->data[i], &node, &registration) !=
		    kTfLiteOk)
			return kTfLiteError;
		if (registration->builtin_code != left_out)
			rest->data[n++] = all->data[i];
	}
	rest->size = n;
	*plan = rest;
	return kTfLiteOk;
}

static void count_kinds(TfLiteContext *context, const TfLiteIntArray *plan, struct peer *peer)
{
	for (int i = 0; i < plan->size; i++) {
		TfLiteRegistration *registration;
		TfLiteNode *node;
		TfLiteType type;

		if (context->GetNodeAndRegistration(context, plan->data[i], &node, &registration) !=
			    kTfLiteOk ||
		    !node->outputs->size)
			continue;
		type = context->tensors[node->outputs->data[0]].type;
		peer->float32s += type == kTfLiteFloat32;
		peer->int8s += type == kTfLiteInt8;
		peer->uint8s += type == kTfLiteUInt8;
	}
}

static TfLiteStatus prepare_counted(TfLiteContext *context, TfLiteDelegate *delegate)
{
	struct counted *c = (struct counted *)delegate;
	TfLiteIntArray *plan;
	TfLiteStatus status;
	int left = 0;

	if (context->GetExecutionPlan(context, &plan) != kTfLiteOk)
		return kTfLiteError;
	c->peer->nodes = plan->size;
	count_kinds(context, plan, c->peer);
	whole_plan = context->GetExecutionPlan;
	if (left_out >= 0)
		context->GetExecutionPlan = plan_without;
	status = c->inner->Prepare(context, c->inner);
	if (left_out >= 0)
		context->GetExecutionPlan = whole_plan;
	if (status != kTfLiteOk || context->GetExecutionPlan(context, &plan) != kTfLiteOk)
		return status;
	for (int i = 0; i < plan->size; i++) {
		TfLiteRegistration *registration;
		TfLiteNode *node;

		if (context->GetNodeAndRegistration(context, plan->data[i], &node, &registration) !=
		    kTfLiteOk)
			return kTfLiteError;
		if (node->delegate)
			c->peer->pieces++;
		else
			left++;
	}
	c->peer->taken = c->peer->nodes - left;
	return status;
}

/* Leaves the graph as it is. */
static TfLiteStatus prepare_nothing(TfLiteContext *context, TfLiteDelegate *delegate)
{
	(void)context;
	(void)delegate;
	return kTfLiteOk;
}

/* external_delegate_interface.h */
static TfLiteDelegate *create_external(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	TfLiteDelegate *(*create)(const char *const *, const char *const *, size_t,
				  void (*)(const char *));
	void *symbol = library ? dlsym(library, "tflite_plugin_create_delegate") : NULL;

	if (!symbol) {
		fprintf(stderr, "%s\n", dlerror());
		return NULL;
	}
	memcpy(&create, &symbol, sizeof(create));
	return create(NULL, NULL, 0, NULL);
}

static TfLiteDelegate *create_delegate(const char *kind, TfLiteDelegate *nothing)
{
	if (!strcmp(kind, "xnnpack")) {
		TfLiteXNNPackDelegateOptions options = TfLiteXNNPackDelegateOptionsDefault();

		options.num_threads = 1;
		return TfLiteXNNPackDelegateCreate(&options);
	}
	if (!strcmp(kind, "nnapi")) {
		struct nnapi_options options = TfLiteNnapiDelegateOptionsDefault();

		options.disallow_nnapi_cpu = 0;
		return TfLiteNnapiDelegateCreate(&options);
	}
	if (kind[0] == '/')
		return create_external(kind);
	*nothing = TfLiteDelegateCreate();
	nothing->Prepare = prepare_nothing;
	return nothing;
}

static int invoke(void *cookie)
{
	return TfLiteInterpreterInvoke(cookie) != kTfLiteOk;
}

/* The last message is the reason of a failure. */
static void remember(void *cookie, const char *format, va_list args)
{
	vsnprintf(cookie, 256, format, args);
}

int main(int argc, char **argv)
{
	TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
	char message[256] = "the model cannot be prepared";
	struct peer peer = { .run = invoke };
	struct counted counted = { .peer = &peer };
	TfLiteInterpreter *interpreter;
	TfLiteDelegate nothing;
	TfLiteModel *model;
	int64_t start;

	if (argc < 3 || argc > 4 ||
	    (strcmp(argv[1], "builtin") && strcmp(argv[1], "xnnpack") && strcmp(argv[1], "nnapi") &&
	     argv[1][0] != '/'))
		return peer_refuse(
			"usage: peer_tflite builtin|xnnpack|nnapi|PATH MODEL.tflite [CODE]");
	if (argc == 4)
		left_out = atoi(argv[3]);
	model = TfLiteModelCreateFromFile(argv[2]);
	if (!model)
		return peer_refuse("the file is no model");
	TfLiteInterpreterOptionsSetNumThreads(options, 1);
	TfLiteInterpreterOptionsSetErrorReporter(options, remember, message);
	start = peer_now_ns();
	counted.inner = create_delegate(argv[1], &nothing);
	if (!counted.inner)
		return peer_refuse("no such delegate here");
	counted.base = TfLiteDelegateCreate();
	counted.base.Prepare = prepare_counted;
	counted.base.flags = counted.inner->flags;
	TfLiteInterpreterOptionsAddDelegate(options, &counted.base);
	interpreter = TfLiteInterpreterCreate(model, options);
	if (!interpreter || TfLiteInterpreterAllocateTensors(interpreter) != kTfLiteOk)
		return peer_refuse(message);
	peer.prepare_ns = peer_now_ns() - start;
	peer.cookie = interpreter;
	if (!strcmp(argv[1], "builtin"))
		peer.taken = peer.nodes;
	for (int i = 0; i < TfLiteInterpreterGetInputTensorCount(interpreter); i++) {
		TfLiteTensor *t = TfLiteInterpreterGetInputTensor(interpreter, i);

		peer_fill(argv[2], i,
			  TfLiteTensorType(t) == kTfLiteFloat32 ? PEER_FLOATS : PEER_BYTES,
			  TfLiteTensorData(t), TfLiteTensorByteSize(t));
	}
	if (invoke(interpreter))
		return peer_refuse(message);
	return peer_serve(&peer);
}
