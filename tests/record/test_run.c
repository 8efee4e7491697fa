/* A recording of several hosts, with small scripts in the place of ssh and of the tracer: names of
 * hosts, what each step runs and in which order, what is undone after a failure, what is fetched.
 * And rules that need no process: edges of beacons, how far apart hosts started. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "record/agents.h"
#include "record/fetch.h"
#include "record/run.h"

static struct mer_arena arena;
static struct record_run run;
static char dir[64];

static void put_script(const char *name, const char *text)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/bin/%s", dir, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(path, 0755), 0);
}

static int begin(void **state)
{
	char text[512];
	struct mer_err err = { 0 };
	(void)state;
	strcpy(dir, "/tmp/record-run-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	snprintf(text, sizeof(text), "%s/bin", dir);
	mkdir(text, 0777);
	/* The last word is the line, the one before it the host. */
	put_script("ssh",
		"#!/bin/sh\nfor w; do host=$line; line=$w; done\n"
		"[ ! -e \"$DIR/silent.$host\" ] || exit 0\n"
		"if [ -e \"$DIR/stop.$host\" ]; then kill -TERM \"$TEST_PID\"; exec sleep 100; fi\n"
		"case \"$*\" in *'-O exit'*) echo \"$line disconnect\" >>\"$DIR/log\"; exit 0;; esac\n"
		"export HOST=\"$host\" HOME=\"$DIR/$host\"\nmkdir -p \"$HOME\" && cd \"$HOME\" || exit\n"
		"exec sh -c \"$line\"\n");
	put_script("lttng",
		"#!/bin/sh\n: \"${HOST:=own}\"\n"
		"[ \"$1\" = list ] || echo \"$HOST $*\" >>\"$DIR/log\"\n"
		"if [ -e \"$DIR/fail.$HOST.$1\" ]; then echo one >&2; echo 'it fails ' >&2; exit 1; fi\n"
		"case $1 in\ncreate) mkdir -p \"$4/k\"; echo data >\"$4/k/stream\"; : >\"$4/empty\";;\n"
		"list) echo '  Discarded events: 5'; echo ' Discarded events: 6';;\nesac\n");
	/* An agent: notes what it is told, and answers with clocks that show 5 and 6 s. */
	put_script("perl",
		"#!/bin/sh\n: \"${HOST:=own}\"\nwhile read -r word rest; do\ncase $word in\n"
		"t) echo \"t $rest 5 6 5\"; [ ! -e \"$DIR/dies.$HOST\" ] || exit 3;;\n"
		"b) echo \"$HOST beacons $rest\" >>\"$DIR/log\";;\nn) echo n 3 4;;\n"
		"q) echo \"$HOST dismissed\" >>\"$DIR/log\"; exit 0;;\nesac\ndone\n"
		"echo \"$HOST left alone\" >>\"$DIR/log\"\nexit 7\n");
	snprintf(text, sizeof(text), "%ld", (long)getpid());
	setenv("TEST_PID", text, 1);
	if (!getenv("DIR")) {
		snprintf(text, sizeof(text), "%s", getenv("PATH"));
		setenv("OLD_PATH", text, 1);
	}
	setenv("DIR", dir, 1);
	snprintf(text, sizeof(text), "%s/bin:%s", dir, getenv("OLD_PATH"));
	setenv("PATH", text, 1);
	mer_arena_init(&arena);
	run = (struct record_run){
		.arena = &arena, .plan = { .session = "S", .label = "S" }, .folder = dir
	};
	static const char preset[] = "channel kernel k 2 4K\nkernel a\n";
	if (record_preset_parse(&run.plan.preset, preset, sizeof(preset) - 1, "p", &arena, &err))
		return 1;
	return record_loop_open(&run.loop, &err);
}

static int end(void **state)
{
	char text[128];
	(void)state;
	record_run_free(&run);
	record_loop_close(&run.loop);
	mer_arena_fini(&arena);
	snprintf(text, sizeof(text), "rm -rf %s", dir);
	return system(text);
}

