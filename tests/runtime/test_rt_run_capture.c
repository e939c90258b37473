// SPDX-License-Identifier: Apache-2.0
/* Captures of executions: when the runtime writes one, and what is in it. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nnt.h"
#include "nnutil_file.h"
#include "rt_graph.h"

#define N 4
#define BAD "name=bad,exec=0.1,fail=execute:GENERAL_FAILURE,fail=fenced:GENERAL_FAILURE"
#define FREE_TRANSFERS "NNAPI_TRANSFER_NS_PER_KIB=0", "NNAPI_STEP_NS=0"

static const float A[N] = { 1, -2, 3, -4 }, B[N] = { 10, 20, 30, 40 };

/* ---- the folder: its name must be known before the runtime reads its settings ---- */

static void use_folder(const char *first)
{
	setenv("NNAPI_CAPTURE", temp_folder(), 1);
	setenv("NNAPI_CAPTURE_FIRST", first, 1);
}

/* Files of captures, and the name of one. */
static unsigned int count_captures(const char **path)
{
	const unsigned int count = temp_count("*", NULL);

	assert_int_equal(temp_count("*.nnt*", path), count);
	return count;
}

/* The only capture. */
static struct nnt open_capture(void)
{
	const char *path;
	char error[160], *bytes;
	struct stat st;
	struct nnt nnt;
	size_t size;

