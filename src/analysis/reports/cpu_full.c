#include "analysis/reports/cpu_full.h"

/* n windows in a row were full. */
static void lengthen(struct cpu_full *f, int64_t n)
{
	int64_t before = f->stretch;
	f->stretch += n * CPU_FULL_WINDOW;
	if (f->stretch >= CPU_FULL_STRETCH)
		f->ns += f->stretch - (before >= CPU_FULL_STRETCH ? before : 0);
}

void cpu_full_end(struct cpu_full *f)
{
	if (f->busy >= CPU_FULL_WINDOW / 20 * 19)
		lengthen(f, 1);
	else
		f->stretch = 0;
	f->busy = 0;
}

/* The window that has t is the one to be filled. */
static void move_to(struct cpu_full *f, int64_t t)
{
	if (t >= f->begin && t < f->end)
		return;
	int64_t last = f->end;
	cpu_full_end(f);
	f->begin = t - (t % CPU_FULL_WINDOW + CPU_FULL_WINDOW) % CPU_FULL_WINDOW;
	f->end = f->begin + CPU_FULL_WINDOW;
	if (f->begin != last)
		f->stretch = 0;
}

void cpu_full_add(struct cpu_full *f, int64_t begin, int64_t end)
{
	if (begin >= f->begin && end <= f->end) {
		f->busy += end - begin;
		return;
	}
	for (int64_t t = begin; t < end;) {
		move_to(f, t);
		int64_t n = (end - f->begin) / CPU_FULL_WINDOW;
		if (t == f->begin && n > 1) { /* many at once, however long they are */
			lengthen(f, n - 1);
			f->begin += (n - 1) * CPU_FULL_WINDOW;
			f->end = f->begin + CPU_FULL_WINDOW;
			t = f->begin;
			continue;
		}
		int64_t to = end < f->end ? end : f->end;
		f->busy += to - t;
		t = to;
	}
}