static void hosts(const char *const *targets, size_t n)
{
	struct mer_err err = { 0 };
	if (record_run_hosts(&run, targets, n, &err))
		fail_msg("%s", err.text);
}

/* The commands since the last time, sorted where hosts work side by side. */
static void log_is(const char *expected)
{
	char path[256], line[256];
	struct mer_str s = { 0 };
	snprintf(path, sizeof(path), "sort '%s/log' 2>/dev/null; rm -f '%s/log'", dir, dir);
	FILE *f = popen(path, "r");
	assert_non_null(f);
	mer_str_puts(&s, "");
	while (fgets(line, sizeof(line), f))
		mer_str_puts(&s, line);
	pclose(f);
	assert_string_equal(s.data, expected);
	mer_str_fini(&s);
}

static void touch(const char *name)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fclose(fopen(path, "w"));
}

static bool is_there(const char *name, off_t size)
{
	char path[256];
	struct stat st;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return stat(path, &st) == 0 && (size < 0 || st.st_size == size);
}

static void names(void **state)
{
	static const char *const targets[] = { "a", "u@a", "x@a", "localhost", "[::1%lo]", "u@.h",
		"b:22" };
	static const char *const expected[] = { "a", "a-2", "a-3", "localhost", "h__1_lo_", "hh",
		"b_22" };
	struct mer_err err = { 0 };
	(void)state;
	hosts(targets, 7);
	assert_int_equal(run.n_hosts, 7);
	for (size_t i = 0; i < 7; i++) {
		const struct record_host *h = &run.hosts[i];
		assert_string_equal(h->name, expected[i]);
		assert_int_equal(h->target == NULL, i == 3);
		assert_true(h->n_discarded == -1 && h->free_kib == -1 && h->bytes == -1);
	}
	assert_int_equal(record_run_hosts(&run, (const char *const[]){ "a", "b", "a" }, 3, &err),
		MER_ERR_USAGE);
	assert_string_equal(err.text, "host a is given twice");
	assert_int_equal(
		record_run_hosts(&run, (const char *const[]){ "a b" }, 1, &err), MER_ERR_USAGE);
	assert_string_equal(err.text, "'a b' is not a host such as server or user@server");
	const char *many[RECORD_MOST_HOSTS + 1];
	for (size_t i = 0; i <= RECORD_MOST_HOSTS; i++)
		many[i] = mer_arena_printf(&arena, "h%zu", i);
	assert_int_equal(record_run_hosts(&run, many, RECORD_MOST_HOSTS + 1, &err), MER_ERR_LIMIT);
	assert_string_equal(err.text, "257 hosts; at most 256 can be recorded together");
	hosts(many, RECORD_MOST_HOSTS);
	assert_int_equal(run.n_hosts, 256);
}

static void put_edges(const char *expected)
{
	struct record_edge edges[RECORD_MOST_EDGES];
	struct mer_str s = { 0 };
	size_t n = record_edges(&run, edges, RECORD_MOST_EDGES);
	mer_str_puts(&s, "");
	for (size_t i = 0; i < n; i++)
		mer_str_printf(&s, "%zu>%zu %s; ", edges[i].from, edges[i].to, edges[i].address);
	assert_string_equal(s.data, expected);
	mer_str_fini(&s);
}

/* A tree with two chords; whoever has an agent asks one whose address is known. */
static void edges(void **state)
{
	static const char *const targets[] = { "h0", "h1", "h2", "h3", "h4", "h5" };
	(void)state;
	for (size_t n = 1; n <= 6; n++) {
		hosts(targets, n);
		for (size_t i = 0; i < n; i++)
			run.hosts[i].facts = (struct record_facts){ .agent = "perl",
				.address = mer_arena_printf(&arena, "A%zu", i),
				.seen_address = "A" };
		put_edges(n == 1   ? ""
			  : n == 2 ? "1>0 A0; "
			  : n == 3 ? "1>0 A0; 2>0 A0; 2>1 A1; "
			  : n == 4 ? "1>0 A0; 2>0 A0; 3>1 A1; 3>0 A0; 2>1 A1; "
			  : n == 5 ? "1>0 A0; 2>0 A0; 3>1 A1; 4>1 A1; 4>0 A0; "
				   : "1>0 A0; 2>0 A0; 3>1 A1; 4>1 A1; 5>2 A2; 5>0 A0; ");
	}
}

