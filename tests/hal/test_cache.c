// SPDX-License-Identifier: Apache-2.0
/*
 * Compilation caching as the vendor test suite has it; each test is named after its
 * [VTS] mark. The models are chains of ADD and of MUL, so that an output tells from which one it
 * came.
 */
#include "descriptors.h"
#include "hal_test.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOCTOU_OPERATIONS 100
#define TOCTOU_ITERATIONS 100

static const uint8_t token_a[NNHAL_CACHE_TOKEN_SIZE] = { 1, 2, 3, 250 };
static const uint8_t token_b[NNHAL_CACHE_TOKEN_SIZE] = { 4, 5, 6 };

/* x = 1..4, then @ops times x = x + 1 or x * 2. */
static struct nnmodel *chain(uint32_t opcode, uint32_t ops)
{
	const float value = opcode == NNMODEL_ADD ? 1.0f : 2.0f;
	struct nnmodel *m = nnmodel_new();
	uint32_t first, prev, next, constant, act;

	assert_non_null(m);
	first = prev =
		hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_SUBGRAPH_INPUT, HAL_DIMS(4), 1, 0, 0);
	constant =
		hal_tensor(m, NNMODEL_TENSOR_FLOAT32, NNMODEL_CONSTANT_COPY, HAL_DIMS(1), 1, 0, 0);
	assert_int_equal(nnmodel_set_value(m, constant, &value, sizeof(value)), 0);
	act = (uint32_t)nnmodel_add_int32(m, NNMODEL_FUSED_NONE);
	for (uint32_t i = 0; i < ops; i++) {
		next = hal_tensor(m, NNMODEL_TENSOR_FLOAT32,
				  i + 1 < ops ? NNMODEL_TEMPORARY_VARIABLE
					      : NNMODEL_SUBGRAPH_OUTPUT,
				  HAL_DIMS(4), 1, 0, 0);
		assert_true(nnmodel_add_operation(m, opcode, HAL_LIST(prev, constant, act), &next,
						  1) >= 0);
		prev = next;
	}
	assert_int_equal(nnmodel_set_io(m, &first, 1, &prev, 1), 0);
	return m;
}

static size_t file_size(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (size_t)st.st_size;
}

/* ---- saving, loading, running ---- */

/* Prepare with arbitrary files as cache files: it must succeed in any case. Frees @m. */
static struct nnhal_prepared_model *save(struct nnmodel *m, const int *files, uint32_t num_model,
					 uint32_t num_data, const uint8_t *token)
{
	struct nnhal_prepare_config config = hal_prepare_config();
	struct hal_prepared *p = hal_prepared_new(), done;

	config.model_cache = files;
	config.num_model_cache = num_model;
	config.data_cache = files + num_model;
	config.num_data_cache = num_data;
	config.token = token;
	assert_int_equal(hal_dev->ops->prepare_model(hal_dev, m, &config, hal_prepared_cb, p),
			 NNHAL_NONE);
	nnmodel_free(m);
	done = hal_prepared_wait(p);
	if (done.status)
		fail_msg("prepared: %s: %s", nnhal_status_name(done.status), done.message);
	return done.model;
}

static void save_to(int fd, uint32_t opcode, uint32_t ops, const uint8_t *token)
{
	struct nnhal_prepared_model *pm = save(chain(opcode, ops), &fd, 1, 0, token);

	pm->ops->destroy(pm);
}

static char why[256]; /* of the load before */

static enum nnhal_status load_until(const int *files, uint32_t num_model, uint32_t num_data,
				    const uint8_t *token, int64_t deadline_ns,
				    struct nnhal_prepared_model **pm)
{
	struct hal_prepared *p = hal_prepared_new(), done;
	enum nnhal_status launch;

	launch = hal_dev->ops->prepare_model_from_cache(hal_dev, deadline_ns, files, num_model,
							files + num_model, num_data, token,
							hal_prepared_cb, p);
	done = hal_prepared_wait(p);
	if (launch)
		assert_int_equal(launch, done.status);
	/* a refusal has a reason */
	assert_int_equal(done.status == NNHAL_NONE, done.message[0] == '\0');
	strcpy(why, done.message);
	*pm = done.model;
	return done.status;
}

static enum nnhal_status load(int fd, const uint8_t *token, struct nnhal_prepared_model **pm)
{
	return load_until(&fd, 1, 0, token, NNHAL_NO_TIME, pm);
}

