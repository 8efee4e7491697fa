/* Bursts (requests/bursts.h): each rule by a row of requests, one a millisecond. In a row '#' is a
 * slow one, '*' one of the slowest, '.' another one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "requests/bursts.h"

enum { MS = 1000000 };

/* "0-6 20-25": from and until. */
static void check(const char *row, const char *expected)
{
	struct requests_burst bursts[REQUESTS_MOST_BURSTS];
	size_t n = strlen(row);
	struct requests_moment *m = malloc((n + 1) * sizeof(*m));
	uint32_t n_slow = 0, n_slowest = 0;
	char text[200] = "";
	assert_non_null(m);
	for (size_t i = 0; i < n; i++)
		n_slowest += row[i] == '*';
	uint32_t slowest = 0, slow = 0, other;
	for (size_t i = 0; i < n; i++)
		n_slow += row[i] != '.';
	other = n_slow;
	/* Ranks in no order of time: by a prime step. */
	uint32_t n_usual = n_slow - n_slowest, step = n_usual % 17 ? 17 : 19;
	for (size_t i = 0; i < n; i++)
		m[i] = (struct requests_moment){ .begin = (int64_t)i * MS,
			.place = (uint32_t)i,
			.rank = row[i] == '*'	? slowest++
				: row[i] == '#' ? n_slowest + slow++ * step % n_usual
						: other++ };
	unsigned found = requests_bursts_find(m, n, n_slow, bursts);
	for (unsigned i = 0; i < found; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%zu-%zu",
			i ? " " : "", bursts[i].from, bursts[i].until);
	free(m);
	assert_string_equal(text, expected);
}

#define TEN ".........."
#define FIFTY TEN TEN TEN TEN TEN
#define TWO_HUNDRED FIFTY FIFTY FIFTY FIFTY

static void one(void **state)
{
	(void)state;
	check("######" TWO_HUNDRED, "0-6");
	check(TWO_HUNDRED "######" FIFTY, "200-206");
	/* Some others in between. */
	check(FIFTY "###.##.##" TWO_HUNDRED, "50-59");
	/* One that most requests do not feel. */
	check(TWO_HUNDRED "#..#..#.#..#..#.#..#..#" TWO_HUNDRED, "200-223");
	/* And slow ones elsewhere. */
	check("######" TEN "#" FIFTY "#" FIFTY "#" TWO_HUNDRED "#" TEN, "0-6");
}

static void none(void **state)
{
	(void)state;
	check("", "");
	check(TWO_HUNDRED, "");
	/* Three are too few, and so is chance. */
	check("###" TWO_HUNDRED, "");
	check("#" TEN "#" TEN "#" TEN "#" TEN "#" TEN "#" TEN "#" TEN, "");
	/* No more than a few requests, or all of them slow. */
	check("####.....", "");
	check("##########################", "");
	/* Most of the time. */
	check(TEN "#####.#####.#####.#####.#####.#####.#####.#####.#####.#####" TEN TEN TEN, "");
}

/* Slow ones come together all the time: no time is special. */
static void recurring(void **state)
{
	(void)state;
	check("######" TWO_HUNDRED "######" TWO_HUNDRED "######" TWO_HUNDRED,
		"0-6 206-212 412-418");
	check("######" TWO_HUNDRED "######" TWO_HUNDRED "######" TWO_HUNDRED "######" TWO_HUNDRED,
		"");
}

/* A few that are slower than all others, and slow ones all over. */
static void slowest(void **state)
{
#define SLOW TEN ".#" TEN ".#" TEN ".#" TEN ".#"
	(void)state;
	check("#.#.##.#" SLOW SLOW SLOW SLOW SLOW, "");
	check("*.*.**.*" SLOW SLOW SLOW SLOW SLOW, "0-8");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one),
		cmocka_unit_test(none),
		cmocka_unit_test(recurring),
		cmocka_unit_test(slowest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
