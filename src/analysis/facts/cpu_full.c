#include "analysis/facts/cpu_full.h"

/* The row of full windows ends where the current window begins. At most one row that ends in a
 * call is long enough: all others end with a window of the same stretch of time, or the one
 * before it. */
static bool end_row(struct cpu_full *f, struct cpu_full_times *ended)
{
	bool is_long = f->stretch >= CPU_FULL_STRETCH;
	if (is_long)
		*ended = (struct cpu_full_times){ f->begin - f->stretch, f->begin };
	f->stretch = 0;
	return is_long;
}

static bool end_window(struct cpu_full *f, struct cpu_full_times *ended)
{
	bool is_full = f->busy >= CPU_FULL_WINDOW / 20 * 19;
	f->busy = 0;
	if (!is_full)
		return end_row(f, ended);
	f->stretch += CPU_FULL_WINDOW;
	f->begin += CPU_FULL_WINDOW;
	return false;
}

bool cpu_full_end(struct cpu_full *f, struct cpu_full_times *ended)
{
	return end_window(f, ended) || end_row(f, ended);
}

/* Makes the window that contains t the current one. */
static bool move_to(struct cpu_full *f, int64_t t, struct cpu_full_times *ended)
{
	if (t >= f->begin && t < f->end)
		return false;
	int64_t last = f->end;
	int64_t next = t - (t % CPU_FULL_WINDOW + CPU_FULL_WINDOW) % CPU_FULL_WINDOW;
	bool is_long = end_window(f, ended);
	if (next != last)
		is_long |= end_row(f, ended);
	f->begin = next;
	f->end = next + CPU_FULL_WINDOW;
	return is_long;
}

/* The years 1966 to 2258: inside this range, windows and lengths of rows fit into 64 bits. Times
 * outside come from damaged packets and are no CPU time. */
static const int64_t FIRST_TIME = -100000000000000000, LAST_TIME = 9100000000000000000;

bool cpu_full_add(struct cpu_full *f, int64_t begin, int64_t end, struct cpu_full_times *ended)
{
	bool is_long = false;
	begin = begin > FIRST_TIME ? begin : FIRST_TIME;
	end = end < LAST_TIME ? end : LAST_TIME;
	if (begin >= f->begin && end <= f->end) {
		f->busy += end - begin;
		return false;
	}
	for (int64_t t = begin; t < end;) {
		is_long |= move_to(f, t, ended);
		int64_t n = (end - f->begin) / CPU_FULL_WINDOW;
		if (t == f->begin && n > 1) { /* many windows at once */
			f->stretch += (n - 1) * CPU_FULL_WINDOW;
			f->begin += (n - 1) * CPU_FULL_WINDOW;
			f->end = f->begin + CPU_FULL_WINDOW;
			t = f->begin;
			continue;
		}
		int64_t to = end < f->end ? end : f->end;
		f->busy += to - t;
		t = to;
	}
	return is_long;
}

int64_t cpu_full_of(int64_t begin, int64_t end)
{
	int64_t over = (begin % CPU_FULL_WINDOW + CPU_FULL_WINDOW) % CPU_FULL_WINDOW;
	int64_t first = over ? begin - over + CPU_FULL_WINDOW : begin;
	int64_t whole = end > first ? (end - first) / CPU_FULL_WINDOW * CPU_FULL_WINDOW : 0;
	return whole >= CPU_FULL_STRETCH ? whole : 0;
}
