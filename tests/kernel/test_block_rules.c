/* Requests to block devices and merges (model_block.c), each rule by itself. Sectors are 512 B;
 * flags are those of enum kernel_request_flags: 1 write, 2 discard, 4 read, 8 flush, 16 sync, 32
 * metadata. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "lives.h"

#define RUNS SWITCH("1", "0", "9", "1", "1") SWITCH("1", "1", "9", "1", "2")
#define REQUEST(at, cpu, what, sector, n, rwbs)                                                    \
	at "us " cpu " block_rq_" what " dev=8 sector=" sector " nr_sector=" n " rwbs=" rwbs "\n"
#define NOWHERE "18446744073709551615"

/* A request is known by its device and where it begins. It is of the task that inserted it, or
 * issued it where that was not seen; of nobody, if an interrupt did. */
static void data(void **state)
{
	(void)state;
	lives_told(RUNS REQUEST("10", "0", "insert", "100", "8", "4") REQUEST("12", "1", "issue",
			   "100", "8", "4") REQUEST("20", "1", "complete", "100", "8", "4"),
		"request", "request 10/12/20 100+4096B flags 4 @0 of 1");
	lives_told(RUNS REQUEST("12", "1", "issue", "100", "8", "4")
			   REQUEST("20", "0", "complete", "100", "8", "4"),
		"request", "request ?/12/20 100+4096B flags 4 @1 of 2");
	lives_told(RUNS EVENT("11", "1", "irq_softirq_entry vec=4") REQUEST("12", "1", "issue",
			   "100", "8", "4") EVENT("13", "1", "irq_softirq_exit vec=4")
			   REQUEST("20", "0", "complete", "100", "8", "4"),
		"request", "request ?/12/20 100+4096B flags 4");
	lives_told(RUNS SWITCH("5", "1", "2", "1", "0") REQUEST("12", "1", "issue", "100", "8", "4")
			   REQUEST("20", "0", "complete", "100", "8", "4"),
		"request", "request ?/12/20 100+4096B flags 4");
	/* Its begin was not seen: its size is told at its end. */
	lives_told(RUNS REQUEST("20", "0", "complete", "100", "8", "1"), "request",
		"request ?/?/20 100+4096B flags 1");
	/* Another sector, another device. */
	lives_told(RUNS REQUEST("12", "0", "issue", "100", "8", "4") REQUEST("20", "0", "complete",
			   "101", "8",
			   "4") "21us 0 block_rq_complete dev=9 sector=100 nr_sector=8 rwbs=4\n",
		"request", "request ?/?/20 101+4096B flags 4, request ?/?/21 100+4096B flags 4");
	/* The same place again, later. */
	lives_told(RUNS REQUEST("12", "0", "issue", "100", "8", "4") REQUEST("14", "0", "complete",
			   "100", "8", "4") REQUEST("16", "0", "issue", "100", "8", "1")
			   REQUEST("18", "0", "complete", "100", "8", "1"),
		"request",
		"request ?/12/14 100+4096B flags 4 @0 of 1, request ?/16/18 100+4096B flags 1 @0 "
		"of 1");
}

/* Sizes: until it is issued it may grow; issued again, it is what is left; completed, nothing
 * changes. */
static void sizes(void **state)
{
	(void)state;
	lives_told(RUNS REQUEST("10", "0", "insert", "100", "8", "4") REQUEST("12", "0", "issue",
			   "100", "16", "4") REQUEST("20", "0", "complete", "100", "4", "4"),
		"request", "request 10/12/20 100+8192B flags 4 @0 of 1");
	lives_told(RUNS REQUEST("10", "0", "insert", "100", "16", "4") REQUEST("12", "0", "issue",
			   "100", "8", "4") REQUEST("20", "0", "complete", "100", "8", "4"),
		"request", "request 10/12/20 100+4096B flags 4 @0 of 1");
	lives_told(RUNS REQUEST("12", "0", "issue", "100", "16", "4") REQUEST("14", "0", "issue",
			   "100", "8", "4") REQUEST("20", "0", "complete", "100", "8", "4"),
		"request", "request ?/14/20 100+8192B flags 4 @0 of 1");
	lives_told(RUNS REQUEST("10", "0", "insert", "100", "8388608", "4")
			   REQUEST("20", "0", "complete", "100", "8", "4"),
		"request", "request 10/?/20 100+0B flags 4 @0 of 1");
	lives_told(RUNS REQUEST("10", "0", "insert", "100", "8388607", "4")
			   REQUEST("20", "0", "complete", "100", "8", "4"),
		"request", "request 10/?/20 100+4294966784B flags 4 @0 of 1");
	/* More than a request can have. */
	lives_told(RUNS REQUEST("12", "0", "issue", "100", "8388608", "4")
			   REQUEST("20", "0", "complete", "100", "8", "4"),
		"request", "request ?/12/20 100+4096B flags 4 @0 of 1");
}

