/* Expected: texts that are compared with files below tests/. Who changes one of them on purpose
 * writes the files anew with UPDATE=1, and reads what has changed. */
#ifndef TESTS_EXPECTED_H
#define TESTS_EXPECTED_H

#include "base/str.h"

/* The test fails where the file (below the source) is not this text, and shows the first line that
 * differs. */
void expected_is(const char *file, const struct mer_str *text);
/* What the file has, malloc'ed. */
char *expected_read(const char *file);
/* What is in it behind "== NAME" up to the next such line, malloc'ed; "": nothing. */
char *expected_part(const char *text, const char *name);
/* Runs each of the files of a folder that end with .txt. */
void expected_each(const char *folder, void (*run)(const char *file));

#endif
