/* Runs of polls: a program that calls MPI_Test until it is done calls it millions of times, and
 * nearly none of these says anything. Polls of one call with nothing else between them are one
 * call, from the first one's begin to the last one's end, and the event of its end counts them.
 *
 * It must cost less than a poll does. So nothing is written for a poll inside of a run, and after
 * the first ones not even the CPU's counter is read but for one of 16 (mm_poll_enter, interposer.h).
 * Where these took longer than usual, the thread's CPU time tells whether the program computed
 * meanwhile, which ends the run, or did not have the CPU.
 *
 * In CTF the end is there from the first poll on, and is moved (mm_stream_amend), so that a trace is
 * right whenever the process is killed. LTTng writes what it was given: there the end of a run
 * follows when something else happens, and says how long ago it was. */
#include "interposer/interposer.h"

#include <time.h>
#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

enum {
	PAUSE_NS = 1000, /* longer: the program may have done something else in between */
	/* CPU time that is no work of the program: the clocks; of 16 polls, interrupts, too. */
	WORK_NS = 2000,
	SILENT_WORK_NS = 30000,
	LEARN = 16, /* polls that are measured one by one */
	SKIP = 15,  /* then so many are not */
	MOST_USUAL_NS = 10000,
	LOOK_AGAIN = 4096,    /* at the clocks, after so many polls */
	CALIBRATE_NS = 100000 /* the counter's rate is known well after that */
};

static uint64_t first_ns, first_ticks;
static double ns_per_tick = 1;

static uint64_t ticks(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __rdtsc();
#else
	return mm_now();
#endif
}

static uint64_t cpu_time(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The rate of the counter is known better each time. */
static void look_at_clocks(struct mm_run *run)
{
	run->base_ticks = ticks();
	run->base_ns = mm_now();
	run->cpu = cpu_time();
	run->busy = 0;
	run->looked = run->count;
	if (!first_ns) {
		first_ns = run->base_ns;
		first_ticks = run->base_ticks;
	} else if (run->base_ns > first_ns + CALIBRATE_NS && run->base_ticks > first_ticks) {
		ns_per_tick =
			(double)(run->base_ns - first_ns) / (double)(run->base_ticks - first_ticks);
	}
}

void mm_polls_begin(void)
{
	look_at_clocks(&mm_thread.run);
}

static uint64_t ns_of(uint64_t n_ticks)
{
	return (uint64_t)((double)n_ticks * ns_per_tick);
}

static uint64_t time_of(const struct mm_run *run, uint64_t at)
{
	return at > run->base_ticks ? run->base_ns + ns_of(at - run->base_ticks) : run->base_ns;
}

static void tell(enum mm_event event, unsigned call, uint64_t count, uint64_t ago)
{
	mm_write(&(struct mm_record){
		.event = event, .peer = (int32_t)call, .bytes = count, .request = ago });
}

/* Did the program compute since the last check, besides polling? */
static bool has_worked(struct mm_run *run, uint64_t now)
{
	uint64_t passed = now - run->checked, used, polling = run->busy;
	if (now >= run->checked && ns_of(passed) <= PAUSE_NS + 2 * ns_of(run->usual) * run->since) {
		run->busy += passed;
		return false;
	}
	/* It was long. A counter that went back is another CPU's. */
	used = cpu_time() - run->cpu;
	polling = ns_of(polling) + ns_of(run->usual) * run->since;
	look_at_clocks(run);
	return used > polling + polling / 64 + (run->is_silent ? SILENT_WORK_NS : WORK_NS);
}

/* When its last poll ended, as far as that was measured. */
static uint64_t end_of(const struct mm_run *run, uint64_t now)
{
	uint64_t at = run->checked + run->usual * run->since;
	return at < now ? at : now;
}

/* It has ended before now: its end is moved, or told. */
static void end_run(struct mm_run *run, uint64_t now)
{
	uint64_t end = end_of(run, now);
	if (run->is_written && run->count > 1)
		mm_amend(time_of(run, end), run->count);
	else if (run->is_open)
		tell(MM_POLLED, run->call, run->count, ns_of(now - end));
	*run = (struct mm_run){ 0 };
}

static void begin_run(struct mm_run *run, unsigned call)
{
	*run = (struct mm_run){ .call = call, .count = 1, .is_in = true };
	tell(MM_ENTER, call, 0, 0);
}

void mm_polls_settle(void)
{
	struct mm_run *run = &mm_thread.run;
	if (!run->call)
		return;
	uint64_t now = ticks();
	if (!run->is_in) {
		end_run(run, now);
		return;
	}
	/* A poll says something. It belongs to those before, whose end is behind that then, unless
	 * the program computed before it. */
	unsigned call = run->call;
	run->is_silent = false;
	if (run->since && has_worked(run, now)) {
		run->count--;
		run->since--;
		end_run(run, now);
		begin_run(run, call);
	} else if (run->is_written) {
		run->is_written = !mm_take_back();
	}
	run->since = 0;
	run->skip = 0;
}

void mm_poll_enter_slowly(unsigned call)
{
	struct mm_run *run = &mm_thread.run;
	if (mm_is_left_out(call)) {
		mm_enter(call);
		return;
	}
	uint64_t now = ticks();
	if (run->call != call || has_worked(run, now)) {
		if (run->call)
			end_run(run, now);
		begin_run(run, call);
		return;
	}
	/* To LTTng the first one was a call of its own. */
	if (!run->is_written && !run->is_open) {
		tell(MM_ENTER, call, 0, 0);
		run->is_open = true;
		run->count = 0;
	}
	run->is_in = true;
	run->count++;
	run->since = 0;
	run->checked = now;
	if (run->count < LEARN) {
		run->learned = run->learned ? run->learned : now;
		return;
	}
	if (!run->is_silent) {
		run->usual = (now - run->learned) / LEARN;
		if (ns_of(run->usual) > MOST_USUAL_NS)
			run->usual = (uint64_t)(MOST_USUAL_NS / ns_per_tick);
		run->is_silent = true;
	}
	run->skip = SKIP;
	if (run->count - run->looked >= LOOK_AGAIN)
		look_at_clocks(run);
	if (run->is_written)
		mm_amend(time_of(run, now), run->count);
}

void mm_poll_leave_slowly(unsigned call, bool is_done)
{
	struct mm_run *run = &mm_thread.run;
	if (mm_is_left_out(call)) {
		mm_leave(call);
		return;
	}
	if (is_done && (run->is_written || run->since))
		mm_polls_settle(); /* it told nothing */
	run->checked = ticks();
	run->is_in = false;
	mm_thread.depth = 0;
	bool ends = mm_is_lttng() ? !run->is_open || is_done : !run->is_written;
	if (ends && mm_is_lttng() && !run->is_open)
		tell(MM_LEAVE, call, 0, 0);
	else if (ends)
		tell(MM_POLLED, call, run->count, 0);
	if (run->count == 1 && !is_done)
		look_at_clocks(run);
	run->is_written = !mm_is_lttng();
	if (is_done)
		*run = (struct mm_run){ 0 };
}
