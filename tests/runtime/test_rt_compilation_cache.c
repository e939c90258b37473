// SPDX-License-Identifier: Apache-2.0
/* Compilation caching: calls of devices, and the cache files. */
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan/nnr_plan.h"
#include "registry/nnr_registry.h"
#include "rt_graph.h"

static const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = { 0x12, 0xab, 0xff };

/* The name of a file, in front of its number: a pattern of 64 characters. */
#define DIGEST_16 "????????????????"
#define DIGEST DIGEST_16 DIGEST_16 DIGEST_16 DIGEST_16

static const char *counts;

/* Devices whose calls are counted. */
static void describe(const char *description)
{
	counts = rt_empty_file("counts");
	rt_devices("%s,count=%s", description, counts);
}

static unsigned int calls(const char *what)
{
	return lines_count(counts, what);
}

static unsigned int num_files(void)
{
	return temp_count(DIGEST "?*", NULL);
}

/* finish() of an ADD for device "a"; with @cached, in this process's folder. */
static void compile(bool cached)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	ANeuralNetworksCompilation *c = rt_compilation(model, "a");

	temp_write(counts, "", 0);
	if (cached)
		RT_OK(ANeuralNetworksCompilation_setCaching(c, temp_folder(), token));
	RT_OK(ANeuralNetworksCompilation_finish(c));
	rt_free(NULL, c, model);
}

struct counts {
	unsigned int model, data;
};

static void check_matrix(struct counts n, bool cache_works)
{
	unsigned int num = n.model + n.data;
	char with[64], without[64];

	snprintf(with, sizeof(with), "model_cache=%u data_cache=%u token=1", n.model, n.data);
	strcpy(without, "model_cache=0 data_cache=0 token=0");
	/* no token */
	compile(false);
	assert_int_equal(calls("prepare_model_from_cache"), 0);
	assert_int_equal(calls(without), 1);
	assert_int_equal(num_files(), 0);
	/* a token, and no files yet */
	compile(true);
	assert_int_equal(calls("prepare_model_from_cache"), 0);
	assert_int_equal(calls("prepare_model ops"), 1);
	assert_int_equal(calls(num ? with : without), 1);
	assert_int_equal(num_files(), num);
	/* a token, and files */
	compile(true);
	assert_int_equal(calls("prepare_model_from_cache"), num ? 1 : 0);
	assert_int_equal(calls("prepare_model ops"), num && cache_works ? 0 : 1);
	assert_int_equal(calls(num ? with : without), num && cache_works ? 0 : 1);
	assert_int_equal(num_files(), num);
}

static void matrix_of(struct counts n)
{
	char text[128];

	snprintf(text, sizeof(text), "name=a,cache=%u:%u", n.model, n.data);
	describe(text);
	check_matrix(n, true);
}

static void matrix_fails(struct counts n, const char *status)
{
	char text[128];

	snprintf(text, sizeof(text), "name=a,cache=%u:%u,fail=cache:%s", n.model, n.data, status);
	describe(text);
	check_matrix(n, false);
}

