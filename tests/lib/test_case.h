/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka with the headers that it needs, and the heads of tests and fixtures that have no state. */
#ifndef TEST_CASE_H
#define TEST_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/** A test; cmocka's state is not used. */
#define TEST(name) static void name(__attribute__((unused)) void **state)
/** A setup or teardown function; cmocka's state is not used. */
#define FIXTURE(name) static int name(__attribute__((unused)) void **state)

#endif