/* rwbs as bits (LTTng) and as text (perf); errors. */
static void what_it_was(void **state)
{
	(void)state;
	static const char *const bits[][2] = { { "1", "1" }, { "2", "2" }, { "4", "4" },
		{ "32", "16" }, { "64", "32" }, { "256", "8" }, { "512", "8" }, { "1024", "8" },
		{ "8", "0" }, { "16", "0" }, { "128", "0" }, { "97", "49" } };
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		char scenario[500], expected[200];
		snprintf(scenario, sizeof(scenario),
			"12us 0 block_rq_issue dev=8 sector=100 nr_sector=8 rwbs=%s\n"
			"20us 0 block_rq_complete dev=8 sector=100 nr_sector=8\n",
			bits[i][0]);
		snprintf(expected, sizeof(expected), "request ?/12/20 100+4096B flags %s",
			bits[i][1]);
		lives_told(scenario, "request", expected);
	}
	static const char *const texts[][2] = { { "R", "4" }, { "W", "1" }, { "D", "2" },
		{ "WS", "17" }, { "RM", "36" }, { "FWFS", "25" }, { "N", "0" }, { "RA", "4" } };
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char scenario[500], expected[200];
		snprintf(scenario, sizeof(scenario),
			"12us 0 block:block_rq_issue perf_cpu=0 dev=8 sector=100 nr_sector=8 "
			"bytes=4096 rwbs=\"%s\"\n"
			"20us 0 block:block_rq_complete perf_cpu=0 dev=8 sector=100 nr_sector=8 "
			"error=-5 rwbs=\"%s\"\n",
			texts[i][0], texts[i][0]);
		snprintf(expected, sizeof(expected), "request ?/12/20 100+4096B flags %s error -5",
			texts[i][1]);
		lives_told(scenario, "request", expected);
	}
}

/* Requests without data lie nowhere. A completion is that of the oldest open one of the device and
 * kind. */
static void commands(void **state)
{
	(void)state;
	lives_told(RUNS REQUEST("10", "0", "issue", "0", "0", "0") REQUEST("11", "1", "issue", "0",
			   "0", "0") REQUEST("20", "1", "complete", NOWHERE, "0", "0")
			   REQUEST("22", "0", "complete", NOWHERE, "0", "0"),
		"request",
		"request ?/10/20 0+0B flags 0 @0 of 1, request ?/11/22 0+0B flags 0 @1 of 2");
	/* Inserted and issued is one. */
	lives_told(RUNS REQUEST("10", "0", "insert", "0", "0", "0") REQUEST("11", "1", "issue", "0",
			   "0", "0") REQUEST("20", "1", "complete", NOWHERE, "0", "0")
			   REQUEST("22", "0", "complete", NOWHERE, "0", "0"),
		"request", "request 10/11/20 0+0B flags 0 @0 of 1, request ?/?/22 0+0B flags 0");
	/* Of another device. */
	lives_told(RUNS REQUEST("10", "0", "issue", "0", "0",
			   "0") "20us 0 block_rq_complete dev=9 sector=" NOWHERE
				" nr_sector=0 rwbs=0\n",
		"request", "request ?/?/20 0+0B flags 0");
}

/* A flush is one from its issue on; one that a CPU issues while one of its own is open is that one,
 * again. A flush completes a flush, and nothing else. */
