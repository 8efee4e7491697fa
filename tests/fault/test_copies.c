/* Recordings and captures cut at every byte, and damaged: no crash, no hang, memory bounded; and a
 * copy of less never has more in it: what is before the cut is kept.
 *
 * The inputs are those of the fuzzers. For others: test_copies STEP DAMAGED FILE..., which cuts at
 * every STEP-th byte, damages DAMAGED times, and prints what it found. A FILE is read by itself; of
 * FOLDER/+NAME:PART, NAME in the folder is read, and PART there is cut. */
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

#include "base/file.h"
#include "ftrace/read.h"
#include "pcap/read.h"

enum { MAX_SECONDS = 60, MAX_MB = 1024, TEXT = 1024 };

typedef int reader_fn(const char *path, const char *folder, uint64_t id, struct mer_err *err);

static char base[] = "/tmp/meridian-copies-XXXXXX";
static char trying[TEXT]; /* for when it crashes or hangs */

static void give_up(int signal)
{
	(void)signal;
	static const char text[] = "no end after 60 s: ";
	if (write(2, text, sizeof(text) - 1) < 0 || write(2, trying, strlen(trying)) < 0)
		_exit(2);
	_exit(1);
}

/* Bytes of the streams of events in the copy, and of nothing else. */
static uint64_t bytes_in(const char *folder)
{
	uint64_t sum = 0;
	DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d));) {
		char path[2 * TEXT];
		struct stat st;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		if (e->d_name[0] != '.' && strcmp(e->d_name, "metadata") != 0 &&
			lstat(path, &st) == 0 && S_ISREG(st.st_mode))
			sum += (uint64_t)st.st_size;
	}
	if (d)
		closedir(d);
	return sum;
}

/* Bytes of events that the copy of this has. */
static uint64_t copy(reader_fn *read_file, const char *path)
{
	char folder[TEXT], streams[TEXT + 8];
	struct mer_err err = { 0 };
	snprintf(folder, sizeof(folder), "%s/copy", base);
	snprintf(streams, sizeof(streams), "%s/0", folder);
	assert_int_equal(mkdir(folder, 0700), 0);
	alarm(MAX_SECONDS);
	int rc = read_file(path, folder, 1, &err);
	alarm(0);
	assert_true(rc == 0 || err.text[0] != '\0');
	uint64_t n = bytes_in(streams);
	assert_true(mer_remove_folder(folder));
	return n;
}

struct figures {
	uint64_t n_cut, n_damaged, n_shrunk, n_steps, all;
};

/* part: the file to cut, which may be all that is read, or lie in it. */
static void cut(reader_fn *read_file, const char *path, const char *part, size_t size, size_t step,
	struct figures *f)
{
	uint64_t last = f->all = copy(read_file, path);
	for (size_t len = size; len > 0;) {
		len = len > step ? len - step : 0;
		snprintf(trying, sizeof(trying), "%.900s cut at %zu\n", part, len);
		assert_int_equal(truncate(part, (off_t)len), 0);
		uint64_t n = copy(read_file, path);
		f->n_cut++;
		f->n_steps += n != last;
		if (n > last) {
			f->n_shrunk++;
			print_message("%s cut at %zu: %llu bytes of events, %llu with more\n", part,
				len, (unsigned long long)n, (unsigned long long)last);
		}
		last = n;
	}
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

static void damage(reader_fn *read_file, const char *path, const char *part, const uint8_t *data,
	size_t size, unsigned times, struct figures *f)
{
	uint8_t *other = malloc(size);
	uint32_t random = 1;
	assert_non_null(other);
	for (unsigned i = 0; i < times && size; i++) {
		memcpy(other, data, size);
		snprintf(trying, sizeof(trying), "%.900s damaged %u\n", part, i);
		/* Half of them where heads are, which say how what follows is to be read. */
		size_t among = i % 2 && size > 4096 ? 4096 : size;
		for (unsigned k = 1 + next_random(&random) % 20; k; k--)
			other[(((size_t)next_random(&random) << 16) ^ next_random(&random)) %
				among] ^= (uint8_t)(1u << next_random(&random) % 8);
		int fd = open(part, O_WRONLY | O_TRUNC | O_CLOEXEC);
		assert_true(fd >= 0 && mer_write_all(fd, other, size));
		close(fd);
		copy(read_file, path);
		f->n_damaged++;
	}
	free(other);
}

static uint8_t *contents(const char *path, size_t *size)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	*size = (size_t)st.st_size;
	uint8_t *data = malloc(*size + 1);
	assert_non_null(data);
	for (size_t done = 0; done < *size;) {
		ssize_t n = read(fd, data + done, *size - done);
		assert_true(n > 0);
		done += (size_t)n;
	}
	close(fd);
	return data;
}

