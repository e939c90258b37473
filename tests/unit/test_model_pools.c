// SPDX-License-Identifier: Apache-2.0
/* libnnmodel: constants in pools of memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model_chain.h"
#include "test_case.h"
#include "value_file.h"

static int memory(const char *name, const void *data, size_t size, unsigned int flags)
{
	const int fd = memfd_create(name, MFD_CLOEXEC | flags);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	return fd;
}

TEST(test_pools)
{
	struct nnmodel *m = model_chain();

	assert_int_equal(nnmodel_add_pool(m, -1, PROT_READ, 0, 8), -EINVAL);
	assert_int_equal(nnmodel_add_pool(m, 0, PROT_READ, 0, 0), -EINVAL);
	assert_int_equal(nnmodel_add_pool(m, memory("pool", "0123456789abcdef", 16, 0), PROT_READ,
					  0, 16),
			 0);
	model_valid(m);
	m->pools[0].prot = PROT_EXEC;
	model_refused(m, MODEL_NONE, MODEL_NONE, "pool 0: protection");
	m->pools[0].prot = 0;
	model_valid(m);
	m->pools[0].size = 0;
	model_refused(m, MODEL_NONE, MODEL_NONE, "pool 0: empty");
	m->pools[0].size = 16;
	m->pools[0].offset = UINT64_MAX - 3;
	model_refused(m, MODEL_NONE, MODEL_NONE, "overflow");
	m->pools[0].offset = 0;

	assert_int_equal(nnmodel_set_value_from_pool(m, 2, 1, 0, 4), -EINVAL);
	assert_int_equal(nnmodel_set_value_from_pool(m, 2, 0, 13, 4), -EINVAL);
	assert_int_equal(nnmodel_set_value_from_pool(m, 2, 0, UINT64_MAX, 4), -EINVAL);
	assert_int_equal(nnmodel_set_value_from_pool(m, 99, 0, 0, 4), -EINVAL);
	assert_int_equal(nnmodel_set_value_from_pool(m, 2, 0, 12, 4), 0);
	model_valid(m);
	m->main.operands[2].location.offset = 13;
	model_refused(m, MODEL_NONE, 2, "constant at 13, 4 bytes, of 16");
	m->main.operands[2].location.offset = UINT64_MAX;
	model_refused(m, MODEL_NONE, 2, "constant at");
	m->main.operands[2].location.offset = 12;
	m->main.operands[2].location.pool = 1;
	model_refused(m, MODEL_NONE, 2, "pool 1 of 1");
	nnmodel_free(m);
}

/* Constants read from a pool, by both ways of making it readable. */
static void read_pool(bool sealed)
{
	const size_t size = 3 * 4096 + 16;
	uint8_t *bytes = malloc(size);
	struct nnmodel *m = model_chain(), *copy;
	struct nnmodel_maps *maps;
	struct nnmodel_operand *o = &m->main.operands[2];
	const void *data;
	size_t n;
	int fd;

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(i * 7 + i / 256);
	fd = memory("pool", bytes, size, MFD_ALLOW_SEALING);
	if (sealed)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	/* the pool begins inside the file, off a page */
	assert_int_equal(nnmodel_add_pool(m, fd, PROT_READ, 100, size - 100), 0);
	assert_int_equal(nnmodel_set_value_from_pool(m, 2, 0, 8192, 4), 0);
	assert_int_equal(nnmodel_map_pools(m, &maps), 0);
	assert_int_equal(nnmodel_constant(m, maps, o, &data, &n), 0);
	assert_int_equal(n, 4);
	assert_memory_equal(data, bytes + 8292, 4);
	/* outside of the mapped constants, or of the pool */
	o->location.offset = 0;
	assert_int_equal(nnmodel_constant(m, maps, o, &data, &n), -EINVAL);
	o->location.offset = UINT64_MAX - 2;
	assert_int_equal(nnmodel_constant(m, maps, o, &data, &n), -EINVAL);
	o->location.offset = 8192;
	o->location.length = 8;
	assert_int_equal(nnmodel_constant(m, maps, o, &data, &n), -EINVAL);
	o->location.length = 4;
	o->location.pool = 1;
	assert_int_equal(nnmodel_constant(m, maps, o, &data, &n), -EINVAL);
	o->location.pool = 0;
	assert_int_equal(nnmodel_constant(m, NULL, o, &data, &n), -EINVAL);
	assert_int_equal(nnmodel_constant(m, maps, &m->main.operands[0], &data, &n), -ENODATA);
	/* the owner of an unsealed file truncates it: no fault */
	if (!sealed) {
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(nnmodel_constant(m, maps, o, &data, &n), 0);
		assert_memory_equal(data, bytes + 8292, 4);
	}
	nnmodel_unmap_pools(maps);
	if (!sealed) { /* the next mapping finds the pool truncated */
		assert_int_equal(nnmodel_map_pools(m, &maps), -EINVAL);
		assert_null(maps);
	} else {
		/* a clone has its own descriptor */
		copy = nnmodel_clone(m);
		assert_int_not_equal(copy->pools[0].fd, m->pools[0].fd);
		nnmodel_free(m);
		m = copy;
		assert_int_equal(nnmodel_map_pools(m, &maps), 0);
		assert_int_equal(nnmodel_constant(m, maps, &m->main.operands[2], &data, &n), 0);
		assert_memory_equal(data, bytes + 8292, 4);
		nnmodel_unmap_pools(maps);
	}
	nnmodel_free(m);
	free(bytes);
}

/*
 * Memory of huge pages that do not exist: a mapping fails, or ends the process when it is read.
 * Read as a file, it is zeros.
 */