/* No model, and the status that the test suite wants. */
static void refused(int fd, const uint8_t *token)
{
	struct nnhal_prepared_model *pm;

	assert_int_equal(load(fd, token, &pm), NNHAL_GENERAL_FAILURE);
	assert_null(pm);
}

/* Runs it with 1..4; destroys it. */
static void run(struct nnhal_prepared_model *pm, float out[4])
{
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct hal_call c;

	hal_call_init(&c, false, HAL_LIST(16), HAL_LIST(16));
	memcpy(hal_in(&c, 0), (const float[]){ 1, 2, 3, 4 }, 16);
	assert_int_equal(hal_run(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME, &result),
			 NNHAL_NONE);
	memcpy(out, hal_out(&c, 0), 16);
	nnhal_execution_result_clear(&result);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

static void is_add(struct nnhal_prepared_model *pm, uint32_t ops)
{
	float out[4];

	run(pm, out);
	for (uint32_t i = 0; i < 4; i++)
		assert_true(out[i] == (float)(i + 1 + ops));
}

static void loads_as_add(int fd, const uint8_t *token, uint32_t ops)
{
	struct nnhal_prepared_model *pm;

	if (load(fd, token, &pm))
		fail_msg("load: %s", why);
	is_add(pm, ops);
}

/* ---- CacheSavingAndRetrieval ---- */

TEST(test_number_of_files)
{
	uint32_t models, data;

	assert_int_equal(hal_dev->ops->get_number_of_cache_files(hal_dev, &models, &data),
			 NNHAL_NONE);
	assert_int_equal(models, 1);
	assert_int_equal(data, 0);
}

TEST(test_saving_and_retrieval)
{
	int fd = memfd_new(0);

	is_add(save(chain(NNMODEL_ADD, 3), &fd, 1, 0, token_a), 3);
	assert_true(file_size(fd) > 256);
	loads_as_add(fd, token_a, 3);
	/* reading leaves it as it is */
	loads_as_add(fd, token_a, 3);
	close(fd);
}

/*
 * Quantized per channel, with constants; the signature for request checks comes from the file, too.
 */
TEST(test_saving_and_retrieval_int8)
{
	struct nnhal_prepared_model *models[2];
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	const int8_t in[] = { 1, 3, 5, -7 };
	int8_t out[2][8];
	struct hal_call c;
	int fd = memfd_new(0);

	models[0] = save(hal_model_conv_int8(), &fd, 1, 0, token_a);
	assert_int_equal(load(fd, token_a, &models[1]), NNHAL_NONE);
	for (int i = 0; i < 2; i++) {
		hal_call_init(&c, false, HAL_LIST(sizeof(in)), HAL_LIST(8));
		memcpy(hal_in(&c, 0), in, sizeof(in));
		assert_int_equal(hal_run(models[i], HAL_SYNC, &c.request, &config, NNHAL_NO_TIME,
					 &result),
				 NNHAL_NONE);
		memcpy(out[i], hal_out(&c, 0), 8);
		nnhal_execution_result_clear(&result);
		c.inputs[0].length--;
		assert_int_equal(hal_run(models[i], HAL_SYNC, &c.request, &config, NNHAL_NO_TIME,
					 &result),
				 NNHAL_INVALID_ARGUMENT);
		nnhal_execution_result_clear(&result);
		hal_call_fini(&c);
		models[i]->ops->destroy(models[i]);
	}
	assert_memory_equal(out[0], out[1], 8);
	close(fd);
}

#define WIDE 256u

static void run_heavy(struct nnhal_prepared_model *pm, float out[WIDE])
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_execution_config config = hal_config(false);
	struct hal_call c;

	hal_call_init(&c, false, HAL_LIST(WIDE * sizeof(float)), HAL_LIST(WIDE * sizeof(float)));
	for (uint32_t i = 0; i < WIDE; i++)
		((float *)hal_in(&c, 0))[i] = (float)(i % 5) - 2;
	assert_int_equal(hal_run(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME, &result),
			 NNHAL_NONE);
	memcpy(out, hal_out(&c, 0), WIDE * sizeof(float));
	nnhal_execution_result_clear(&result);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
}

