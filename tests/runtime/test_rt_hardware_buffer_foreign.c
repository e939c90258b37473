// SPDX-License-Identifier: Apache-2.0
/*
 * A process that has AHardwareBuffers of its own: another library's functions of the same names,
 * found before everybody's. The runtime and nnaccel's libnativewindow.so must neither call them nor
 * follow their pointers.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "android/hardware_buffer.h"
#include "rt_test.h"

#define FOREIGN(result, name, arguments)                                      \
	__attribute__((visibility("default"))) result name arguments;         \
	result name arguments                                                 \
	{                                                                     \
		fprintf(stderr, "%s of the application was called\n", #name); \
		abort();                                                      \
	}
FOREIGN(int, AHardwareBuffer_allocate, (const AHardwareBuffer_Desc *desc, AHardwareBuffer **buffer))
FOREIGN(void, AHardwareBuffer_acquire, (AHardwareBuffer * buffer))
FOREIGN(void, AHardwareBuffer_release, (AHardwareBuffer * buffer))
FOREIGN(void, AHardwareBuffer_describe, (const AHardwareBuffer *buffer, AHardwareBuffer_Desc *desc))
FOREIGN(int, AHardwareBuffer_lock,
	(AHardwareBuffer * buffer, uint64_t usage, int32_t fence, const ARect *rect,
	 void **address))
FOREIGN(int, AHardwareBuffer_unlock, (AHardwareBuffer * buffer, int32_t *fence))
FOREIGN(int, AHardwareBuffer_isSupported, (const AHardwareBuffer_Desc *desc))
FOREIGN(int, AHardwareBuffer_getId, (const AHardwareBuffer *buffer, uint64_t *id))

/* A foreign AHardwareBuffer, whose fields must not be read. */
static AHardwareBuffer *foreign_buffer(void)
{
	void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(page, MAP_FAILED);
	return page;
}

TEST(without_the_library)
{
	ANeuralNetworksMemory *memory = (void *)1;

	assert_null(dlopen("libnativewindow.so", RTLD_LAZY | RTLD_NOLOAD));
	RT_BAD_DATA(ANeuralNetworksMemory_createFromAHardwareBuffer(foreign_buffer(), &memory));
	assert_null(memory);
	/* asking did not load it */
	assert_null(dlopen("libnativewindow.so", RTLD_LAZY | RTLD_NOLOAD));
}

#define LOAD(name) __typeof__(&name) p_##name = (__typeof__(&name))dlsym(library, #name)

TEST(with_the_library)
{
	const AHardwareBuffer_Desc desc = {
		.width = 64,
		.height = 1,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_BLOB,
		.usage = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN |
			 AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN,
	};
	const char *path = getenv("NATIVEWINDOW");
	void *library = path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL, *data;
	ANeuralNetworksMemory *memory = (void *)1;
	AHardwareBuffer_Planes planes;
	AHardwareBuffer *buffer;
	int32_t pixel, row;
	uint64_t id;

	assert_non_null(library);
	LOAD(AHardwareBuffer_allocate);
	LOAD(AHardwareBuffer_release);
	LOAD(AHardwareBuffer_lockAndGetInfo);
	LOAD(AHardwareBuffer_lockPlanes);
	LOAD(AHardwareBuffer_getId);
	assert_int_equal(p_AHardwareBuffer_allocate(&desc, &buffer), 0);
	RT_BAD_DATA(ANeuralNetworksMemory_createFromAHardwareBuffer(foreign_buffer(), &memory));
	assert_null(memory);
	RT_OK(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &memory));
	assert_int_equal(p_AHardwareBuffer_lockAndGetInfo(buffer, desc.usage, -1, NULL, &data,
							  &pixel, &row),
			 0);
	assert_int_equal(p_AHardwareBuffer_lockPlanes(buffer, desc.usage, -1, NULL, &planes), 0);
	assert_ptr_equal(planes.planes[0].data, data);
	assert_int_equal(p_AHardwareBuffer_getId(buffer, &id), 0);
	p_AHardwareBuffer_release(buffer);
	ANeuralNetworksMemory_free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_the_library),
		cmocka_unit_test(with_the_library),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
