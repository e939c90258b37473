/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that a test makes. They are in one folder of the process, which is below the folder of the
 * run (nn_scratch of scripts/lib.sh): a killed test leaves nothing. The process that made the
 * folder removes it at its end, children do not. The functions end the test by cmocka where one
 * fails; a failure outside of a case ends the process.
 */
#ifndef TESTS_LIB_TEMP_H
#define TESTS_LIB_TEMP_H

#include <stddef.h>

/** The folder, which exists. The name is valid until temp_remove(). */
const char *temp_folder(void);
/** A path in it; valid until temp_remove(), the same text gives the same pointer. */
const char *temp_path(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** A new folder in it: temp_path() of a name that is not taken yet. */
const char *temp_folder_new(void);
/**
 * How many files of the folder match @pattern (fnmatch()), but for those whose name begins with a
 * dot. @one, which may be NULL: temp_path() of one of them.
 */
unsigned int temp_count(const char *pattern, const char **one);
/** Remove the folder with all that is in it, and the paths. The next call makes another. */
void temp_remove(void);
/** The same as a teardown function of cmocka. */
int temp_teardown(void **state);

/** A file of @size bytes on a disk, without a name, to read and write; the caller closes it. */
int temp_file(size_t size);

/** Remove a file, or a folder with all that is in it, if it exists. */
void temp_remove_path(const char *path);
/** Create the folders that lead to @path, as far as they do not exist. */
void temp_make_folders(const char *path);
/** Write a whole file; of a text, to the end of the text. */
void temp_write(const char *path, const void *bytes, size_t size);
void temp_write_text(const char *path, const char *text);
/** Read a whole file, and a '\0' behind it: malloc'ed, the caller's. @size may be NULL. */
char *temp_read(const char *path, size_t *size);

#endif