static void put(const char *path, const uint8_t *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0 && mer_write_all(fd, data, size));
	close(fd);
}

static void try_input(reader_fn *read_file, const char *path, const char *part, const uint8_t *data,
	size_t size, size_t step, unsigned times)
{
	struct figures f = { 0 };
	cut(read_file, path, part, size, step, &f);
	damage(read_file, path, part, data, size, times, &f);
	struct rusage used;
	getrusage(RUSAGE_SELF, &used);
	print_message(
		"%s: %zu bytes, %llu of events; %llu cuts, %llu lengths with less than the one before, "
		"%llu damaged; at most %ld MB\n",
		strrchr(part, '/') + 1, size, (unsigned long long)f.all,
		(unsigned long long)f.n_cut, (unsigned long long)f.n_steps,
		(unsigned long long)f.n_damaged, used.ru_maxrss / 1024);
	assert_int_equal(f.n_shrunk, 0);
	assert_true(used.ru_maxrss / 1024 < MAX_MB);
}

static void try_file(reader_fn *read_file, const char *path, size_t step, unsigned times)
{
	char own[TEXT];
	size_t size;
	uint8_t *data = contents(path, &size);
	snprintf(own, sizeof(own), "%s/%.200s", base, strrchr(path, '/') + 1);
	put(own, data, size);
	try_input(read_file, own, own, data, size, step, times);
	unlink(own);
	free(data);
}

/* All inputs of a fuzzer. */
static void try_corpus(const char *name, reader_fn *read_file, size_t step, unsigned times)
{
	const char *source = getenv("SRC");
	char folder[TEXT], path[2 * TEXT];
	if (!source) {
		print_message("skipped: SRC is not set, this is run by ctest\n");
		skip();
	}
	snprintf(folder, sizeof(folder), "%s/fuzz/corpus/%s", source, name);
	DIR *d = opendir(folder);
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));) {
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		if (e->d_name[0] != '.')
			try_file(read_file, path, step, times);
	}
	closedir(d);
}

static void recordings(void **state)
{
	(void)state;
	/* Headers are longer than any record: not each of their bytes has to be the last one. */
	try_corpus("recording", ftrace_read, getenv("EVERYTHING") ? 1 : 13, 100);
}

static void captures(void **state)
{
	(void)state;
	try_corpus("capture", pcap_read, 1, 100);
}

static int make_base(void **state)
{
	(void)state;
	signal(SIGALRM, give_up);
	return mkdtemp(base) ? 0 : -1;
}

static int remove_base(void **state)
{
	(void)state;
	return mer_remove_folder(base) ? 0 : -1;
}

static size_t given_step;
static unsigned given_times;
static char *given;

static void given_file(void **state)
{
	(void)state;
	char *slash = strstr(given, "/+"); /* a folder */
	reader_fn *read_file = strstr(given, "pcap") ? pcap_read : ftrace_read;
	if (!slash) {
		try_file(read_file, given, given_step, given_times);
		return;
	}
	/* The folder with all its files, one of which is cut. */
	char part[TEXT];
	size_t size;
	char *name = slash + 2, *colon = strchr(name, ':');
	assert_non_null(colon);
	*slash = *colon = '\0';
	char command[3 * TEXT], read[2 * TEXT], folder[TEXT];
	snprintf(command, sizeof(command), "cp -rL '%.900s' '%s/in' && chmod -R u+w '%s/in'", given,
		base, base);
	assert_int_equal(system(command), 0);
	snprintf(folder, sizeof(folder), "%s/in", base);
	snprintf(read, sizeof(read), "%s/%.200s", folder, name);
	snprintf(part, sizeof(part), "%.500s/%.200s", folder, colon + 1);
	uint8_t *data = contents(part, &size);
	try_input(read_file, read, part, data, size, given_step, given_times);
	assert_true(mer_remove_folder(folder));
	free(data);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(recordings),
		cmocka_unit_test(captures) };
	const struct CMUnitTest one[] = { cmocka_unit_test(given_file) };
	if (argc < 4)
		return cmocka_run_group_tests(tests, make_base, remove_base);
	int failed = 0;
	given_step = strtoul(argv[1], NULL, 10);
	given_times = (unsigned)strtoul(argv[2], NULL, 10);
	signal(SIGALRM, give_up);
	for (int i = 3; i < argc; i++) {
		char again[] = "/tmp/meridian-copies-XXXXXX";
		memcpy(base, again, sizeof(again));
		given = argv[i];
		failed += cmocka_run_group_tests(one, make_base, remove_base);
	}
	return failed != 0;
}