static void edges_with_the_own_host(void **state)
{
	(void)state;
	hosts((const char *const[]){ "localhost", "h" }, 2);
	struct record_facts *own = &run.hosts[0].facts, *h = &run.hosts[1].facts;
	own->agent = h->agent = "perl";
	own->address = own->seen_address = "";
	h->address = "H";
	h->seen_address = "ME";
	put_edges("0>1 H; ");
	/* Where it cannot ask, or the other's address is not known, the other one asks. */
	own->agent = "";
	put_edges("1>0 ME; ");
	own->agent = "perl";
	h->address = "";
	put_edges("1>0 ME; ");
	h->agent = "";
	put_edges("");
	h->agent = "perl";
	h->seen_address = "";
	put_edges("");
	h->address = "H";
	own->agent = h->agent = "";
	put_edges("");
	/* As the second one it asks as well. */
	hosts((const char *const[]){ "h", "localhost" }, 2);
	run.hosts[0].facts =
		(struct record_facts){ .agent = "perl", .address = "H", .seen_address = "ME" };
	run.hosts[1].facts =
		(struct record_facts){ .agent = "perl", .address = "", .seen_address = "" };
	put_edges("1>0 H; ");
	run.hosts[1].facts.agent = "";
	put_edges("0>1 ME; ");
}

/* The middle of what the rounds of a host allow moves its first event to the own clock. */
static void first_events(void **state)
{
	struct record_round a[] = { { .asked = 100, .arrived = 10, .left = 20, .answered = 130 },
		{ .asked = 200, .arrived = 105, .left = 110, .answered = 260 } };
	struct record_round b[] = { { .asked = 0, .arrived = 0, .left = 0, .answered = 10 } };
	(void)state;
	hosts((const char *const[]){ "a", "b" }, 2);
	run.hosts[0].rounds = a;
	run.hosts[0].n_rounds = 2;
	run.hosts[1].rounds = b;
	run.hosts[1].n_rounds = 1;
	run.spread_ns = 7;
	/* a: from 95 to 110, so 102; b: from 0 to 10, so 5. */
	record_take_first_events(&run, (const int64_t[]){ 1000, 2000 });
	assert_true(run.spread_seen);
	assert_int_equal(run.spread_ns, 2005 - 1102);
	run.spread_seen = false;
	record_take_first_events(&run, (const int64_t[]){ 2000, 1000 });
	assert_true(run.spread_seen);
	assert_int_equal(run.spread_ns, 2102 - 1005);
	run.spread_seen = false;
	run.spread_ns = 7;
	record_take_first_events(&run, (const int64_t[]){ INT64_MIN, 1000 });
	record_take_first_events(&run, (const int64_t[]){ INT64_MAX, 1000 });
	run.hosts[1].n_rounds = 0;
	record_take_first_events(&run, (const int64_t[]){ 1000, 1000 });
	assert_true(!run.spread_seen && run.spread_ns == 7);
	run.hosts[1].n_rounds = 1;
	record_take_first_events(&run, (const int64_t[]){ 903, 1000 });
	assert_true(run.spread_seen && run.spread_ns == 0);
	run.hosts[0].rounds = run.hosts[1].rounds = NULL;
}

static void set_facts(void)
{
	struct mer_err err = { 0 };
	for (size_t i = 0; i < run.n_hosts; i++) {
		record_facts_free(&run.hosts[i].facts);
		assert_int_equal(record_facts_read(&run.hosts[i].facts, "", 0, &arena, &err), 0);
	}
}

static struct mer_str said;