/* The device gives weights back that it has packed: what is stored has them all. */
TEST(test_large_weights)
{
	float first[WIDE], out[WIDE];

	for (int round = 0; round < 30; round++) {
		struct nnhal_prepared_model *pm;
		int fd = memfd_new(0);

		run_heavy(save(hal_model_matrix(WIDE, WIDE), &fd, 1, 0, token_a),
			  round ? out : first);
		assert_int_equal(load(fd, token_a, &pm), NNHAL_NONE);
		run_heavy(pm, out);
		assert_memory_equal(out, first, sizeof(out));
		close(fd);
	}
}

/* Shapes that only the request specifies. */
TEST(test_dynamic_shapes)
{
	struct nnhal_execution_config config = hal_config(false);
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnhal_prepared_model *pm;
	int fd = memfd_new(0);
	struct hal_call c;

	pm = save(hal_model_add_dynamic(), &fd, 1, 0, token_a);
	pm->ops->destroy(pm);
	assert_int_equal(load(fd, token_a, &pm), NNHAL_NONE);
	hal_call_add(&c, false);
	c.inputs[0].rank = 2;
	c.inputs[0].dims = HAL_DIMS(2, 2);
	c.inputs[1].rank = 1;
	c.inputs[1].dims = HAL_DIMS(2);
	assert_int_equal(hal_run(pm, HAL_SYNC, &c.request, &config, NNHAL_NO_TIME, &result),
			 NNHAL_NONE);
	assert_int_equal(result.num_shapes, 1);
	assert_int_equal(result.shapes[0].rank, 2);
	hal_check_add(&c);
	nnhal_execution_result_clear(&result);
	hal_call_fini(&c);
	pm->ops->destroy(pm);
	close(fd);
}

/* An all-zero token is a token. The files may be closed as soon as the callback has come. */
TEST(test_zero_token_and_closed_files)
{
	const uint8_t zero[NNHAL_CACHE_TOKEN_SIZE] = { 0 };
	int fd = memfd_new(0), other;

	other = descriptors_reopen(fd, O_RDWR);
	save_to(other, NNMODEL_ADD, 1, zero);
	close(other);
	loads_as_add(fd, zero, 1);
	refused(fd, token_a);
	close(fd);
}

/* CacheSavingAndRetrievalNonZeroOffset */
TEST(test_non_zero_offset)
{
	struct nnhal_prepared_model *pm;
	int fd = memfd_new(0);
	uint8_t byte;

	assert_int_equal(write(fd, "\1\2", 2), 2);
	save_to(fd, NNMODEL_ADD, 3, token_a);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(read(fd, &byte, 1), 1);
	assert_int_equal(load(fd, token_a, &pm), NNHAL_NONE);
	is_add(pm, 3);
	/* nor is the offset moved */
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 1);
	close(fd);
}

/* A longer old file is truncated. */
TEST(test_truncated_before_writing)
{
	int fd = memfd_new(0);
	size_t size;

	save_to(fd, NNMODEL_ADD, 2, token_a);
	size = file_size(fd);
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	save_to(fd, NNMODEL_ADD, 2, token_a);
	assert_int_equal(file_size(fd), size);
	loads_as_add(fd, token_a, 2);
	close(fd);
}

/* ---- InvalidNumCache, InvalidAccessMode ---- */

TEST(test_invalid_num_cache)
{
	static const uint32_t counts[][2] = { { 2, 0 }, { 0, 0 }, { 1, 1 }, { 0, 1 }, { 32, 32 } };
	struct nnhal_prepared_model *pm;
	int files[64], good = memfd_new(0);

	save_to(good, NNMODEL_ADD, 3, token_a);
	for (size_t i = 0; i < 64; i++)
		files[i] = i ? memfd_new(0) : descriptors_reopen(good, O_RDWR);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		uint32_t models = counts[i][0], data = counts[i][1];

		/* SaveToCacheInvalidNumCache */
		is_add(save(chain(NNMODEL_ADD, 3), files + 1, models, data, token_a), 3);
		assert_int_equal(load_until(files + 1, models, data, token_a, NNHAL_NO_TIME, &pm),
				 NNHAL_INVALID_ARGUMENT);
		/* PrepareModelFromCacheInvalidNumCache */
		assert_int_equal(load_until(files, models, data, token_a, NNHAL_NO_TIME, &pm),
				 NNHAL_INVALID_ARGUMENT);
		assert_null(pm);
	}
	for (size_t i = 0; i < 64; i++)
		close(files[i]);
	close(good);
}

