/* Every byte of three small traces flipped, in several ways, and every truncation of every file:
 * no crash, no hang, memory bounded; and what is read twice is the same twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/slices.h"
#include "trace/walk.h"

enum { MAX_SECONDS = 20, MAX_MB = 256 };

static char base[] = "/tmp/meridian-damage-XXXXXX";

/* What is being tried, for when it hangs. */
static char trying[700];

static void give_up(int signal)
{
	(void)signal;
	static const char text[] = "no end after 20 s: ";
	if (write(2, text, sizeof(text) - 1) < 0 || write(2, trying, strlen(trying)) < 0)
		_exit(2);
	_exit(1);
}

static int make_base(void **state)
{
	(void)state;
	signal(SIGALRM, give_up);
	return mkdtemp(base) ? 0 : -1;
}

static int drop_base(void **state)
{
	char cmd[200];
	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", base);
	return system(cmd);
}

/* Opens, walks and reads all; returns the number of events read in order, -1: nothing to read. */
static int64_t read_all(const char *dir, uint64_t *walked)
{
	struct mer_err err;
	struct mer_experiment *e;
	int64_t n_events = 0;
	*walked = 0;
	alarm(MAX_SECONDS);
	if (mer_experiment_open(&dir, 1, NULL, &e, &err)) {
		assert_true(err.text[0] != '\0');
		return -1;
	}
	struct trace_counts *counts;
	assert_int_equal(trace_walk(e, 1, NULL, NULL, &counts, &err), 0);
	*walked = counts->all.events;
	trace_counts_free(counts);
	struct mer_cursor *c;
	/* A schema can be too large to be compiled (a message), not worse. */
	if (mer_cursor_open(e, &(struct mer_read_options){ .headers = true }, &c, &err) == 0) {
		const struct mer_event *ev;
		size_t n;
		do {
			assert_int_equal(mer_cursor_next(c, &ev, &n, &err), 0);
			n_events += (int64_t)n;
		} while (n);
		mer_cursor_free(c);
	}
	mer_experiment_free(e);
	alarm(0);
	return n_events;
}

static void copy_trace(const char *from, const char *to)
{
	char cmd[1200];
	snprintf(cmd, sizeof(cmd), "rm -rf '%.300s' && cp -r '%.300s' '%.300s'", to, from, to);
	assert_int_equal(system(cmd), 0);
}

static void damage_file(const char *dir, const char *file)
{
	int fd = open(file, O_RDWR);
	assert_true(fd >= 0);
	struct stat st;
	fstat(fd, &st);
	static const uint8_t flips[] = { 0x01, 0x80, 0xff };
	uint64_t walked;
	for (off_t i = 0; i < st.st_size; i++) {
		uint8_t was, now;
		assert_int_equal(pread(fd, &was, 1, i), 1);
		for (size_t k = 0; k < sizeof(flips); k++) {
			now = was ^ flips[k];
			assert_int_equal(pwrite(fd, &now, 1, i), 1);
			snprintf(trying, sizeof(trying), "%.600s, byte %ld ^ %02x\n", file, (long)i,
				flips[k]);
			int64_t n = read_all(dir, &walked);
			if (n >= 0 && (uint64_t)n != walked)
				fail_msg("%s, byte %ld ^ %02x: %ld events in order, %lu counted",
					file, (long)i, flips[k], (long)n, (unsigned long)walked);
		}
		assert_int_equal(pwrite(fd, &was, 1, i), 1);
	}
	for (off_t size = st.st_size; size-- > 0;) {
		assert_int_equal(ftruncate(fd, size), 0);
		snprintf(trying, sizeof(trying), "%.600s cut to %ld bytes\n", file, (long)size);
		read_all(dir, &walked);
	}
	close(fd);
}

static void damage_scenario(const char *scenario, const char *version)
{
	const char *ctfgen = getenv("CTFGEN"), *src = getenv("SRC");
	if (!ctfgen || !src || access(ctfgen, X_OK) != 0) {
		print_message("skipped: no ctfgen\n");
		skip();
	}
	char good[300], bad[300], cmd[1200], file[900];
	snprintf(good, sizeof(good), "%s/good", base);
	snprintf(bad, sizeof(bad), "%s/bad", base);
	snprintf(cmd, sizeof(cmd),
		"rm -rf '%.290s'; '%s' -o '%s' --ctf %s '%s/tests/fault/%s' >/dev/null", good,
		ctfgen, good, version, src, scenario);
	assert_int_equal(system(cmd), 0);
	uint64_t walked;
	assert_true(read_all(good, &walked) > 0);
	/* Each file by itself: where it lies below the folder does not matter here. */
	snprintf(cmd, sizeof(cmd), "cd '%s' && find . -type f", good);
	FILE *list = popen(cmd, "r");
	assert_non_null(list);
	char name[200];
	while (fgets(name, sizeof(name), list)) {
		name[strcspn(name, "\n")] = '\0';
		copy_trace(good, bad);
		snprintf(file, sizeof(file), "%.300s/%.200s", bad, name);
		damage_file(bad, file);
	}
	pclose(list);
}

static void small_trace_in_tsdl(void **state)
{
	(void)state;
	damage_scenario("small.scn", "1.8");
}

static void small_trace_in_json(void **state)
{
	(void)state;
	damage_scenario("small.scn", "2");
}

static void odd_trace(void **state)
{
	(void)state;
	damage_scenario("odd.scn", "1.8");
}

static void memory_was_bounded(void **state)
{
	(void)state;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	print_message("peak memory %ld KB\n", u.ru_maxrss);
	assert_true(u.ru_maxrss < MAX_MB * 1024L);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_trace_in_tsdl),
		cmocka_unit_test(small_trace_in_json),
		cmocka_unit_test(odd_trace),
		cmocka_unit_test(memory_was_bounded),
	};
	return cmocka_run_group_tests(tests, make_base, drop_base);
}