static void say(void *ctx, enum record_say kind, const char *text)
{
	(void)ctx;
	mer_str_printf(&said, "%u %s; ", (unsigned)kind, text);
}

/* What was said since the last time. */
static void said_is(const char *expected)
{
	assert_string_equal(said.len ? said.data : "", expected);
	mer_str_clear(&said);
}

static void folder_is(const struct record_host *h, const char *expected)
{
	struct mer_str s = { 0 };
	record_put_folder(&run, h, &s);
	assert_string_equal(s.data, expected);
	mer_str_fini(&s);
}

static void folders(void **state)
{
	(void)state;
	hosts((const char *const[]){ "localhost", "h" }, 2);
	run.folder = "/a b";
	folder_is(&run.hosts[0], "'/a b/localhost'");
	folder_is(&run.hosts[1], "~/lttng-traces/S");
	run.plan.mode = RECORD_LIVE;
	folder_is(&run.hosts[0], "~/lttng-traces/*/S*");
	folder_is(&run.hosts[1], "~/lttng-traces/*/S*");
}

static void the_whole_way(void **state)
{
	struct mer_err err = { 0 };
	(void)state;
	hosts((const char *const[]){ "localhost", "u@h" }, 2);
	assert_int_equal(record_connect(&run, &err), 0);
	assert_true(!run.hosts[0].connected && run.hosts[1].connected);
	assert_int_equal(strncmp(run.control, RECORD_CONTROL, strlen(RECORD_CONTROL)), 0);
	set_facts();
	if (record_begin(&run, &err))
		fail_msg("%s", err.text);
	char own[512];
	snprintf(own, sizeof(own),
		"own create S --output %s/localhost\n"
		"own enable-channel --session S --kernel --num-subbuf 2 --subbuf-size 4K k\n"
		"own enable-event --session S -k --channel k a\nown start S\n"
		"u@h create S --output %s/u@h/lttng-traces/S\n"
		"u@h enable-channel --session S --kernel --num-subbuf 2 --subbuf-size 4K k\n"
		"u@h enable-event --session S -k --channel k a\nu@h start S\n",
		dir, dir);
	log_is(own);
	for (size_t i = 0; i < 2; i++)
		assert_true(run.hosts[i].made && run.hosts[i].has_data &&
			    run.hosts[i].started_ns >= run.began_ns);
	assert_true(
		run.began_ns > 0 && run.spread_ns >= 0 && run.began_realtime_ns > run.began_ns / 2);
	run.duration_ns = 1;
	assert_int_equal(record_wait(&run, &err), 0);
	assert_int_equal(run.command_code, 0);
	assert_int_equal(record_end(&run, &err), 0);
	log_is("own stop S\nu@h stop S\n");
	/* The two channels lost 5 and 6. */
	assert_int_equal(run.hosts[0].n_discarded, 11);
	assert_int_equal(run.hosts[1].n_discarded, 11);
	assert_true(run.hosts[0].free_kib >= 0 && run.ended_ns >= run.began_ns);
	/* Of one host a part is here already, of another file more than there is. */
	mkdir(mer_arena_printf(&arena, "%s/h", dir), 0777);
	mkdir(mer_arena_printf(&arena, "%s/h/k", dir), 0777);
	FILE *f = fopen(mer_arena_printf(&arena, "%s/h/k/stream", dir), "w");
	fputs("DA", f);
	fclose(f);
	f = fopen(mer_arena_printf(&arena, "%s/h/empty", dir), "w");
	fputs("not it", f);
	fclose(f);
	if (record_fetch(&run, &err))
		fail_msg("%s", err.text);
	assert_true(is_there("h/k/stream", 5) && is_there("h/empty", 0));
	char text[6] = "";
	f = fopen(mer_arena_printf(&arena, "%s/h/k/stream", dir), "r");
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_string_equal(text, "DAta\n");
	assert_int_equal(run.hosts[1].bytes, 5);
	assert_int_equal(run.hosts[0].bytes, -1);
	record_measure(&run);
	assert_int_equal(run.hosts[1].bytes, 5);
	assert_true(run.hosts[0].bytes >= 1024 && run.hosts[0].bytes % 1024 == 0);
	assert_int_equal(record_clean_up(&run, &err), 0);
	log_is("own destroy S\nu@h destroy S\n");
	assert_true(is_there("u@h/lttng-traces/S", -1)); /* what was recorded stays */
	assert_int_equal(record_fetched_remove(&run, &err), 0);
	assert_false(is_there("u@h/lttng-traces/S", -1));
	assert_true(is_there("localhost/k/stream", 5) && is_there("h/k/stream", 5));
	assert_false(run.hosts[0].made || run.hosts[1].made);
	char control[64];
	strcpy(control, run.control);
	record_run_free(&run);
	log_is("u@h disconnect\n");
	assert_true(access(control, F_OK) != 0);
}