TEST(test_bad_arguments)
{
	struct nnhal_prepared_model *pm;
	int fd = memfd_new(0), none = -1, pipes[2];

	/* no token, no descriptor, a pipe, a folder: all the same to prepare_model */
	is_add(save(chain(NNMODEL_ADD, 1), &fd, 1, 0, NULL), 1);
	assert_int_equal(file_size(fd), 0);
	assert_int_equal(load_until(&fd, 1, 0, NULL, NNHAL_NO_TIME, &pm), NNHAL_INVALID_ARGUMENT);
	is_add(save(chain(NNMODEL_ADD, 1), &none, 1, 0, token_a), 1);
	refused(none, token_a);
	assert_int_equal(pipe(pipes), 0);
	is_add(save(chain(NNMODEL_ADD, 1), &pipes[1], 1, 0, token_a), 1);
	refused(pipes[0], token_a);
	close(pipes[0]);
	close(pipes[1]);
	save_to(fd, NNMODEL_ADD, 1, token_a);
	assert_int_equal(load_until(&fd, 1, 0, token_a, -2, &pm), NNHAL_INVALID_ARGUMENT);
	assert_int_equal(hal_dev->ops->prepare_model_from_cache(hal_dev, NNHAL_NO_TIME, &fd, 1,
								NULL, 0, token_a, NULL, NULL),
			 NNHAL_INVALID_ARGUMENT);
	close(fd);
}

TEST(test_invalid_access_mode)
{
	int fd = memfd_new(0), other;

	/* SaveToCacheInvalidAccessMode */
	other = descriptors_reopen(fd, O_RDONLY);
	is_add(save(chain(NNMODEL_ADD, 3), &other, 1, 0, token_a), 3);
	assert_int_equal(file_size(fd), 0);
	refused(other, token_a);
	close(other);
	/* PrepareModelFromCacheInvalidAccessMode */
	save_to(fd, NNMODEL_ADD, 3, token_a);
	other = descriptors_reopen(fd, O_WRONLY);
	refused(other, token_a);
	close(other);
	loads_as_add(fd, token_a, 3);
	close(fd);
}

/* A file that cannot grow, as on a full disk: no entry, and no harm. */
TEST(test_no_space)
{
	int fd = memfd_sealed(0, F_SEAL_GROW);

	is_add(save(chain(NNMODEL_ADD, 3), &fd, 1, 0, token_a), 3);
	assert_int_equal(file_size(fd), 0);
	refused(fd, token_a);
	close(fd);
}

/* ---- deadlines ---- */

TEST(test_deadlines)
{
	struct nnhal_prepared_model *pm;
	enum nnhal_status status;
	int fd = memfd_new(0);

	save_to(fd, NNMODEL_ADD, 3, token_a);
	assert_int_equal(load_until(&fd, 1, 0, token_a, hal_now_ns(), &pm),
			 NNHAL_MISSED_DEADLINE_PERSISTENT);
	assert_null(pm);
	status = load_until(&fd, 1, 0, token_a, hal_now_ns() + 5000000, &pm);
	assert_true(status == NNHAL_NONE || status == NNHAL_MISSED_DEADLINE_TRANSIENT);
	if (pm)
		is_add(pm, 3);
	assert_int_equal(load_until(&fd, 1, 0, token_a, INT64_MAX, &pm), NNHAL_NONE);
	is_add(pm, 3);
	close(fd);
}

/* ---- TOCTOU ---- */

struct overwriter {
	pthread_t thread;
	atomic_bool stop;
	atomic_uint times;
	int fd; /* overwritten, again and again */
	uint8_t *with;
	size_t size;
};

static void *overwrite(void *cookie)
{
	struct overwriter *o = cookie;

	while (!o->stop) {
		if (ftruncate(o->fd, 0) || pwrite(o->fd, o->with, o->size, 0) != (ssize_t)o->size)
			return o;
		o->times++;
	}
	return NULL;
}

/* Overwrites @fd with the entry of a chain of MUL, saved with @token. */
static void overwriter_start(struct overwriter *o, int fd, const uint8_t *token)
{
	int other = memfd_new(0);

	memset(o, 0, sizeof(*o));
	save_to(other, NNMODEL_MUL, TOCTOU_OPERATIONS, token);
	o->fd = fd;
	o->size = file_size(other);
	o->with = malloc(o->size);
	assert_int_equal(pread(other, o->with, o->size, 0), o->size);
	close(other);
	assert_int_equal(pthread_create(&o->thread, NULL, overwrite, o), 0);
}