#define MATRIX(m, d)                                                         \
	TEST(files_##m##_##d)                                                \
	{                                                                    \
		matrix_of((struct counts){ m, d });                          \
	}                                                                    \
	TEST(files_##m##_##d##_general_failure)                              \
	{                                                                    \
		matrix_fails((struct counts){ m, d }, "GENERAL_FAILURE");    \
	}                                                                    \
	TEST(files_##m##_##d##_unavailable)                                  \
	{                                                                    \
		matrix_fails((struct counts){ m, d }, "DEVICE_UNAVAILABLE"); \
	}                                                                    \
	TEST(files_##m##_##d##_invalid_argument)                             \
	{                                                                    \
		matrix_fails((struct counts){ m, d }, "INVALID_ARGUMENT");   \
	}
MATRIX(0, 0)
MATRIX(0, 1)
MATRIX(0, 32)
MATRIX(1, 0)
MATRIX(1, 1)
MATRIX(1, 32)
MATRIX(32, 0)
MATRIX(32, 1)
MATRIX(32, 32)
#define CASES(m, d)                                                                       \
	RT_CASE(files_##m##_##d, NULL), RT_CASE(files_##m##_##d##_general_failure, NULL), \
		RT_CASE(files_##m##_##d##_unavailable, NULL),                             \
		RT_CASE(files_##m##_##d##_invalid_argument, NULL)

/* The digest and the names of files, from the rules once more. */
TEST(names_of_files)
{
	const int32_t preference = ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER;
	const int32_t priority = ANEURALNETWORKS_PRIORITY_MEDIUM;
	const uint64_t build = nnr_build();
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;
	char name[80];
	struct stat st;

	describe("name=a,version=v1,cache=1:2");
	compile(true);
	sha256_init(&sha);
	sha256_update(&sha, sizeof(build), (const uint8_t *)&build);
	sha256_update(&sha, sizeof(token), token);
	sha256_update(&sha, 1, (const uint8_t *)"a");
	sha256_update(&sha, 2, (const uint8_t *)"v1");
	sha256_update(&sha, 4, (const uint8_t *)&preference);
	sha256_update(&sha, 4, (const uint8_t *)&priority);
	sha256_digest(&sha, sizeof(digest), digest);
	for (unsigned int i = 0; i < 32; i++) {
		name[2 * i] = (char)('A' + digest[i] % 16);
		name[2 * i + 1] = (char)('A' + digest[i] / 16);
	}
	strcpy(name + 64, "10");
	assert_int_equal(stat(temp_path("%s", name), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	strcpy(name + 64, "20");
	assert_int_equal(stat(temp_path("%s", name), &st), 0);
	strcpy(name + 64, "21");
	assert_int_equal(stat(temp_path("%s", name), &st), 0);
	assert_int_equal(num_files(), 3);
}

/* One file that is missing is no lookup. */
TEST(all_files_or_none)
{
	const char *one;

	describe("name=a,cache=2:1");
	compile(true);
	assert_int_equal(num_files(), 3);
	assert_int_equal(temp_count(DIGEST "11", &one), 1);
	unlink(one);
	assert_int_equal(num_files(), 2);
	compile(true);
	assert_int_equal(calls("prepare_model_from_cache"), 0);
	assert_int_equal(calls("model_cache=2 data_cache=1 token=1"), 1);
	assert_int_equal(num_files(), 3);
}

TEST(files_that_cannot_be_made)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	ANeuralNetworksCompilation *c;

	describe("name=a,cache=1:1");
	c = rt_compilation(model, "a");
	RT_OK(ANeuralNetworksCompilation_setCaching(c, temp_path("there/is/no/such/folder"),
						    token));
	RT_OK(ANeuralNetworksCompilation_finish(c));
	assert_int_equal(calls("prepare_model_from_cache"), 0);
	assert_int_equal(calls("model_cache=0 data_cache=0 token=1"), 1);
	rt_free(NULL, c, model);
}

/* Files of another writer are not used. */
TEST(spoiled_files)
{
	static const char *const numbers[] = { "10", "20" };
	const char *one;
	char pattern[80];

	describe("name=a,cache=1:1");
	compile(true);
	for (int i = 0; i < 2; i++) {
		snprintf(pattern, sizeof(pattern), DIGEST "%s", numbers[i]);
		assert_int_equal(temp_count(pattern, &one), 1);
		temp_write(one, "x", 1);
	}
	compile(true);
	assert_int_equal(calls("prepare_model_from_cache"), 1);
	assert_int_equal(calls("model_cache=1 data_cache=1 token=1"), 1);
	compile(true);
	assert_int_equal(calls("prepare_model_from_cache"), 1);
	assert_int_equal(calls("prepare_model ops"), 0);
}

/* ---- tokens ---- */

static void token_of(ANeuralNetworksCompilation *c, const struct nnr_step *step, uint8_t *out)
{
	assert_int_equal(nnr_cache_token(c, step, out), 0);
}

TEST(all_that_matters_is_in_the_token)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	uint8_t tokens[12][NNHAL_CACHE_TOKEN_SIZE], token2[32] = { 1 };
	ANeuralNetworksCompilation *c;
	const struct nnr_step *step;
	struct nnr_step part;
	uint32_t operations[] = { 1, 2 };
	unsigned int n = 0;

	RT_OK(rt_finish(model, "a", &c));
	step = c->plan->graphs[0].nodes[0].step;
	token_of(c, step, tokens[n++]);
	memcpy(c->token, token2, sizeof(token2));
	token_of(c, step, tokens[n++]);
	c->preference = 2;
	token_of(c, step, tokens[n++]);
	c->priority = 110;
	token_of(c, step, tokens[n++]);
	part = *step;
	part.device = rt_device("b");
	token_of(c, &part, tokens[n++]);
	part.device = rt_device("c");
	token_of(c, &part, tokens[n++]);
	part.num_operations = 2;
	part.operations = operations;
	token_of(c, &part, tokens[n++]);
	part.subgraph = 1;
	token_of(c, &part, tokens[n++]);
	operations[1] = 3;
	token_of(c, &part, tokens[n++]);
	RT_OK(nnr_attribute_add(&c->attributes, &c->num_attributes, "x.y", 1, "v", 1));
	token_of(c, &part, tokens[n++]);
	RT_OK(nnr_attribute_add(&c->attributes, &c->num_attributes, "x.y", 2, "w", 1));
	token_of(c, &part, tokens[n++]);
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; k < i; k++)
			assert_memory_not_equal(tokens[i], tokens[k], NNHAL_CACHE_TOKEN_SIZE);
	/* the order of attributes is not */
	nnr_attributes_free(c->attributes, c->num_attributes);
	c->attributes = NULL;
	c->num_attributes = 0;
	RT_OK(nnr_attribute_add(&c->attributes, &c->num_attributes, "x.y", 2, "w", 1));
	RT_OK(nnr_attribute_add(&c->attributes, &c->num_attributes, "x.y", 1, "v", 1));
	token_of(c, &part, tokens[n]);
	assert_memory_equal(tokens[n], tokens[n - 1], NNHAL_CACHE_TOKEN_SIZE);
	rt_free(NULL, c, model);
}

/* Each step has files of its own. */
TEST(steps_have_their_own_files)
{
	ANeuralNetworksModel *model =
		rt_graph("ab>f", "c=ADD(a,b) d=MUL(c,b) e=ADD(d,b) f=MUL(e,b)", NULL);

	counts = rt_empty_file("counts");
	rt_devices("name=adder,ops=ADD,cache=1:0,count=%s name=muler,ops=MUL,cache=1:0,count=%s",
		   counts, counts);
	for (unsigned int i = 0; i < 2; i++) {
		ANeuralNetworksCompilation *c = rt_compilation(model, "adder muler");

		temp_write(counts, "", 0);
		RT_OK(ANeuralNetworksCompilation_setCaching(c, temp_folder(), token));
		RT_OK(ANeuralNetworksCompilation_finish(c));
		assert_int_equal(num_files(), 4);
		assert_int_equal(calls("prepare_model_from_cache"), i ? 4 : 0);
		assert_int_equal(calls("prepare_model ops"), i ? 0 : 4);
		ANeuralNetworksCompilation_free(c);
	}
	ANeuralNetworksModel_free(model);
}

/* ---- descriptors of the client's (SL_ANeuralNetworksCompilation_setCachingFromFds) ---- */

static void compile_from_fds(unsigned int num_model, unsigned int num_data)
{
	ANeuralNetworksModel *model = rt_graph("ab>c", "c=ADD(a,b)", NULL);
	ANeuralNetworksCompilation *c = rt_compilation(model, "a");

	temp_write(counts, "", 0);
	c->caching = true;
	memcpy(c->token, token, sizeof(token));
	c->cache_fds = calloc(num_model + num_data + 1, sizeof(int));
	c->num_model_cache_fds = num_model;
	c->num_data_cache_fds = num_data;
	for (unsigned int i = 0; i < num_model + num_data; i++) {
		char name[16];

		snprintf(name, sizeof(name), "fd%u", i);
		c->cache_fds[i] = open(temp_path("%s", name), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		assert_true(c->cache_fds[i] >= 0);
	}
	RT_OK(ANeuralNetworksCompilation_finish(c));
	rt_free(NULL, c, model);
}

TEST(descriptors_of_the_client)
{
	describe("name=a,cache=1:1");
	/* empty files are tried, and then written */
	compile_from_fds(1, 1);
	assert_int_equal(calls("prepare_model_from_cache"), 1);
	assert_int_equal(calls("model_cache=1 data_cache=1 token=1"), 1);
	compile_from_fds(1, 1);
	assert_int_equal(calls("prepare_model_from_cache"), 1);
	assert_int_equal(calls("prepare_model ops"), 0);
	/* not the device's numbers: no caching, and a compilation nevertheless */
	compile_from_fds(2, 1);
	assert_int_equal(calls("prepare_model_from_cache"), 0);
	assert_int_equal(calls("model_cache=0 data_cache=0"), 1);
	compile_from_fds(0, 0);
	assert_int_equal(calls("prepare_model_from_cache"), 0);
}

static const struct rt_case cases[] = {
	CASES(0, 0),
	CASES(0, 1),
	CASES(0, 32),
	CASES(1, 0),
	CASES(1, 1),
	CASES(1, 32),
	CASES(32, 0),
	CASES(32, 1),
	CASES(32, 32),
	RT_CASE(names_of_files, NULL),
	RT_CASE(all_files_or_none, NULL),
	RT_CASE(files_that_cannot_be_made, NULL),
	RT_CASE(spoiled_files, NULL),
	RT_CASE(all_that_matters_is_in_the_token, "name=a name=b name=c,version=2"),
	RT_CASE(steps_have_their_own_files, NULL),
	RT_CASE(descriptors_of_the_client, NULL),
};

int main(int argc, char **argv)
{
	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