/* The first failure ends the sequence with host and step; all that was made is undone. */
static void failures(void **state)
{
	static const struct {
		const char *file, *step;
	} cases[] = { { "fail.h.create", "create the session" },
		{ "fail.h.enable-channel", "enable the channels" },
		{ "fail.h.enable-event", "enable the events" },
		{ "fail.h.start", "start recording" } };
	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct mer_err err = { 0 };
		char why[128], path[128];
		hosts((const char *const[]){ "g", "h" }, 2);
		if (!run.control[0])
			assert_int_equal(record_connect(&run, &err), 0);
		set_facts();
		touch(cases[i].file);
		assert_int_equal(record_begin(&run, &err), MER_ERR_INPUT);
		snprintf(why, sizeof(why), "h: cannot %s: it fails ", cases[i].step);
		assert_int_equal(strncmp(err.text, why, strlen(why) - 1), 0);
		snprintf(path, sizeof(path), "rm -f %s/log", dir);
		assert_int_equal(system(path), 0);
		assert_int_equal(record_clean_up(&run, &err), 0);
		log_is("g destroy S\nh destroy S\n");
		/* Nothing was recorded, so its folders go, too. */
		assert_false(is_there("g/lttng-traces/S", -1));
		snprintf(path, sizeof(path), "%s/%s", dir, cases[i].file);
		unlink(path);
	}
}

/* Agents are asked before the start and after the end, send beacons to whom they can reach, and are
 * dismissed. */
static void agents(void **state)
{
	struct mer_err err = { 0 };
	(void)state;
	hosts((const char *const[]){ "localhost", "h" }, 2);
	assert_int_equal(record_connect(&run, &err), 0);
	set_facts();
	run.hosts[0].facts.agent = run.hosts[1].facts.agent = "perl";
	run.hosts[1].facts.address = "10.0.0.2";
	run.beacons = true;
	run.beacon_s = 0.25;
	run.talk.say = say;
	run.duration_ns = 1;
	assert_int_equal(record_begin(&run, &err), 0);
	assert_true(run.hosts[0].sends_beacons && !run.hosts[1].sends_beacons);
	for (size_t i = 0; i < 2; i++) /* as many as the time allowed */
		assert_true(run.hosts[i].n_rounds > 0 && run.hosts[i].n_rounds <= 12);
	assert_int_equal(record_wait(&run, &err), 0);
	said_is("");
	assert_int_equal(record_end(&run, &err), 0);
	said_is("2 localhost: 11 events lost so far: larger buffers (-b) keep them; "
		"2 h: 11 events lost so far: larger buffers (-b) keep them; ");
	for (size_t i = 0; i < 2; i++) {
		const struct record_host *h = &run.hosts[i];
		assert_true(h->n_rounds > 1 && h->n_rounds <= 24 && h->counted &&
			    h->n_answered == 3 && h->n_silent == 4);
		for (size_t k = 0; k < h->n_rounds; k++)
			assert_true(h->rounds[k].arrived == 5000000000 &&
				    h->rounds[k].left == 5000000000 &&
				    h->rounds[k].arrived_realtime == 6000000000 &&
				    h->rounds[k].answered >= h->rounds[k].asked &&
				    h->rounds[k].asked > 0);
	}
	char path[128];
	snprintf(path, sizeof(path), "sed -i '/ beacons /!d' %s/log", dir);
	assert_int_equal(system(path), 0);
	log_is("h beacons 0\nown beacons 0\nown beacons 0.250 10.0.0.2\n");
	assert_int_equal(record_clean_up(&run, &err), 0);
	log_is("h destroy S\nh dismissed\nown destroy S\nown dismissed\n");
	assert_true(run.hosts[0].agent.ended && record_child_code(&run.hosts[0].agent) == 0);
}