static void overwriter_stop(struct overwriter *o)
{
	void *failed;

	o->stop = true;
	pthread_join(o->thread, &failed);
	assert_null(failed);
	free(o->with);
}

TEST(test_save_toctou)
{
	struct nnhal_prepared_model *pm;
	struct overwriter o;
	int fd = memfd_new(0);

	for (int i = 0; i < TOCTOU_ITERATIONS; i++) {
		overwriter_start(&o, fd, token_b);
		save_to(fd, NNMODEL_ADD, TOCTOU_OPERATIONS, token_a);
		overwriter_stop(&o);
		/* the last writer's: the ADD model, or no entry */
		if (load(fd, token_a, &pm) == NNHAL_NONE)
			is_add(pm, TOCTOU_OPERATIONS);
	}
	close(fd);
}

TEST(test_load_toctou)
{
	struct nnhal_prepared_model *pm;
	unsigned int times = 0;
	struct overwriter o;
	int fd = memfd_new(0);

	for (int i = 0; i < TOCTOU_ITERATIONS; i++) {
		save_to(fd, NNMODEL_ADD, TOCTOU_OPERATIONS, token_a);
		overwriter_start(&o, fd, token_b);
		if (load(fd, token_a, &pm) == NNHAL_NONE)
			is_add(pm, TOCTOU_OPERATIONS);
		overwriter_stop(&o);
		times += o.times;
	}
	assert_true(times > 0);
	close(fd);
}

/* Same token, so only the digest can tell a half of one entry and a half of the other. */
TEST(test_mixed_entries)
{
	int fd = memfd_new(0), other = memfd_new(0);
	uint8_t *add, *mul, *mixed;
	size_t size, cut;

	save_to(fd, NNMODEL_ADD, 8, token_a);
	save_to(other, NNMODEL_MUL, 8, token_a);
	size = file_size(fd);
	assert_int_equal(file_size(other), size);
	add = malloc(size);
	mul = malloc(size);
	mixed = malloc(size);
	assert_int_equal(pread(fd, add, size, 0), size);
	assert_int_equal(pread(other, mul, size, 0), size);
	for (cut = 64; cut < size; cut += 64) {
		memcpy(mixed, add, cut);
		memcpy(mixed + cut, mul + cut, size - cut);
		assert_int_equal(pwrite(fd, mixed, size, 0), size);
		if (memcmp(mixed, add, size) && memcmp(mixed, mul, size))
			refused(fd, token_a);
	}
	free(add);
	free(mul);
	free(mixed);
	close(fd);
	close(other);
}

struct writer {
	pthread_t thread;
	int fd;
	uint32_t ops;
};

static void *write_entries(void *cookie)
{
	struct writer *w = cookie;

	for (int i = 0; i < 20; i++)
		save_to(w->fd, NNMODEL_ADD, w->ops, token_a);
	return NULL;
}

/* Concurrent preparations save into one file: the final content is complete, or refused. */
TEST(test_concurrent_writers)
{
	struct nnhal_prepared_model *pm;
	struct writer writers[4];
	int fd = memfd_new(0);
	float out[4];

	for (uint32_t i = 0; i < 4; i++) {
		writers[i] = (struct writer){ .fd = fd, .ops = 10 * (i + 1) };
		assert_int_equal(
			pthread_create(&writers[i].thread, NULL, write_entries, &writers[i]), 0);
	}
	for (int i = 0; i < 50; i++) {
		if (load(fd, token_a, &pm))
			continue;
		run(pm, out);
		assert_true(out[0] == 11 || out[0] == 21 || out[0] == 31 || out[0] == 41);
	}
	for (uint32_t i = 0; i < 4; i++)
		pthread_join(writers[i].thread, NULL);
	save_to(fd, NNMODEL_ADD, 7, token_a);
	loads_as_add(fd, token_a, 7);
	close(fd);
}

/* ---- Security ---- */

/* ReplaceSecuritySensitiveCache */
TEST(test_replaced_file)
{
	int fd = memfd_new(0);

	save_to(fd, NNMODEL_MUL, 3, token_b);
	refused(fd, token_a);
	assert_non_null(strstr(why, "token"));
	close(fd);
}

