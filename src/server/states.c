/* States of programs for a picture: what rows of views, and MPI ranks, did in a window.
 *
 * Times are ns from the begin of the window. Each row has lists of numbers: "states" (begin, end,
 * word, depth, share, more), "marks" (time, word, number of marks) and "values" (time, lowest,
 * highest and last value). share is 255, and more is the rank that was waited for, or -1.
 *
 * Few states are sent exactly. Otherwise those shorter than a bin become one state per bin and
 * depth: with the word of the longest, and with the share of the bin that all of them took (in
 * 1/255). So the size of an answer is bounded by the picture. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "ask/library/api.h"
#include "server/programs.h"

enum { MAX_ROWS = 1000, MAX_DEPTH = 16, ARROW_PARTS = 250, MAX_ARROWS = 4000, FEW_STATES = 20000 };

struct bin { /* the current bin of a depth: collects states that are shorter than a bin */
	int64_t begin, longest, sum;
	uint32_t word;
	bool is_open;
};

struct row {
	bool is_rank;
	uint32_t host, number;
	struct bin bins[MAX_DEPTH];
	int64_t mark_bin, n_marks; /* the current bin, not written yet; -1: none */
	uint32_t mark_word;
	int64_t value_bin, low, high, last; /* likewise; last: also the value before the window */
	bool has_value, is_known;
	struct mer_str states, marks, values; /* numbers with commas */
};

struct picture {
	struct session_world w;
	struct session_window window;
	int64_t bin_ns;
	bool is_exact; /* there are few states */
	struct row *rows;
	uint32_t n_rows;
	struct mer_map of;    /* kind, host and number -> row, plus 1 */
	struct mer_map words; /* -> number in the answer, plus 1 */
	uint32_t n_words;
	struct mer_str words_text;
	struct arrow *arrows;
	size_t n_arrows;
	bool failed; /* no memory */
};

/* ---- Rows ---- */

static uint64_t key_of(bool is_rank, uint32_t host, uint32_t number)
{
	const uint32_t parts[] = { is_rank, is_rank ? 0 : host, number };
	return mer_hash(parts, sizeof(parts));
}

static struct row *row_of(const struct picture *p, bool is_rank, uint32_t host, uint32_t number)
{
	const uint32_t *at = mer_map_get(&p->of, key_of(is_rank, host, number));
	return at && *at ? &p->rows[*at - 1] : NULL;
}

static int add_row(struct picture *p, const char *text, struct mer_err *err)
{
	char kind, rest;
	unsigned long host, number;
	if (sscanf(text, "%c:%9lu:%9lu%c", &kind, &host, &number, &rest) != 3 ||
		(kind != 's' && kind != 'm'))
		return mer_fail(err, MER_ERR_USAGE,
			"'%.40s' is no row such as s:0:1 (row 1 of host 0) or m:0:2 (line 2 of MPI)",
			text);
	if (p->n_rows == MAX_ROWS)
		return mer_fail(err, MER_ERR_USAGE, "at most %d rows", MAX_ROWS);
	bool is_rank = kind == 'm';
	uint32_t *at = mer_map_put(&p->of, key_of(is_rank, (uint32_t)host, (uint32_t)number));
	if (!at)
		return mer_fail_nomem(err);
	if (*at)
		return 0;
	*at = ++p->n_rows;
	p->rows[*at - 1] = (struct row){ .is_rank = is_rank,
		.host = is_rank ? 0 : (uint32_t)host,
		.number = (uint32_t)number,
		.mark_bin = -1,
		.value_bin = -1 };
	return 0;
}

static int add_rows(struct picture *p, const char *list, struct mer_err *err)
{
	char *copy = strdup(list), *rest = NULL;
	int rc = 0;
	p->rows = calloc(MAX_ROWS, sizeof(*p->rows));
	if (!copy || !p->rows)
		rc = mer_fail_nomem(err);
	for (char *one = rc ? NULL : strtok_r(copy, ",", &rest); one && rc == 0;
		one = strtok_r(NULL, ",", &rest))
		rc = add_row(p, one, err);
	free(copy);
	return rc;
}

