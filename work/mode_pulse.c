/*
 * pulse: wakes at a steady rate, and states how late each wake-up was. The delay that a tracer, a
 * load or a virtual machine adds shows in the latest one.
 */
#include "work.h"

#include <errno.h>
#include <time.h>

enum { HERTZ, COUNT };

static const struct work_setting settings[] = {
	{ .name = "hertz",
		.unit = "HZ",
		.value = 1000,
		.least = 1,
		.most = 100000,
		.help = "wake-ups a second" },
	{ .name = "count",
		.unit = "N",
		.value = 1000,
		.least = 1,
		.most = 100000000,
		.help = "wake-ups" },
	{ 0 },
};

static int run(struct work *work)
{
	struct worker worker;
	int64_t period = 1000000000 / work_number(work, HERTZ), latest = 0, missed = 0;
	worker_start(&worker, work, "pulse");
	int64_t next = work_now() + period;
	for (int64_t i = 0; i < work_number(work, COUNT) && !work_stopped(); i++) {
		struct timespec until = { next / 1000000000, next % 1000000000 };
		struct step step = worker_wait(&worker, "pulse", "timer", i);
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR &&
			!work_stopped())
			;
		step.late_ns = work_now() - next;
		if (step.late_ns > latest)
			latest = step.late_ns;
		worker_done(&worker, &step);
		/* What is missed is not made up for in a hurry. */
		for (next += period; next <= work_now(); next += period)
			missed++;
	}
	worker_fact(&worker, "latest_ns", latest);
	worker_fact(&worker, "missed", missed);
	worker_end(&worker);
	return 0;
}

const struct work_mode mode_pulse = { .name = "pulse",
	.help = "wake at a steady rate, and state how late",
	.settings = settings,
	.run = run };