TEST(test_corrupted_model_cache)
{
	int fd = memfd_new(0);
	size_t size;

	save_to(fd, NNMODEL_ADD, 3, token_a);
	size = file_size(fd);
	srand(1);
	/* each bit of the header, and as many elsewhere */
	for (size_t i = 0; i < 2 * 256 * 8; i++) {
		size_t bit = i < 256 * 8 ? i : (size_t)rand() % (size * 8);
		uint8_t byte;

		/*
		 * the callback's grace period makes a load 2 ms long: a part of the header's bits
		 * will do
		 */
		if (i % 5)
			continue;
		assert_int_equal(pread(fd, &byte, 1, (off_t)(bit / 8)), 1);
		byte ^= (uint8_t)(1u << bit % 8);
		assert_int_equal(pwrite(fd, &byte, 1, (off_t)(bit / 8)), 1);
		refused(fd, token_a);
		byte ^= (uint8_t)(1u << bit % 8);
		assert_int_equal(pwrite(fd, &byte, 1, (off_t)(bit / 8)), 1);
	}
	loads_as_add(fd, token_a, 3);
	close(fd);
}

TEST(test_wrong_length_model_cache)
{
	static const uint8_t more[256];
	int fd = memfd_new(0);
	size_t size;

	save_to(fd, NNMODEL_ADD, 3, token_a);
	size = file_size(fd);
	for (size_t n = 1; n <= 256; n += n < 8 ? 1 : 31) {
		assert_int_equal(pwrite(fd, more, n, (off_t)size), n);
		refused(fd, token_a);
		assert_int_equal(ftruncate(fd, (off_t)size), 0);
	}
	loads_as_add(fd, token_a, 3);
	for (size_t left = size - 1; left > 0; left = left > 100 ? left - 97 : left / 2) {
		assert_int_equal(ftruncate(fd, (off_t)left), 0);
		refused(fd, token_a);
	}
	assert_int_equal(ftruncate(fd, 0), 0);
	refused(fd, token_a);
	/* sparse and larger than any program: refused without reading it */
	assert_int_equal(ftruncate(fd, INT64_C(1) << 40), 0);
	refused(fd, token_a);
	close(fd);
}

TEST(test_wrong_token)
{
	uint8_t token[NNHAL_CACHE_TOKEN_SIZE];
	int fd = memfd_new(0);

	save_to(fd, NNMODEL_ADD, 3, token_a);
	for (size_t bit = 0; bit < sizeof(token) * 8; bit++) {
		memcpy(token, token_a, sizeof(token));
		token[bit / 8] ^= (uint8_t)(1u << bit % 8);
		refused(fd, token);
	}
	loads_as_add(fd, token_a, 3);
	close(fd);
}

/* The compiler is deterministic: the same model gives the same file. */
TEST(test_same_model_same_file)
{
	int files[] = { memfd_new(0), memfd_new(0) };
	uint8_t *bytes[2];
	size_t size;

	for (int i = 0; i < 2; i++) {
		save_to(files[i], NNMODEL_ADD, 5, token_a);
		size = file_size(files[0]);
		assert_int_equal(file_size(files[i]), size);
		bytes[i] = malloc(size);
		assert_int_equal(pread(files[i], bytes[i], size, 0), size);
	}
	assert_memory_equal(bytes[0], bytes[1], size);
	for (int i = 0; i < 2; i++) {
		free(bytes[i]);
		close(files[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_number_of_files),
		cmocka_unit_test(test_saving_and_retrieval),
		cmocka_unit_test(test_saving_and_retrieval_int8),
		cmocka_unit_test(test_large_weights),
		cmocka_unit_test(test_dynamic_shapes),
		cmocka_unit_test(test_zero_token_and_closed_files),
		cmocka_unit_test(test_non_zero_offset),
		cmocka_unit_test(test_truncated_before_writing),
		cmocka_unit_test(test_invalid_num_cache),
		cmocka_unit_test(test_bad_arguments),
		cmocka_unit_test(test_invalid_access_mode),
		cmocka_unit_test(test_no_space),
		cmocka_unit_test(test_deadlines),
		cmocka_unit_test(test_save_toctou),
		cmocka_unit_test(test_load_toctou),
		cmocka_unit_test(test_mixed_entries),
		cmocka_unit_test(test_concurrent_writers),
		cmocka_unit_test(test_replaced_file),
		cmocka_unit_test(test_corrupted_model_cache),
		cmocka_unit_test(test_wrong_length_model_cache),
		cmocka_unit_test(test_wrong_token),
		cmocka_unit_test(test_same_model_same_file),
	};

	return cmocka_run_group_tests_name("hal-cache", tests, hal_setup, hal_teardown);
}