/* ---- Words ---- */

/* The number of the word with this key in the answer. *is_new: it was added now, and the caller
 * writes the rest of its JSON object. */
static uint32_t word_of(struct picture *p, uint64_t key, bool *is_new)
{
	uint32_t *at = mer_map_put(&p->words, key);
	*is_new = at && !*at;
	if (!at) {
		p->failed = true;
		return 0;
	}
	if (*is_new) {
		*at = ++p->n_words;
		mer_str_puts(&p->words_text, p->n_words > 1 ? ",{" : "{");
	}
	return *at - 1;
}

static void put_text(struct picture *p, const char *key, const char *text)
{
	mer_str_printf(&p->words_text, "\"%s\":", key);
	if (text)
		mer_json_quote(&p->words_text, text, strlen(text));
	else
		mer_str_puts(&p->words_text, "null");
}

/* colour: 0xrrggbb; marks and arrows have none. */
static uint32_t view_word_of(struct picture *p, const struct view_host *v, uint32_t view,
	uint32_t word, const char *text, int64_t colour)
{
	bool is_new;
	const struct {
		const void *host;
		int64_t colour;
		uint32_t view, word;
	} key = { v, colour, view, word };
	uint32_t number = word_of(p, mer_hash(&key, sizeof(key)), &is_new);
	if (!is_new)
		return number;
	put_text(p, "text", text);
	mer_str_printf(&p->words_text, ",\"view\":%" PRIu32, view);
	if (colour >= 0)
		mer_str_printf(&p->words_text, ",\"colour\":\"#%06" PRIx64 "\"", (uint64_t)colour);
	mer_str_putc(&p->words_text, '}');
	return number;
}

static void put_mpi_word(struct picture *p, const char *text, const char *class, unsigned wait)
{
	put_text(p, "text", text);
	mer_str_putc(&p->words_text, ',');
	put_text(p, "class", class);
	mer_str_putc(&p->words_text, ',');
	put_text(p, "wait", wait ? mpi_wait_names[wait] : NULL);
	mer_str_putc(&p->words_text, '}');
}

static uint32_t mpi_word_of(struct picture *p, unsigned call, unsigned wait, bool is_marked)
{
	bool is_new;
	const uint32_t key[] = { UINT32_MAX, call, wait, is_marked };
	uint32_t number = word_of(p, mer_hash(key, sizeof(key)), &is_new);
	if (is_new)
		put_mpi_word(p, mpi_call_names[call],
			mpi_class_names[mpi_call_class(call, is_marked)], wait);
	return number;
}

/* The word of an arrow that is an MPI message. */
static uint32_t message_word_of(struct picture *p, unsigned wait)
{
	bool is_new;
	const uint32_t key[] = { UINT32_MAX, UINT32_MAX, wait, 0 };
	uint32_t number = word_of(p, mer_hash(key, sizeof(key)), &is_new);
	if (is_new)
		put_mpi_word(p, "message", mpi_class_names[MPI_POINT], wait);
	return number;
}

/* ---- States ---- */

static void put_number(struct mer_str *to, int64_t v)
{
	mer_str_printf(to, to->len ? ",%" PRId64 : "%" PRId64, v);
}

struct state { /* begin, end: from the window's begin */
	int64_t begin, end, more;
	uint32_t word, depth;
};

static void put_state(struct row *r, const struct state *s, unsigned share)
{
	put_number(&r->states, s->begin);
	put_number(&r->states, s->end);
	put_number(&r->states, s->word);
	put_number(&r->states, s->depth);
	put_number(&r->states, share);
	put_number(&r->states, s->more);
}

static void close_bin(const struct picture *p, struct row *r, uint32_t depth)
{
	struct bin *b = &r->bins[depth];
	double share = (double)b->sum / (double)p->bin_ns;
	const struct state s = { b->begin, b->begin + p->bin_ns, -1, b->word, depth };
	if (b->is_open)
		put_state(r, &s, (unsigned)(255 * (share < 1 ? share : 1)));
	b->is_open = false;
}