	assert_int_equal(count_captures(&path), 1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(nnutil_read_file(path, NNT_MAX_FILE, &bytes, &size), 0);
	assert_int_equal(nnt_take(&nnt, bytes, size, error, sizeof(error)), 0);
	assert_int_equal(nnt.num_examples, 1);
	unlink(path);
	return nnt;
}

static void require_value(const struct nnt *nnt, const struct nnt_operand *operand,
			  const float *value)
{
	assert_int_equal(operand->rank, 1);
	assert_int_equal(nnt->pool[operand->dims], N);
	assert_int_equal(operand->data_size, N * sizeof(float));
	assert_memory_equal(nnt_data(nnt, operand), value, N * sizeof(float));
}

static const char *origin_of(const struct nnt *nnt)
{
	return nnt_string(nnt, nnt->header->source_rev);
}

/* ---- executions ---- */

static int compute(ANeuralNetworksCompilation *c, const float *a, float *out)
{
	const uint32_t dims[] = { N };
	const ANeuralNetworksOperandType type = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	ANeuralNetworksExecution *e = rt_execution(c);
	int result;

	RT_OK(ANeuralNetworksExecution_setInput(e, 0, &type, a, sizeof(A)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, &type, B, sizeof(B)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(A)));
	result = ANeuralNetworksExecution_compute(e);
	ANeuralNetworksExecution_free(e);
	return result;
}

static ANeuralNetworksCompilation *compile(const char *operands, const char *operations,
					   const char *devices, ANeuralNetworksModel **model)
{
	ANeuralNetworksCompilation *c;

	*model = rt_graph(operands, operations, NULL);
	RT_OK(rt_finish(*model, devices, &c));
	return c;
}

/* ---- cases ---- */

TEST(failure_without_outputs)
{
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *c;
	struct nnt nnt;
	float out[N];

	use_folder("0");
	c = compile("ab>c", "c=ADD(a,b)", "bad", &model);
	assert_int_equal(compute(c, A, out), ANEURALNETWORKS_OP_FAILED);
	nnt = open_capture();
	assert_true(nnt.examples->flags & NNT_EXPECT_FAILURE);
	require_value(&nnt, nnt_input(&nnt, nnt.examples, 0), A);
	require_value(&nnt, nnt_input(&nnt, nnt.examples, 1), B);
	assert_null(nnt_data(&nnt, nnt_output(&nnt, nnt.examples, 0)));
	assert_non_null(strstr(origin_of(&nnt), ", bad (1)"));
	assert_non_null(strstr(origin_of(&nnt), "OP_FAILED"));
	nnt_close(&nnt);
	rt_free(NULL, c, model);
}

/* nnapi-reference computes: the right outputs, beside the device that failed. */
static void require_fallback(const char *operations)
{
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *c;
	struct nnt nnt;
	float out[N];

	use_folder("0");
	c = compile("ab>d", operations, NULL, &model);
	assert_int_equal(compute(c, A, out), ANEURALNETWORKS_NO_ERROR);
	nnt = open_capture();
	assert_false(nnt.examples->flags & NNT_EXPECT_FAILURE);
	require_value(&nnt, nnt_input(&nnt, nnt.examples, 0), A);
	require_value(&nnt, nnt_output(&nnt, nnt.examples, 0), out);
	assert_non_null(
		strstr(origin_of(&nnt), "; bad: OP_FAILED, the outputs are nnapi-reference's"));
	nnt_close(&nnt);
	rt_free(NULL, c, model);
}

TEST(fallback_of_the_model)
{
	require_fallback("c=ADD(a,b) d=ABS(c)");
}

TEST(fallback_of_a_step)
{
	require_fallback("c=ADD(a,b) d=MUL(c,b)");
}

/* Not captured: what says nothing of a device. */
TEST(success_and_small_outputs)
{
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	float out[N];

	use_folder("0");
	c = compile("Ab>C", "C=ADD(A,b)", "dev", &model);
	RT_OK(compute(c, A, out));
	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setInput(
		e, 0,
		&(ANeuralNetworksOperandType){ .type = ANEURALNETWORKS_TENSOR_FLOAT32,
					       .dimensionCount = 1,
					       .dimensions = (const uint32_t[]){ N } },
		A, sizeof(A)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, B, sizeof(B)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(float)));
	assert_int_equal(ANeuralNetworksExecution_compute(e),
			 ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
	ANeuralNetworksExecution_free(e);
	assert_int_equal(count_captures(NULL), 0);
	rt_free(NULL, c, model);
}

/* An output overwrites an input, and shapes that the model leaves open are the execution's. */
TEST(first_execution)
{
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *c;
	float values[N], sum[N];
	struct nnt nnt;

	use_folder("1");
	c = compile("Ab>C", "C=ADD(A,b)", "dev", &model);
	memcpy(values, A, sizeof(A));
	for (int i = 0; i < N; i++)
		sum[i] = A[i] + B[i];
	RT_OK(compute(c, values, values));
	assert_memory_equal(values, sum, sizeof(sum));
	nnt = open_capture();
	require_value(&nnt, nnt_input(&nnt, nnt.examples, 0), A);
	require_value(&nnt, nnt_output(&nnt, nnt.examples, 0), sum);
	nnt_close(&nnt);
	RT_OK(compute(c, A, values));
	assert_int_equal(count_captures(NULL), 0);
	rt_free(NULL, c, model);
}

/* Limits that the application sets. */
TEST(limits_of_the_execution)
{
	const uint64_t loop = 7000000000, timeout = 60000000000;
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	uint64_t left;
	float out[N];
	struct nnt nnt;

	use_folder("1");
	c = compile("ab>c", "c=ADD(a,b)", "dev", &model);
	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, A, sizeof(A)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, B, sizeof(B)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
	RT_OK(ANeuralNetworksExecution_setTimeout(e, timeout));
	RT_OK(ANeuralNetworksExecution_setLoopTimeout(e, loop));
	RT_OK(ANeuralNetworksExecution_compute(e));
	ANeuralNetworksExecution_free(e);
	nnt = open_capture();
	assert_true(nnt.examples->flags & NNT_LIMITS);
	assert_int_equal(nnt.examples->limits[0] | (uint64_t)nnt.examples->limits[1] << 32, loop);
	left = nnt.examples->limits[2] | (uint64_t)nnt.examples->limits[3] << 32;
	assert_in_range(left, 1, timeout);
	nnt_close(&nnt);
	rt_free(NULL, c, model);
}

/* An output that the application does not want is none of the file's outputs. */
TEST(omitted_output)
{
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	float out[N], product[N];
	struct nnt nnt;

	use_folder("1");
	c = compile("ab>cd", "c=ADD(a,b) d=MUL(a,b)", "dev", &model);
	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, A, sizeof(A)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, B, sizeof(B)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, NULL, 0));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 1, NULL, out, sizeof(out)));
	if (ANeuralNetworksExecution_compute(e) == ANEURALNETWORKS_NO_ERROR) {
		for (int i = 0; i < N; i++)
			product[i] = A[i] * B[i];
		nnt = open_capture();
		assert_int_equal(nnt.subgraphs->output_count, 1);
		require_value(&nnt, nnt_output(&nnt, nnt.examples, 0), product);
		nnt_close(&nnt);
	} else {
		fail_msg("the device wants every output");
	}
	ANeuralNetworksExecution_free(e);
	rt_free(NULL, c, model);
}

