/* Picture: what lanes did, from the server's bytes (server/lanes.c), and which state a column of
 * the screen shows: the one that took most of its time, where running and ready states take
 * precedence over sleep, as in the browser's page. */
#ifndef MER_CLI_TUI_PICTURE_H
#define MER_CLI_TUI_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "cli/tui/cells.h"
#include "kernel/span.h"

struct tui_picture { /* zeroed: nothing; borrows the bytes */
	const unsigned char *first, *begin, *end, *task, *state, *cause, *share;
	size_t n_lanes, n_spans;
	int64_t origin, unit;
	bool in_bins; /* spans are not exact */
};

struct tui_span {
	int64_t begin, end;
	uint32_t task; /* of a CPU: number of the task on it; KERNEL_NONE */
	uint8_t state, cause;
	double share; /* how much of it was in states like this one */
};

/* false: these are no such bytes. */
bool tui_picture_read(struct tui_picture *p, const void *bytes, size_t len);
/* The span of a lane at a moment; false: none. */
bool tui_picture_at(const struct tui_picture *p, size_t lane, int64_t at, struct tui_span *s);

/* Of lanes from..to-1 in a part of the time. */
struct tui_column {
	uint8_t state, cause;
	double share; /* of the part, and of the lanes: awake if the state is; 0: nothing known */
};
/* n columns of the time begin..end. */
void tui_picture_columns(const struct tui_picture *p, size_t from, size_t to, int64_t begin,
	int64_t end, struct tui_column *columns, size_t n);

bool tui_is_asleep(uint8_t state);
enum tui_style tui_state_style(uint8_t state, uint8_t cause);
/* U, S, K, I, R: user mode, system call, kernel thread, interrupted, runnable; small where that is
 * less than half of the column. Waits: d disk, n network, t timer, l lock, p pipe, - others. */
char tui_state_letter(uint8_t state, uint8_t cause, double share);
/* "user mode", "blocked: disk". */
const char *tui_state_words(uint8_t state, uint8_t cause, char *to, size_t size);

#endif