/* Called in the order of begin. */
static void add_state(const struct picture *p, struct row *r, struct state s)
{
	int64_t ns = s.end - s.begin, begin = s.begin - (s.begin % p->bin_ns);
	s.depth = s.depth < MAX_DEPTH ? s.depth : MAX_DEPTH - 1;
	struct bin *b = &r->bins[s.depth];
	if (p->is_exact || ns >= p->bin_ns || s.begin < 0) {
		close_bin(p, r, s.depth);
		put_state(r, &s, 255);
		return;
	}
	if (!b->is_open || b->begin != begin) {
		close_bin(p, r, s.depth);
		*b = (struct bin){ .begin = begin, .longest = -1, .is_open = true };
	}
	b->sum += ns;
	if (ns > b->longest) {
		b->longest = ns;
		b->word = s.word;
	}
}

static void add_states(struct picture *p, const struct view_host *v, uint32_t host)
{
	const struct session_window *w = &p->window;
	for (uint32_t i = 0; i < v->n_states && v->states[i].begin < w->end; i++) {
		const struct view_state *s = &v->states[i];
		struct row *r = s->end > w->begin ? row_of(p, false, host, s->row) : NULL;
		if (r)
			add_state(p, r,
				(struct state){ s->begin - w->begin, s->end - w->begin, -1,
					view_word_of(p, v, v->rows[s->row].view, s->word,
						view_word(v, s->word), s->colour),
					s->depth });
	}
}

static void add_rank(struct picture *p, const struct mpi_run *run, struct row *r)
{
	const struct session_window *w = &p->window;
	bool is_marked = mpi_process_of(run, r->number)->is_marked;
	for (uint32_t i = run->lines[r->number].first; i != MPI_NONE; i = run->calls[i].next) {
		const struct mpi_call *c = &run->calls[i];
		if (c->begin >= w->end)
			return;
		int64_t until = c->wait && c->until < c->end ? c->until : c->end;
		int64_t by = c->wait ? mpi_process_of(run, c->by)->rank : -1;
		if (c->wait && until > c->begin && until > w->begin)
			add_state(p, r,
				(struct state){ c->begin - w->begin, until - w->begin, by,
					mpi_word_of(p, c->id, c->wait, is_marked), 0 });
		int64_t begin = c->wait && until > c->begin ? until : c->begin;
		if (c->end > w->begin && c->end > begin && begin < w->end)
			add_state(p, r,
				(struct state){ begin - w->begin, c->end - w->begin, -1,
					mpi_word_of(p, c->id, 0, is_marked), 0 });
	}
}

/* States of the rows in the window; counts up to about FEW_STATES. */
static uint32_t count_states(const struct picture *p)
{
	const struct session_window *w = &p->window;
	const struct mpi_run *run = server_mpi_of(&p->w);
	uint32_t n = 0;
	for (uint32_t h = 0; h < p->w.world->n_hosts; h++) {
		const struct view_host *v = server_view_host(&p->w, h);
		for (uint32_t i = 0; v && i < v->n_states && n < FEW_STATES; i++) {
			const struct view_state *s = &v->states[i];
			n += s->begin < w->end && s->end > w->begin && row_of(p, false, h, s->row);
		}
	}
	for (uint32_t k = 0; k < p->n_rows; k++) {
		if (!p->rows[k].is_rank)
			continue;
		for (uint32_t i = run->lines[p->rows[k].number].first;
			i != MPI_NONE && n < FEW_STATES; i = run->calls[i].next)
			n += run->calls[i].begin < w->end && run->calls[i].end > w->begin;
	}
	return n;
}

/* ---- Marks and values ---- */

static void close_marks(const struct picture *p, struct row *r)
{
	if (r->mark_bin < 0)
		return;
	put_number(&r->marks, r->mark_bin * p->bin_ns);
	put_number(&r->marks, r->mark_word);
	put_number(&r->marks, r->n_marks);
}