/* One that ends while it records is said once; one that is left alone removes the session. */
static void agents_that_end(void **state)
{
	struct mer_err err = { 0 };
	(void)state;
	hosts((const char *const[]){ "g", "h" }, 2);
	assert_int_equal(record_connect(&run, &err), 0);
	set_facts();
	run.hosts[0].facts.agent = run.hosts[1].facts.agent = "perl";
	run.talk.say = say;
	touch("dies.h");
	assert_int_equal(record_begin(&run, &err), 0);
	assert_true(run.hosts[0].n_rounds > 1);
	assert_int_equal(run.hosts[1].n_rounds, 1);
	while (!run.hosts[1].agent.ended)
		record_loop_turn(&run.loop, INT64_MAX);
	run.duration_ns = 1000000;
	assert_int_equal(record_wait(&run, &err), 0);
	assert_int_equal(record_wait(&run, &err), 0);
	said_is("2 h: the connection ended: it may record no more; ");
	char path[128];
	snprintf(path, sizeof(path), "rm -f %s/log", dir);
	assert_int_equal(system(path), 0);
	record_child_close_input(&run.hosts[0].agent);
	while (!run.hosts[0].agent.ended)
		record_loop_turn(&run.loop, INT64_MAX);
	log_is("g destroy S\ng left alone\n");
}

static void little_space(void **state)
{
	struct mer_err err = { 0 };
	(void)state;
	hosts((const char *const[]){ "g", "h" }, 2);
	assert_int_equal(record_connect(&run, &err), 0);
	set_facts();
	run.talk.say = say;
	put_script("lttng", "#!/bin/sh\ntrue\n");
	put_script("df", "#!/bin/sh\necho head\necho a 1 2 262144 3\n");
	assert_int_equal(record_begin(&run, &err), 0);
	assert_int_equal(record_end(&run, &err), 0);
	assert_true(!run.full && run.hosts[0].free_kib == 262144 && run.hosts[0].n_discarded == -1);
	said_is("");
	put_script("df", "#!/bin/sh\necho head\necho a 1 2 262143 3\n");
	assert_int_equal(record_end(&run, &err), 0);
	assert_true(run.full);
	said_is("2 g: only 255 MiB are free: the recording ends here; ");
	/* It ends at once. */
	assert_int_equal(record_wait(&run, &err), 0);
}

/* A session that cannot be removed is tried again, and stays known. */
static void not_removed(void **state)
{
	struct mer_err err = { 0 };
	(void)state;
	hosts((const char *const[]){ "g", "h" }, 2);
	assert_int_equal(record_connect(&run, &err), 0);
	set_facts();
	assert_int_equal(record_begin(&run, &err), 0);
	touch("fail.h.destroy");
	char path[128];
	snprintf(path, sizeof(path), "rm -f %s/log", dir);
	assert_int_equal(system(path), 0);
	assert_int_equal(record_clean_up(&run, &err), MER_ERR_INPUT);
	assert_string_equal(err.text, "h: cannot remove the session: it fails");
	assert_true(!run.hosts[0].made && run.hosts[1].made);
	log_is("g destroy S\nh destroy S\nh destroy S\nh destroy S\n");
}