static void flushes(void **state)
{
	(void)state;
	lives_told(RUNS REQUEST("10", "0", "issue", "0", "0", "256") REQUEST("12", "0", "issue",
			   "0", "0", "256") REQUEST("20", "1", "complete", NOWHERE, "0", "256"),
		"request", "request ?/12/20 0+0B flags 8 @0 of 1");
	lives_told(RUNS REQUEST("10", "0", "issue", "0", "0", "256") REQUEST("12", "1", "issue",
			   "0", "0", "256") REQUEST("20", "1", "complete", NOWHERE, "0", "256")
			   REQUEST("22", "1", "complete", NOWHERE, "0", "256"),
		"request",
		"request ?/10/20 0+0B flags 8 @0 of 1, request ?/12/22 0+0B flags 8 @1 of 2");
	lives_told(RUNS REQUEST("9", "0", "issue", "0", "0", "0") REQUEST("10", "0", "issue", "0",
			   "0", "256") REQUEST("20", "1", "complete", NOWHERE, "0", "256")
			   REQUEST("22", "1", "complete", NOWHERE, "0", "0"),
		"request",
		"request ?/10/20 0+0B flags 8 @0 of 1, request ?/9/22 0+0B flags 0 @0 of 1");
	/* An insertion is of a request that waits for a flush; so is what completes without sectors
	 * and is a write. */
	lives_told(RUNS REQUEST("10", "0", "insert", "0", "0", "256")
			   REQUEST("12", "0", "complete", "0", "0", "1"),
		"request", "");
	/* As text: F first. */
	lives_told("10us 0 block:block_rq_issue perf_cpu=0 dev=8 sector=0 nr_sector=0 bytes=0 "
		   "rwbs=\"FF\"\n"
		   "11us 0 block:block_rq_issue perf_cpu=0 dev=8 sector=0 nr_sector=0 bytes=0 "
		   "rwbs=\"N\"\n"
		   "20us 0 block:block_rq_complete perf_cpu=0 dev=8 sector=" NOWHERE
		   " nr_sector=0 error=0 rwbs=\"N\"\n"
		   "21us 0 block:block_rq_complete perf_cpu=0 dev=8 sector=" NOWHERE
		   " nr_sector=0 error=0 rwbs=\"FF\"\n"
		   "22us 0 block:block_rq_complete perf_cpu=0 dev=8 sector=0 nr_sector=0 error=0 "
		   "rwbs=\"WF\"\n",
		"request", "request ?/11/20 0+0B flags 0, request ?/10/21 0+0B flags 8");
}

/* After a hole nothing is known of the commands before it. */
static void commands_and_holes(void **state)
{
	(void)state;
	lives_told(RUNS REQUEST("10", "0", "issue", "0", "0", "0") "11us 0 skip 1\n" REQUEST(
			   "15", "0", "complete", NOWHERE, "0", "0"),
		"request", "request ?/?/15 0+0B flags 0");
}

#define MERGE(at, cpu, what, sector, n)                                                            \
	at "us " cpu " block_" what " dev=8 sector=" sector " nr_sector=" n " rwbs=4 tid=1\n"