static void add_marks(struct picture *p, const struct view_host *v, uint32_t host)
{
	const struct session_window *w = &p->window;
	for (uint32_t i = 0; i < v->n_marks && v->marks[i].time < w->end; i++) {
		const struct view_mark *m = &v->marks[i];
		struct row *r = m->time >= w->begin ? row_of(p, false, host, m->row) : NULL;
		int64_t bin = r ? (m->time - w->begin) / p->bin_ns : 0;
		if (!r)
			continue;
		if (bin != r->mark_bin) {
			close_marks(p, r);
			r->mark_bin = bin;
			r->n_marks = 0;
			r->mark_word = view_word_of(
				p, v, v->rows[m->row].view, m->word, view_word(v, m->word), -1);
		}
		r->n_marks++;
	}
}

static void close_values(const struct picture *p, struct row *r)
{
	if (r->value_bin < 0)
		return;
	put_number(&r->values, r->value_bin * p->bin_ns);
	put_number(&r->values, r->low);
	put_number(&r->values, r->high);
	put_number(&r->values, r->last);
	r->value_bin = -1;
}

static void add_value(const struct picture *p, struct row *r, int64_t time, int64_t value)
{
	int64_t bin = time / p->bin_ns;
	if (bin != r->value_bin) {
		close_values(p, r);
		r->value_bin = bin;
		r->low = r->high = value;
	}
	r->low = value < r->low ? value : r->low;
	r->high = value > r->high ? value : r->high;
	r->last = value;
}

static void add_values(struct picture *p, const struct view_host *v, uint32_t host)
{
	const struct session_window *w = &p->window;
	for (uint32_t i = 0; i < v->n_samples && v->samples[i].time < w->end; i++) {
		const struct view_sample *s = &v->samples[i];
		struct row *r = row_of(p, false, host, s->row);
		if (r && s->time < w->begin) {
			r->last = s->value;
			r->is_known = true;
		} else if (r) {
			if (r->is_known) /* the value that it had when the window began */
				add_value(p, r, 0, r->last);
			r->is_known = false;
			add_value(p, r, s->time - w->begin, s->value);
		}
	}
	for (uint32_t i = 0; i < p->n_rows; i++)
		if (!p->rows[i].is_rank && p->rows[i].host == host && p->rows[i].is_known)
			add_value(p, &p->rows[i], 0, p->rows[i].last);
}

/* ---- Arrows: those between the same rows and the same parts of the window are joined ---- */

struct arrow {
	bool is_rank;
	uint32_t from_host, from, to_host, to, word, count;
	int32_t first, last; /* parts that it begins and ends in */
	int64_t begin, end;
};