static void stopped_in_the_middle(void **state)
{
	struct mer_err err = { 0 };
	(void)state;
	hosts((const char *const[]){ "g", "h" }, 2);
	touch("stop.h");
	touch("stop.g");
	assert_int_equal(record_connect(&run, &err), MER_ERR_CANCELLED);
	assert_string_equal(err.text, "interrupted");
	assert_true(run.hosts[0].step.killed && run.hosts[1].step.killed);
	assert_true(run.hosts[0].step.ended && run.hosts[1].step.ended);
}

static void no_answer(void **state)
{
	struct mer_err err = { 0 };
	(void)state;
	hosts((const char *const[]){ "g", "h" }, 2);
	assert_int_equal(record_connect(&run, &err), 0);
	assert_int_equal(record_inspect(&run, false, &err), 0);
	assert_true(run.hosts[0].facts.complete && run.hosts[1].facts.complete);
	assert_string_equal(run.plan.session, "S");
	touch("silent.h");
	assert_int_equal(record_inspect(&run, false, &err), MER_ERR_INPUT);
	assert_string_equal(err.text, "h: cannot look at the host: its answer is not complete");
}

/* Without ssh nothing can be done, and the first host says so. */
static void no_ssh(void **state)
{
	char path[1024];
	struct mer_err err = { 0 };
	(void)state;
	snprintf(path, sizeof(path), "%s/none", dir);
	setenv("PATH", path, 1);
	hosts((const char *const[]){ "g", "h" }, 2);
	int rc = record_connect(&run, &err);
	snprintf(path, sizeof(path), "%s/bin:%s", dir, getenv("OLD_PATH"));
	setenv("PATH", path, 1);
	assert_true(rc != 0);
	assert_non_null(strstr(err.text, "g: cannot "));
	assert_non_null(strstr(err.text, "ssh: cannot run: No such file or directory"));
}

/* Traces of all hosts come, or the first thing that is wrong with one is said. */
static void fetched(void **state)
{
	static const struct {
		const char *program, *text, *why;
	} cases[] = { { "tail", "exit 0", ": cannot fetch the trace: k/stream has 0 bytes of 5" },
		{ "tail", "echo gone >&2; exit 1", ": cannot fetch the trace: gone" },
		{ "find", "echo what",
			": cannot fetch the trace: its list of files has a line that is none" },
		{ "find", "exit 3", ": cannot list the files of the trace: exit status 3" } };
	struct mer_err err = { 0 };
	(void)state;
	hosts((const char *const[]){ "g", "h" }, 2);
	assert_int_equal(record_connect(&run, &err), 0);
	set_facts();
	assert_int_equal(record_begin(&run, &err), 0);
	assert_int_equal(record_end(&run, &err), 0);
	assert_int_equal(run.hosts[0].n_discarded, 11);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[100], path[128];
		snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", cases[i].text);
		put_script(cases[i].program, text);
		assert_int_equal(record_fetch(&run, &err), MER_ERR_INPUT);
		assert_string_equal(err.text + 1, cases[i].why); /* of either host */
		assert_false(is_there("g/k/stream", 5) || is_there("h/k/stream", 5));
		snprintf(path, sizeof(path), "%s/bin/%s", dir, cases[i].program);
		unlink(path);
	}
	assert_int_equal(record_fetch(&run, &err), 0);
	assert_true(is_there("g/k/stream", 5) && is_there("h/k/stream", 5));
	assert_true(run.hosts[0].bytes == 5 && run.hosts[1].bytes == 5);
	/* Its size is known: it is not asked for again. */
	put_script("du", "#!/bin/sh\necho 7 x\necho 8 y\n");
	record_measure(&run);
	assert_int_equal(run.hosts[0].bytes, 5);
	run.hosts[1].bytes = -1;
	record_measure(&run);
	assert_true(run.hosts[0].bytes == 5 && run.hosts[1].bytes == 15 << 10);
	kill(getpid(), SIGTERM);
	record_loop_turn(&run.loop, INT64_MAX);
	assert_int_equal(record_fetch(&run, &err), MER_ERR_CANCELLED);
}