/* In memory objects, with fences: the values are those of this execution. */
TEST(fenced_in_memory)
{
	ANeuralNetworksMemory *memory;
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	ANeuralNetworksEvent *event;
	float *values, sum[N];
	struct nnt nnt;

	use_folder("1");
	memory = rt_memory(4096, PROT_READ | PROT_WRITE, &values);
	memcpy(values, A, sizeof(A));
	memcpy(values + 64, B, sizeof(B));
	c = compile("ab>c", "c=ADD(a,b)", "dev", &model);
	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, memory, 0, sizeof(A)));
	RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 1, NULL, memory, 256, sizeof(B)));
	RT_OK(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, memory, 512, sizeof(A)));
	RT_OK(ANeuralNetworksExecution_startComputeWithDependencies(e, NULL, 0, 0, &event));
	RT_OK(ANeuralNetworksEvent_wait(event));
	ANeuralNetworksEvent_free(event);
	memset(values, 0, 512);
	for (int i = 0; i < N; i++)
		sum[i] = A[i] + B[i];
	assert_memory_equal(values + 128, sum, sizeof(sum));
	nnt = open_capture();
	require_value(&nnt, nnt_input(&nnt, nnt.examples, 0), A);
	require_value(&nnt, nnt_input(&nnt, nnt.examples, 1), B);
	require_value(&nnt, nnt_output(&nnt, nnt.examples, 0), sum);
	nnt_close(&nnt);
	ANeuralNetworksExecution_free(e);
	rt_free(NULL, c, model);
	ANeuralNetworksMemory_free(memory);
	munmap(values, 4096);
}

/* A buffer of a device, which the host does not see. */
TEST(in_device_memory)
{
	ANeuralNetworksMemoryDesc *desc;
	ANeuralNetworksMemory *memory;
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	float out[N], sum[N];
	struct nnt nnt;

	use_folder("2");
	c = compile("ab>c", "c=ADD(a,b)", "dev", &model);
	RT_OK(ANeuralNetworksMemoryDesc_create(&desc));
	RT_OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, c, 0, 1));
	RT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, c, 0, 1));
	RT_OK(ANeuralNetworksMemoryDesc_finish(desc));
	RT_OK(ANeuralNetworksMemory_createFromDesc(desc, &memory));
	ANeuralNetworksMemoryDesc_free(desc);
	for (int i = 0; i < N; i++)
		sum[i] = A[i] + B[i];

	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, A, sizeof(A)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, B, sizeof(B)));
	RT_OK(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, memory, 0, 0));
	RT_OK(ANeuralNetworksExecution_compute(e));
	ANeuralNetworksExecution_free(e);
	nnt = open_capture();
	require_value(&nnt, nnt_output(&nnt, nnt.examples, 0), sum);
	nnt_close(&nnt);

	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, memory, 0, 0));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, B, sizeof(B)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
	RT_OK(ANeuralNetworksExecution_compute(e));
	ANeuralNetworksExecution_free(e);
	nnt = open_capture();
	require_value(&nnt, nnt_input(&nnt, nnt.examples, 0), sum);
	nnt_close(&nnt);
	assert_int_equal(count_captures(NULL), 0);
	ANeuralNetworksMemory_free(memory);
	rt_free(NULL, c, model);
}

/* A program that goes on does not fill the disk. */
TEST(failures_have_a_limit)
{
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *c;
	float out[N];

	use_folder("0");
	c = compile("ab>c", "c=ADD(a,b)", "bad", &model);
	for (int i = 0; i < 40; i++)
		assert_int_equal(compute(c, A, out), ANEURALNETWORKS_OP_FAILED);
	assert_int_equal(count_captures(NULL), 16);
	rt_free(NULL, c, model);
}

/* The folder is missing: the execution is as without captures. */
TEST(missing_folder)
{
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *c;
	float out[N];

	setenv("NNAPI_CAPTURE", "/nowhere/at/all", 1);
	setenv("NNAPI_CAPTURE_FIRST", "1", 1);
	c = compile("ab>c", "c=ADD(a,b)", "dev", &model);
	RT_OK(compute(c, A, out));
	assert_true(out[0] == A[0] + B[0]);
	rt_free(NULL, c, model);
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE(failure_without_outputs, BAD),
		RT_CASE_ENV(fallback_of_the_model, BAD, FREE_TRANSFERS),
		RT_CASE_ENV(fallback_of_a_step, BAD ",ops=MUL", FREE_TRANSFERS),
		RT_CASE(success_and_small_outputs, "name=dev"),
		RT_CASE(first_execution, "name=dev"),
		RT_CASE(limits_of_the_execution, "name=dev"),
		RT_CASE(omitted_output, "name=dev"),
		RT_CASE(fenced_in_memory, "name=dev,fence=1"),
		RT_CASE(in_device_memory, "name=dev"),
		RT_CASE(failures_have_a_limit, BAD),
		RT_CASE(missing_folder, "name=dev"),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(*cases));
}