TEST(test_huge_pages)
{
	const int fd = memfd_create("pool", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);
	struct nnmodel *m = model_chain();
	struct nnmodel_maps *maps;
	const void *data;
	size_t n;

	if (fd < 0) {
		/* a kernel without huge pages */
		assert_true(errno == EINVAL || errno == ENOSYS);
		nnmodel_free(m);
		return;
	}
	assert_int_equal(ftruncate(fd, 1 << 30), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_WRITE), 0);
	assert_int_equal(nnmodel_add_pool(m, fd, PROT_READ, 0, 1 << 30), 0);
	assert_int_equal(nnmodel_set_value_from_pool(m, 2, 0, 0, 4), 0);
	assert_int_equal(nnmodel_map_pools(m, &maps), 0);
	assert_int_equal(nnmodel_constant(m, maps, &m->main.operands[2], &data, &n), 0);
	assert_memory_equal(data, "\0\0\0\0", 4);
	nnmodel_unmap_pools(maps);
	nnmodel_free(m);
}

TEST(test_pool_contents)
{
	struct nnmodel_maps *maps;
	struct nnmodel *m;
	int fds[2];

	read_pool(false);
	read_pool(true);

	/* pools that reach beyond their file, or whose descriptor is not a file */
	m = model_chain();
	assert_int_equal(nnmodel_add_pool(m, memory("pool", "0123456789abcdef", 16, 0), PROT_READ,
					  0, 17),
			 0);
	assert_int_equal(nnmodel_set_value_from_pool(m, 2, 0, 0, 4), 0);
	model_valid(m);
	assert_int_equal(nnmodel_map_pools(m, &maps), -EINVAL);
	m->pools[0].size = 16;
	m->pools[0].offset = 1;
	assert_int_equal(nnmodel_map_pools(m, &maps), -EINVAL);
	m->pools[0].offset = INT64_MAX;
	assert_int_equal(nnmodel_map_pools(m, &maps), -EINVAL);
	m->pools[0].offset = UINT64_MAX;
	assert_int_equal(nnmodel_map_pools(m, &maps), -EINVAL);
	m->pools[0].offset = 0;
	assert_int_equal(nnmodel_map_pools(m, &maps), 0);
	nnmodel_unmap_pools(maps);
	m->main.operands[2].location.offset = 14;
	assert_int_equal(nnmodel_map_pools(m, &maps), -EINVAL);
	m->main.operands[2].location.offset = 0;
	close(m->pools[0].fd);
	m->pools[0].fd = -1;
	assert_int_equal(nnmodel_map_pools(m, &maps), -EBADF);
	assert_int_equal(pipe(fds), 0);
	m->pools[0].fd = fds[0];
	assert_int_equal(nnmodel_map_pools(m, &maps), -ESPIPE);
	close(fds[1]);
	/* a pool that no constant needs is not touched */
	assert_int_equal(nnmodel_set_value(m, 2, (int32_t[]){ 0 }, 4), 0);
	assert_int_equal(nnmodel_map_pools(m, &maps), 0);
	nnmodel_unmap_pools(maps);
	nnmodel_unmap_pools(NULL);
	nnmodel_free(m);
}

/* Large values go into a file that nothing can change once it is sealed; small ones do not. */
TEST(test_value_file)
{
	const size_t size = NNMODEL_LARGE_VALUE + 4;
	uint8_t *bytes = malloc(2 * size);
	struct nnmodel_value_file file = { 0 }, none = { 0 };
	struct nnmodel *m = model_chain();
	struct nnmodel_maps *maps;
	uint32_t dims[1] = { (uint32_t)size };
	const void *data;
	int large[2];
	size_t n;

	for (size_t i = 0; i < 2 * size; i++)
		bytes[i] = (uint8_t)(i * 7 + i / 256);
	assert_int_equal(nnmodel_seal_value_file(m, &none), 0);
	assert_int_equal(nnmodel_set_value_in_file(m, &file, 2, (int32_t[]){ 0 }, 4), 0);
	assert_int_equal(m->main.operands[2].lifetime, NNMODEL_CONSTANT_COPY);
	assert_int_equal(m->num_pools, 0);
	for (int i = 0; i < 2; i++) {
		large[i] = nnmodel_add_operand(m, NNMODEL_TENSOR_QUANT8_ASYMM,
					       NNMODEL_TEMPORARY_VARIABLE, dims, 1, 1, 0);
		assert_int_equal(nnmodel_set_value_in_file(m, &file, (uint32_t)large[i],
							   bytes + (size_t)i * size, size),
				 0);
		assert_int_equal(m->main.operands[large[i]].lifetime, NNMODEL_CONSTANT_REFERENCE);
		assert_int_equal(m->main.operands[large[i]].location.offset % 64, 0);
	}
	assert_int_equal(m->num_pools, 1);
	assert_int_equal(nnmodel_set_value_in_file(m, &file, 99, bytes, size), -EINVAL);
	assert_int_equal(nnmodel_seal_value_file(m, &file), 0);
	assert_int_equal(pwrite(m->pools[0].fd, "x", 1, 0), -1);
	assert_int_equal(ftruncate(m->pools[0].fd, 0), -1);
	assert_int_equal(nnmodel_set_value_in_file(m, &file, 2, bytes, size), -EPERM);
	assert_int_equal(nnmodel_map_pools(m, &maps), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(nnmodel_constant(m, maps, &m->main.operands[large[i]], &data, &n),
				 0);
		assert_int_equal(n, size);
		assert_memory_equal(data, bytes + (size_t)i * size, size);
	}
	nnmodel_unmap_pools(maps);
	nnmodel_free(m);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pools),
		cmocka_unit_test(test_pool_contents),
		cmocka_unit_test(test_huge_pages),
		cmocka_unit_test(test_value_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