/* With a command: its code, time and CPU time; a signal to us ends a recording without one. */
static void commands(void **state)
{
	struct mer_err err = { 0 };
	static const char *const command[] = { "sh", "-c", "exit 5", NULL };
	(void)state;
	hosts((const char *const[]){ "localhost" }, 1);
	run.command = command;
	assert_int_equal(record_wait(&run, &err), 0);
	assert_int_equal(run.command_code, 5);
	assert_true(run.command_ns > 0 && run.command_cpu_ns >= 0);
	static const char *const none[] = { "no-such-program-at-all", NULL };
	run.command = none;
	assert_true(record_wait(&run, &err) < 0);
	assert_int_equal(run.command_code, 0);
	run.command = NULL;
	kill(getpid(), SIGTERM);
	assert_int_equal(record_wait(&run, &err), 0);
	assert_int_equal(run.loop.n_interrupts, 1);
	/* A step is not begun after that, unless it cleans up. */
	assert_int_equal(
		record_step_do(&run, RECORD_STEP_CONNECT, NULL, false, &err), MER_ERR_CANCELLED);
	assert_string_equal(err.text, "interrupted");
	assert_int_equal(record_step_do(&run, RECORD_STEP_CONNECT, NULL, true, &err), 0);
}

/* What is said of a step that failed: the last line of its errors, else of its output, else its
 * status. */
static void why_a_step_failed(void **state)
{
	static const struct record_step step = { .doing = "do it", .timeout_s = 12 };
	struct record_host h = { .name = "h" };
	struct mer_err err = { 0 };
	struct record_child c = { .ended = true, .status = 3 << 8 };
	(void)state;
	assert_int_equal(record_step_failed(&run, &h, &step, &c, &err), MER_ERR_INPUT);
	assert_string_equal(err.text, "h: cannot do it: exit status 3");
	mer_str_puts(&c.output, "a\nb\n\n ");
	record_step_failed(&run, &h, &step, &c, &err);
	assert_string_equal(err.text, "h: cannot do it: b");
	mer_str_puts(&c.errors, "only");
	record_step_failed(&run, &h, &step, &c, &err);
	assert_string_equal(err.text, "h: cannot do it: only");
	mer_str_clear(&c.errors);
	for (int i = 0; i < 401; i++)
		mer_str_putc(&c.errors, 'x');
	record_step_failed(&run, &h, &step, &c, &err);
	assert_int_equal(strlen(err.text), strlen("h: cannot do it: ") + 400);
	c.timed_out = true;
	record_step_failed(&run, &h, &step, &c, &err);
	assert_string_equal(err.text, "h: cannot do it: no answer within 12 s");
	mer_str_fini(&c.output);
	mer_str_fini(&c.errors);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names, begin, end),
		cmocka_unit_test_setup_teardown(edges, begin, end),
		cmocka_unit_test_setup_teardown(edges_with_the_own_host, begin, end),
		cmocka_unit_test_setup_teardown(first_events, begin, end),
		cmocka_unit_test_setup_teardown(folders, begin, end),
		cmocka_unit_test_setup_teardown(the_whole_way, begin, end),
		cmocka_unit_test_setup_teardown(failures, begin, end),
		cmocka_unit_test_setup_teardown(agents, begin, end),
		cmocka_unit_test_setup_teardown(agents_that_end, begin, end),
		cmocka_unit_test_setup_teardown(little_space, begin, end),
		cmocka_unit_test_setup_teardown(not_removed, begin, end),
		cmocka_unit_test_setup_teardown(stopped_in_the_middle, begin, end),
		cmocka_unit_test_setup_teardown(no_answer, begin, end),
		cmocka_unit_test_setup_teardown(no_ssh, begin, end),
		cmocka_unit_test_setup_teardown(fetched, begin, end),
		cmocka_unit_test_setup_teardown(commands, begin, end),
		cmocka_unit_test_setup_teardown(why_a_step_failed, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