/* A bio right behind a request, or right before it, is part of it from then on. */
static void bios(void **state)
{
	(void)state;
	lives_told(RUNS REQUEST("10", "0", "insert", "100", "8", "4")
			   MERGE("11", "1", "bio_backmerge", "108", "8")
				   MERGE("12", "1", "bio_backmerge", "116", "8")
					   REQUEST("13", "0", "issue", "100", "24", "4")
						   REQUEST("20", "0", "complete", "100", "24", "4"),
		"request merge",
		"merge 11 4096B @1 of 2, merge 12 4096B @1 of 2, request 10/13/20 100+12288B flags "
		"4 @0 of 1");
	lives_told(RUNS REQUEST("10", "0", "insert", "100", "8", "4") MERGE("11", "1",
			   "bio_frontmerge", "92", "8") REQUEST("13", "0", "issue", "92", "16", "4")
			   REQUEST("20", "0", "complete", "92", "16", "4"),
		"request merge",
		"merge 11 4096B @1 of 2, request 10/13/20 92+8192B flags 4 @0 of 1");
	/* Not next to it: only told. */
	lives_told(RUNS REQUEST("10", "0", "insert", "100", "8", "4")
			   MERGE("11", "1", "bio_backmerge", "109", "8")
				   MERGE("12", "1", "bio_frontmerge", "91", "8")
					   REQUEST("13", "0", "issue", "100", "8", "4")
						   REQUEST("20", "0", "complete", "100", "8", "4"),
		"request merge",
		"merge 11 4096B @1 of 2, merge 12 4096B @1 of 2, request 10/13/20 100+4096B flags "
		"4 @0 of 1");
	/* Issued already: it has them. */
	lives_told(RUNS REQUEST("10", "0", "issue", "100", "8", "4")
			   MERGE("11", "1", "bio_backmerge", "108", "8")
				   REQUEST("20", "0", "complete", "100", "8", "4"),
		"request merge",
		"merge 11 4096B @1 of 2, request ?/10/20 100+4096B flags 4 @0 of 1");
	/* Two that end at one place: the one that came there last grows, from a state, too. */
	lives_told(RUNS REQUEST("10", "0", "insert", "100", "8", "4") REQUEST("11", "0", "insert",
			   "112", "4", "4") MERGE("12", "1", "bio_backmerge", "108", "8")
			   SWITCH("13", "1", "2", "1", "3") MERGE("14", "1", "bio_backmerge", "116",
				   "4") REQUEST("20", "0", "complete", "100", "20", "4"),
		"request", "request 10/?/20 100+10240B flags 4 @0 of 1");
	/* In an interrupt nobody made it. */
	lives_told(RUNS REQUEST("10", "0", "insert", "100", "8", "4") EVENT("10", "1",
			   "irq_softirq_entry vec=4") MERGE("11", "1", "bio_backmerge", "108", "8")
			   EVENT("12", "1", "irq_softirq_exit vec=4"),
		"request merge", "merge 11 4096B");
}

/* A request that is merged goes on as part of the other one: it is neither issued nor completed. It
 * is told as its maker's. */
static void requests(void **state)
{
	(void)state;
	lives_told(RUNS REQUEST("10", "0", "insert", "100", "8", "4") REQUEST("11", "1", "insert",
			   "108", "8", "4") MERGE("12", "0", "rq_merge", "108", "8")
			   REQUEST("13", "0", "issue", "100", "16", "4")
				   REQUEST("20", "0", "complete", "100", "16", "4")
					   REQUEST("21", "0", "complete", "108", "8", "4"),
		"request merge",
		"merge 12 4096B request @1 of 2, request 10/13/20 100+8192B flags 4 @0 of 1, "
		"request ?/?/21 108+4096B flags 4");
	/* The other one is not known. */
	lives_told(RUNS REQUEST("11", "1", "insert", "108", "8", "4") MERGE("12", "0", "rq_merge",
			   "108", "8") REQUEST("21", "0", "complete", "108", "8", "4"),
		"request merge",
		"merge 12 4096B request @1 of 2, request ?/?/21 108+4096B flags 4");
	/* It is told where it went, at its begin. */
	lives_told(RUNS REQUEST("10", "0", "insert", "200", "8", "4") REQUEST("11", "1", "insert",
			   "108", "8",
			   "4") "12us 0 addons_elv_merge_requests dev=8 nextrq_sector=108 rwbs=4 "
				"rq_sector=200\n" REQUEST("13", "0", "issue", "200", "16", "4")
					REQUEST("20", "0", "complete", "200", "16", "4"),
		"request merge",
		"merge 12 4096B request @1 of 2, request 10/13/20 200+8192B flags 4 @0 of 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(data), cmocka_unit_test(sizes),
		cmocka_unit_test(what_it_was), cmocka_unit_test(commands),
		cmocka_unit_test(flushes), cmocka_unit_test(commands_and_holes),
		cmocka_unit_test(bios), cmocka_unit_test(requests) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