static bool is_same(const struct arrow *a, const struct arrow *b)
{
	return a->is_rank == b->is_rank && a->from_host == b->from_host && a->from == b->from &&
	       a->to_host == b->to_host && a->to == b->to && a->word == b->word &&
	       a->first == b->first && a->last == b->last;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_place(const void *x, const void *y)
{
	const struct arrow *a = x, *b = y;
	const uint64_t of_a[] = { (uint64_t)a->is_rank << 32 | a->word,
		(uint64_t)a->from_host << 32 | a->from, (uint64_t)a->to_host << 32 | a->to,
		(uint64_t)(uint32_t)a->first << 32 | (uint32_t)a->last, (uint64_t)a->begin };
	const uint64_t of_b[] = { (uint64_t)b->is_rank << 32 | b->word,
		(uint64_t)b->from_host << 32 | b->from, (uint64_t)b->to_host << 32 | b->to,
		(uint64_t)(uint32_t)b->first << 32 | (uint32_t)b->last, (uint64_t)b->begin };
	for (size_t i = 0; i < sizeof(of_a) / sizeof(*of_a); i++)
		if (of_a[i] != of_b[i])
			return compare_numbers(of_a[i], of_b[i]);
	return 0;
}

static int by_count(const void *x, const void *y)
{
	const struct arrow *a = x, *b = y;
	int less = compare_numbers(b->count, a->count);
	return less ? less : (a->begin > b->begin) - (a->begin < b->begin);
}

static bool is_seen(const struct picture *p, int64_t a, int64_t b)
{
	int64_t begin = a < b ? a : b, end = a < b ? b : a;
	return begin < p->window.end && end >= p->window.begin;
}

static void add_arrow(struct picture *p, struct arrow a)
{
	double part = (double)(p->window.end - p->window.begin) / ARROW_PARTS;
	a.begin -= p->window.begin;
	a.end -= p->window.begin;
	/* All times before the window count as one part, and so do all after it. */
	double first = (double)a.begin / part, last = (double)a.end / part;
	a.first = first < 0 ? -1 : first > ARROW_PARTS ? ARROW_PARTS : (int32_t)first;
	a.last = last < 0 ? -1 : last > ARROW_PARTS ? ARROW_PARTS : (int32_t)last;
	a.count = 1;
	p->arrows[p->n_arrows++] = a;
}

static void add_links(struct picture *p)
{
	const struct view_states *all = server_view_states(&p->w);
	for (uint32_t i = 0; all && i < all->n_links; i++) {
		const struct view_link *l = &all->links[i];
		if (!is_seen(p, l->begin, l->end))
			continue;
		uint32_t word = view_word_of(
			p, NULL, l->view, l->arrow, all->views[l->view]->arrows[l->arrow].name, -1);
		add_arrow(p, (struct arrow){ false, l->from_host, l->from_row, l->to_host,
				     l->to_row, word, .begin = l->begin, .end = l->end });
	}
}

static void add_messages(struct picture *p, const struct mpi_run *run)
{
	for (uint32_t i = 0; run && i < run->n_messages; i++) {
		const struct mpi_message *m = &run->messages[i];
		if (!mpi_is_comparable(run, m->from, m->to) || !is_seen(p, m->sent, m->received))
			continue;
		uint32_t word = message_word_of(p, m->wait);
		add_arrow(p, (struct arrow){ true, 0, m->from, 0, m->to, word, .begin = m->sent,
				     .end = m->received });
	}
}

static void join_arrows(struct picture *p)
{
	size_t n = 0;
	if (p->n_arrows)
		qsort(p->arrows, p->n_arrows, sizeof(*p->arrows), by_place);
	for (size_t i = 0; i < p->n_arrows; i++) {
		if (n && is_same(&p->arrows[n - 1], &p->arrows[i]))
			p->arrows[n - 1].count++;
		else
			p->arrows[n++] = p->arrows[i];
	}
	p->n_arrows = n;
	if (n)
		qsort(p->arrows, n, sizeof(*p->arrows), by_count);
}

static void find_arrows(struct picture *p)
{
	const struct mpi_run *run = server_mpi_of(&p->w);
	const struct view_states *all = server_view_states(&p->w);
	size_t n = (run ? run->n_messages : 0) + (all ? all->n_links : 0);
	p->arrows = calloc(n + 1, sizeof(*p->arrows));
	p->failed |= !p->arrows;
	if (!p->arrows)
		return;
	add_links(p);
	add_messages(p, run);
	join_arrows(p);
}

/* ---- The answer ---- */

static void put_list(struct mer_str *out, const char *name, const struct mer_str *list)
{
	if (list->len)
		mer_str_printf(out, ",\"%s\":[%s]", name, list->data);
}

static void put_rows(struct picture *p, struct mer_str *out)
{
	mer_str_puts(out, "\"rows\":[");
	for (uint32_t i = 0; i < p->n_rows; i++) {
		struct row *r = &p->rows[i];
		for (uint32_t d = 0; d < MAX_DEPTH; d++)
			close_bin(p, r, d);
		close_marks(p, r);
		close_values(p, r);
		p->failed |= r->states.failed | r->marks.failed | r->values.failed;
		mer_str_printf(out, "%s{\"row\":\"%c:%" PRIu32 ":%" PRIu32 "\"", i ? "," : "",
			r->is_rank ? 'm' : 's', r->host, r->number);
		put_list(out, "states", &r->states);
		put_list(out, "marks", &r->marks);
		put_list(out, "values", &r->values);
		mer_str_putc(out, '}');
	}
	mer_str_putc(out, ']');
}

static void put_arrows(const struct picture *p, struct mer_str *out)
{
	size_t n = p->n_arrows < MAX_ARROWS ? p->n_arrows : MAX_ARROWS;
	mer_str_puts(out, ",\"arrows\":[");
	for (size_t i = 0; i < n; i++) {
		const struct arrow *a = &p->arrows[i];
		char kind = a->is_rank ? 'm' : 's';
		mer_str_printf(out,
			"%s[\"%c:%" PRIu32 ":%" PRIu32 "\",\"%c:%" PRIu32 ":%" PRIu32 "\",%" PRId64
			",%" PRId64 ",%" PRIu32 ",%" PRIu32 "]",
			i ? "," : "", kind, a->from_host, a->from, kind, a->to_host, a->to,
			a->begin, a->end, a->count, a->word);
	}
	mer_str_printf(out, "],\"arrows_left_out\":%zu", p->n_arrows - n);
}

static int check_rows(const struct picture *p, struct mer_err *err)
{
	const struct mpi_run *run = server_mpi_of(&p->w);
	for (uint32_t i = 0; i < p->n_rows; i++) {
		const struct row *r = &p->rows[i];
		const struct view_host *v = r->is_rank || r->host >= p->w.world->n_hosts
						    ? NULL
						    : server_view_host(&p->w, r->host);
		if (r->is_rank ? !run || r->number >= run->n_lines : !v || r->number >= v->n_rows)
			return mer_fail(err, MER_ERR_USAGE, "row %" PRIu32 " is not there", i);
	}
	return 0;
}

static int read_picture(struct picture *p, struct mer_err *err)
{
	int rc = check_rows(p, err);
	if (rc)
		return rc;
	p->is_exact = count_states(p) < FEW_STATES;
	for (uint32_t i = 0; i < p->n_rows; i++)
		if (p->rows[i].is_rank)
			add_rank(p, server_mpi_of(&p->w), &p->rows[i]);
	for (uint32_t h = 0; h < p->w.world->n_hosts; h++) {
		const struct view_host *v = server_view_host(&p->w, h);
		if (!v)
			continue;
		add_states(p, v, h);
		add_marks(p, v, h);
		add_values(p, v, h);
	}
	find_arrows(p);
	return p->failed ? mer_fail_nomem(err) : 0;
}

static void free_picture(struct picture *p)
{
	for (uint32_t i = 0; i < p->n_rows; i++) {
		mer_str_fini(&p->rows[i].states);
		mer_str_fini(&p->rows[i].marks);
		mer_str_fini(&p->rows[i].values);
	}
	free(p->rows);
	free(p->arrows);
	mer_map_fini(&p->of);
	mer_map_fini(&p->words);
	mer_str_fini(&p->words_text);
}

static int answer(
	struct server_traces *t, struct picture *p, struct mer_str *out, struct mer_err *err)
{
	int rc = session_world(api_session(t->session), SESSION_USAGE_NONE, &p->w, err);
	if (rc == 0)
		rc = read_picture(p, err);
	if (rc)
		return rc;
	mer_str_putc(out, '{');
	put_rows(p, out);
	mer_str_printf(out, ",\"words\":[%s]", p->n_words ? p->words_text.data : "");
	put_arrows(p, out);
	mer_str_puts(out, "}\n");
	return p->failed || out->failed ? mer_fail_nomem(err) : 0;
}

void server_states(struct server *s, const struct http_request *r, struct http_answer *a)
{
	const char *rows = http_argument(r, "rows");
	struct mer_err err = { 0 };
	struct picture p = { 0 };
	uint32_t bins;
	int rc = server_window_of(r, &p.window, &bins, &err);
	if (rc == 0)
		rc = add_rows(&p, rows ? rows : "", &err);
	if (rc == 0) {
		p.bin_ns = (p.window.end - p.window.begin) / bins;
		p.bin_ns = p.bin_ns ? p.bin_ns : 1;
	}
	struct server_traces *t = rc ? NULL : server_traces_use(s, server_clocks_of(r), a);
	if (t) {
		rc = answer(t, &p, &a->body, &err);
		server_traces_done(t);
		a->status = 200;
		a->type = "application/json";
	}
	if (rc)
		server_refuse_err(a, rc, err.text);
	free_picture(&p);
}
