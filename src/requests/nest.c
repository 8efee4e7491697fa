/* Nesting: on whose behalf each request was sent.
 *
 * What a task does is caused by what it read last. The time from one read to the next is a *turn*.
 * In a turn that began with a request, everything that is sent belongs to that request. In a turn
 * that began with an answer, everything that is sent belongs to the request for which the answered
 * request was sent; an answer that is written later shows which one that was. So requests that a
 * server sends are linked to each other and to requests that it serves, earlier and later ones:
 *
 *  read R, send S                  S belongs to R
 *  read the answer of S, answer R  S belongs to R
 *  read the answer of S, send T    T belongs to the same as S, unless something was answered
 *  answered R, send S              no link: the task is done with R, and got something else to do
 *
 * A task that takes jobs from a queue reads no requests itself. It does one job after the other, so
 * what it sends belongs to the request that it answers next. The same holds for a task that reads
 * one request at a time.
 *
 * A turn ends when the task polls: what it sends after a poll without having read anything was
 * caused by something else (a timer, another thread). A connection is opened for the request that
 * is sent on it first, so the turn of connect counts. A task that was woken by another task (queue
 * and condition variable) continues the turn of that task if it has no job. If an event loop was
 * woken and answers a request without having read anything for it, the waking task had done the
 * work.
 *
 * If S is sent in a turn that began with another answer, it belongs to the same request only if no
 * other request of the process was waiting at that time without having sent anything: such a
 * request may have waited for the connection, or for a timer. A worker that reads no requests has
 * one job at a time: until it hands something over (an eventfd, a pipe), it continues with the same
 * job.
 *
 * If S was sent for R, and the answer of S leads to an answer in a later exchange of R's
 * connection, then R was not over: everything from R to that exchange is one window, and everything
 * is computed again (join.c).
 *
 * Only requests that were open when S was sent can be its parent. If nothing distinguishes them,
 * the confidence is 1 divided by their number; it is also low if links contradict each other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/process_of.h"
#include "base/grow.h"
#include "base/lower_bound.h"
#include "requests/requests.h"

enum turn_kind {
	TURN_NONE,
	TURN_REQUEST, /* began with request `of` */
	TURN_ANSWER   /* with the answer of `of` */
};

struct turn {
	uint32_t of;	   /* exchange */
	uint32_t answered; /* exchange that was answered in it, plus 1; 0: none */
	uint8_t kind;
	bool several;	/* different ones were answered */
	bool is_handed; /* by another task, which had it */
	bool is_given;	/* its task handed something to others in it */
};

struct doing {	       /* of a task */
	uint32_t turn; /* plus 1; 0: none */
	uint32_t n_open,
		open; /* requests that it read and did not answer yet; the last one, plus 1 */
	/* Turn of the task that ended its wait, plus 1; and one whose result it has answered. */
	uint32_t given, credited;
};

struct load {			   /* of a process, now */
	uint32_t n_served, n_sent; /* requests that it has, and that it waits for */
};

enum evidence { NOTHING, WEAK, STRONG };

struct sent { /* a request that is sent by a task of this host */
	uint32_t exchange;
	uint32_t task;
	uint32_t turn;	   /* plus 1; of connect, if the connection was opened for this one */
	uint32_t ends;	   /* turn that its answer began, plus 1 */
	uint32_t next_job; /* exchange that the task answers next, plus 1 */
	uint32_t before; /* another one that it follows, of the same parent; plus 1, of nest.sent */
	uint32_t n_others;    /* requests of the process for which nothing was sent then, but one */
	bool is_fresh;	      /* its turn was over */
	bool is_after_gift;   /* its task had handed something to others in its turn */
	bool is_mixed;	      /* a window whose messages were sent for different reasons */
	bool alone;	      /* the task had no other request open than next_job */
	uint32_t front, back; /* what links before it, and behind it, say through others; plus 1 */
	uint32_t parent;      /* plus 1 */
	float confidence;
};

struct trust { /* of a process */
	/* For how many of them both links are known and are the same. */
	uint32_t n, n_agree;
	/* Turns that requests began, and in which another one was answered then: after a read, a
	 * task of it takes something else to do, without any event. */
	uint32_t n_begun, n_taken;
	/* That a link alone is right, which is before or behind. */
	float most_before, most_behind;
};

struct nest {
	struct requests *r;
	uint32_t host;
	const struct requests_host *log;
	struct turn *turns;
	uint32_t n_turns, cap_turns;
	struct sent *sent;
	uint32_t n_sent, cap_sent;
	struct doing *doing;  /* by task */
	uint32_t *process_of; /* by task: the task that stands for its process */
	struct load *loads;   /* by that */
	struct trust *trust;  /* by that */
	uint32_t *opened_in;  /* by socket: turn of its connect, plus 1 */
	uint32_t *sent_of;    /* by exchange: plus 1 */
	/* Requests that are served here, by process and by when they were read; for what could
	 * have been the cause. reach: the latest end of those of the process up to here. */
	struct served {
		int64_t read, reach;
		uint32_t process, exchange;
	} * served;
	size_t n_served, cap_served;
	bool *reads;	 /* by task: it reads requests */
	bool *continues; /* by exchange: its connection's next one is of the same window */
	bool has_joins;
	/* Processes whose jobs move between threads that read requests themselves. */
	struct mer_map moving;
};

static uint64_t process_key(const struct kernel_host *h, uint32_t task)
{
	int32_t pid = h->tasks[task].pid;
	return pid >= 0 ? (uint32_t)pid : (uint64_t)1 << 32 | task;
}

static struct requests_exchange *exchange_at(const struct nest *k, uint32_t i)
{
	return &k->r->exchanges[i];
}

static struct load *load_of(const struct nest *k, uint32_t task)
{
	return &k->loads[k->process_of[task]];
}

static void count_down(uint32_t *n)
{
	*n -= *n > 0;
}

/* ---- turns, in the order of time ---- */

static bool begin_turn(struct nest *k, struct doing *d, enum turn_kind kind, uint32_t of)
{
	if (!mer_grow32(&k->turns, k->n_turns, &k->cap_turns, sizeof(*k->turns)))
		return false;
	k->turns[k->n_turns++] = (struct turn){ .of = of, .kind = (uint8_t)kind };
	d->turn = k->n_turns;
	return true;
}

static bool on_read(struct nest *k, const struct requests_action *a, struct doing *d)
{
	uint32_t of = a->exchange - 1;
	enum turn_kind kind = a->is_server ? TURN_REQUEST : TURN_ANSWER;
	const struct turn *now = d->turn ? &k->turns[d->turn - 1] : NULL;
	if (a->is_server && exchange_at(k, of)->read == a->begin) {
		d->n_open++;
		d->open = a->exchange;
		load_of(k, a->task)->n_served++;
	}
	if (!a->is_server && exchange_at(k, of)->end == a->end)
		count_down(&load_of(k, a->task)->n_sent);
	bool same = now && now->kind == kind && now->of == of && !now->is_handed && !now->answered;
	if (!same && !begin_turn(k, d, kind, of))
		return false;
	k->trust[k->process_of[a->task]].n_begun += !same && a->is_server;
	if (!a->is_server && k->sent_of[of])
		k->sent[k->sent_of[of] - 1].ends = d->turn;
	return true;
}

static void answer_in(struct turn *t, uint32_t exchange)
{
	t->several |= t->answered && t->answered != exchange;
	t->answered = exchange;
}

/* Nothing that its task has read was for it: what the task that woke it had done is. Once: what is
 * answered after that may be another one's. */
static void credit(struct nest *k, struct doing *d, uint32_t exchange)
{
	uint32_t turn = d->given ? d->given : d->credited;
	if (turn)
		answer_in(&k->turns[turn - 1], exchange);
	d->credited = turn;
	d->given = 0;
}

static void on_answer(
	struct nest *k, uint32_t action, const struct requests_action *a, struct doing *d)
{
	struct requests_exchange *x = exchange_at(k, a->exchange - 1);
	struct turn *now = d->turn && !a->is_fresh ? &k->turns[d->turn - 1] : NULL;
	if (now && now->kind == TURN_REQUEST && !now->is_handed && !now->answered &&
		now->of + 1 != a->exchange)
		k->trust[k->process_of[a->task]].n_taken++;
	if (now)
		answer_in(now, a->exchange);
	if (!now || (now->kind == TURN_REQUEST && now->of + 1 != a->exchange))
		credit(k, d, a->exchange);
	if (x->last_answer != action)
		return;
	count_down(&load_of(k, a->task)->n_served);
	if (x->reader == a->task && d->n_open)
		d->n_open--;
	/* The task is done with it; with frames of HTTP/2 that is not known. */
	if (!requests_connection_of(k->r, a->exchange - 1)->is_multiplexed)
		d->turn = 0;
}

static bool same_reason(const struct nest *k, uint32_t a, uint32_t b)
{
	const struct turn *p = a ? &k->turns[a - 1] : NULL, *q = b ? &k->turns[b - 1] : NULL;
	return a == b || (p && q && p->kind == q->kind && p->of == q->of);
}

/* The first message of a request; of a window, also whether all of it has one reason. */
static bool on_send(
	struct nest *k, uint32_t action, const struct requests_action *a, struct doing *d)
{
	uint32_t of = a->exchange - 1;
	const struct requests_exchange *x = exchange_at(k, of);
	if (x->first_send != action) {
		struct sent *s =
			x->n_messages > 1 && k->sent_of[of] ? &k->sent[k->sent_of[of] - 1] : NULL;
		if (s)
			s->is_mixed |= a->is_fresh || !same_reason(k, s->turn, d->turn);
		return true;
	}
	if (!mer_grow32(&k->sent, k->n_sent, &k->cap_sent, sizeof(*k->sent)))
		return false;
	const struct requests_socket *s = &k->log->sockets[a->socket];
	const struct requests_connection *c = requests_connection_of(k->r, of);
	/* A connection that was opened in advance, for no request, shows nothing. */
	bool is_first = s->opener && c->first == of && a->was_connecting && k->opened_in[a->socket];
	struct load *load = load_of(k, a->task);
	k->sent[k->n_sent++] = (struct sent){ .exchange = of,
		.task = a->task,
		.turn = is_first ? k->opened_in[a->socket] : d->turn,
		.n_others =
			load->n_served > load->n_sent + 1 ? load->n_served - load->n_sent - 1 : 0,
		.is_fresh = a->is_fresh && !is_first,
		.is_after_gift = d->turn && k->turns[d->turn - 1].is_given };
	load->n_sent++;
	k->sent_of[of] = k->n_sent;
	return true;
}

/* Another task ended its wait: it goes on with what that one does, unless it has something to do.
 */
static bool on_wake(struct nest *k, const struct requests_action *a, struct doing *d)
{
	const struct doing *by = &k->doing[a->socket];
	const struct turn *now = d->turn ? &k->turns[d->turn - 1] : NULL;
	if (a->socket == a->task) {
		if (d->turn)
			k->turns[d->turn - 1].is_given = true;
		return true;
	}
	/* What was sent on a connection counts when it is read. */
	if (a->exchange && k->log->sockets[a->exchange - 1].connection)
		return true;
	d->given = by->turn;
	d->credited = 0;
	if ((now && !now->is_handed) || !by->turn || d->n_open)
		return true;
	const struct turn given = k->turns[by->turn - 1];
	if (given.kind == TURN_NONE || given.answered)
		return true;
	if (!begin_turn(k, d, (enum turn_kind)given.kind, given.of))
		return false;
	k->turns[k->n_turns - 1].is_handed = true;
	return true;
}

static bool take_turns(struct nest *k)
{
	for (uint32_t i = 0; i < k->log->n_actions; i++) {
		const struct requests_action *a = &k->log->actions[i];
		struct doing *d = &k->doing[a->task];
		bool ok = true;
		if (a->kind == REQUESTS_WAKE)
			ok = on_wake(k, a, d);
		else if (a->kind == REQUESTS_CONNECT)
			k->opened_in[a->socket] = d->turn;
		else if (!a->exchange)
			continue;
		else if (a->kind == REQUESTS_READ)
			ok = on_read(k, a, d);
		else if (a->is_server)
			on_answer(k, i, a, d);
		else
			ok = on_send(k, i, a, d);
		if (!ok)
			return false;
	}
	return true;
}

/* ---- jobs, against the order of time ---- */

/* What each task answers next, after it sent something. */
static void find_jobs(struct nest *k)
{
	const struct kernel_host *h = &k->r->w->hosts[k->host];
	uint32_t n = k->n_sent;
	for (uint32_t t = 0; t < h->n_tasks; t++)
		k->doing[t] = (struct doing){ 0 };
	for (uint32_t i = k->log->n_actions; i-- > 0;) {
		const struct requests_action *a = &k->log->actions[i];
		if (a->kind > REQUESTS_WRITE || !a->exchange)
			continue;
		struct doing *d = &k->doing[a->task];
		const struct requests_exchange *x = exchange_at(k, a->exchange - 1);
		if (a->is_server && a->kind == REQUESTS_WRITE && x->last_answer == i) {
			d->open = a->exchange;
			/* Backward: from its answer to its read it is open. */
			d->n_open += x->reader == a->task;
		} else if (a->is_server && a->kind == REQUESTS_READ && x->reader == a->task &&
			   x->read == a->begin && x->server_task == a->task && d->n_open) {
			d->n_open--;
		} else if (!a->is_server && a->kind == REQUESTS_WRITE && n && x->first_send == i) {
			struct sent *s = &k->sent[--n];
			s->next_job = d->open;
			const struct requests_exchange *job =
				d->open ? exchange_at(k, d->open - 1) : NULL;
			bool own = job && job->reader == a->task;
			bool moves = mer_map_get(&k->moving, process_key(h, a->task)) != NULL;
			s->alone = job && !moves && d->n_open == own && (own || !k->reads[a->task]);
		}
	}
}

/* ---- what could be ---- */

/* Was it read, and not answered, when this was sent? */
static bool is_open(const struct nest *k, uint32_t served, const struct requests_exchange *x)
{
	const struct requests_exchange *p = exchange_at(k, served);
	return p->read <= x->begin && p->done >= x->begin;
}

static bool is_possible(const struct nest *k, uint32_t served_plus_1, const struct sent *s)
{
	return served_plus_1 && served_plus_1 - 1 != s->exchange &&
	       is_open(k, served_plus_1 - 1, exchange_at(k, s->exchange));
}

/* How many requests the process of the task had open at that time, up to a limit; and one of
 * them, the one that was read last. */
static uint32_t count_open(
	const struct nest *k, const struct sent *s, uint32_t enough, uint32_t *last)
{
	enum { LOOK_BACK = 4096 };
	const struct requests_exchange *x = exchange_at(k, s->exchange);
	uint32_t n = 0, looked = 0, process = k->process_of[s->task];
	MER_LOWER_BOUND(from, 0, k->n_served, at,
		k->served[at].process < process ||
			(k->served[at].process == process && k->served[at].read <= x->begin));
	for (size_t i = from; i-- > 0 && looked < LOOK_BACK && n < enough; looked++) {
		const struct served *p = &k->served[i];
		if (p->process != process || p->reach < x->begin)
			break;
		if (p->exchange == s->exchange || exchange_at(k, p->exchange)->done < x->begin)
			continue;
		if (n++ == 0)
			*last = p->exchange + 1;
	}
	return n;
}

/* ---- what links say ---- */

/* By itself, before or after; plus 1, 0: nothing. */
static uint32_t said_before(const struct nest *k, const struct sent *s)
{
	const struct turn *t = s->turn && !s->is_fresh ? &k->turns[s->turn - 1] : NULL;
	return t && t->kind == TURN_REQUEST && is_possible(k, t->of + 1, s) ? t->of + 1 : 0;
}

static uint32_t said_after(const struct nest *k, const struct sent *s)
{
	const struct turn *t = s->ends ? &k->turns[s->ends - 1] : NULL;
	return t && t->answered && !t->several && is_possible(k, t->answered, s) ? t->answered : 0;
}

/* The request whose answer made the task send this one; plus 1, in k->sent. */
static uint32_t follows(const struct nest *k, const struct sent *s)
{
	const struct turn *t = s->turn && !s->is_fresh ? &k->turns[s->turn - 1] : NULL;
	if (!t || t->kind != TURN_ANSWER || t->answered || (s->is_after_gift && !k->reads[s->task]))
		return 0;
	return k->sent_of[t->of];
}

/* ---- how far links can be trusted ---- */

/* Do jobs change threads in its process, with no event that says so? */
static bool is_moving(const struct nest *k, uint32_t task)
{
	return mer_map_get(&k->moving, process_key(&k->r->w->hosts[k->host], task)) != NULL;
}

/* By how often links before and after are the same. Both have to be right for that, so one of them
 * is so more often; but those that stand alone are wrong more often than those of a pair. */
static float share_that_agrees(const struct trust *t)
{
	enum { FEWEST = 10 };
	if (t->n < FEWEST)
		return 1;
	float n = (float)t->n, share = (float)t->n_agree / n;
	return share - sqrtf(share * (1 - share) / n);
}

/* By how often a task that has read something does something else next: after an answer that makes
 * a link that is wrong. After a request, what is answered then shows it by itself. One more than
 * were seen: none of a few says little. */
static float share_not_taken(const struct trust *t, uint32_t n_ended, uint32_t n_links)
{
	float taken = (float)(t->n_taken + 1) / (float)(t->n_begun + 1);
	float wrong = taken * (float)n_ended / (float)(n_links + 1);
	return wrong < 1 ? 1 - wrong : 0;
}

/* Where threads hand requests to each other in memory, what one of them does next may be for
 * another request, and no event says so. How often that is can be seen from others of the process.
 */
static bool find_trust(struct nest *k)
{
	struct {
		uint32_t n_ended, n_after;
	} *counts = calloc((size_t)k->r->w->hosts[k->host].n_tasks + 1, sizeof(*counts));
	if (!counts)
		return false;
	for (uint32_t i = 0; i < k->n_sent; i++) {
		const struct sent *s = &k->sent[i];
		uint32_t before = said_before(k, s), after = said_after(k, s);
		struct trust *t = &k->trust[k->process_of[s->task]];
		counts[k->process_of[s->task]].n_ended += s->ends != 0;
		counts[k->process_of[s->task]].n_after += after != 0;
		t->n += before && after;
		t->n_agree += before && before == after;
	}
	for (uint32_t i = 0; i < k->r->w->hosts[k->host].n_tasks; i++) {
		struct trust *t = &k->trust[i];
		float pairs = share_that_agrees(t),
		      turns = share_not_taken(t, counts[i].n_ended, counts[i].n_after);
		bool moves = is_moving(k, i);
		t->most_before = moves && turns < pairs ? turns : pairs;
		t->most_behind = moves ? t->most_before : 1;
	}
	free(counts);
	return true;
}

/* The probability that it belongs to the same request as the one that it follows. */
static float same_as_before(const struct nest *k, const struct sent *s)
{
	float most = k->trust[k->process_of[s->task]].most_behind;
	if (s->n_others && k->reads[s->task])
		return 1.0F / (float)(1 + s->n_others);
	return most < 0.97F ? most : 0.97F;
}

/* ---- decisions ---- */

static void decide(struct sent *s, uint32_t parent, float confidence)
{
	s->parent = parent;
	s->confidence = confidence;
}

/* Two links say different things. Where jobs change threads, a task that has read a request takes
 * something else to do more often than one that has read an answer. */
static void decide_contradiction(
	const struct nest *k, struct sent *s, uint32_t before, uint32_t after, bool handed)
{
	decide(s, handed || is_moving(k, s->task) ? after : before, 0.5F);
}

/* There is one link, and one at the other end of a chain of requests that follow each other, or
 * none. most: that such a link is right. */
static void decide_by_one(
	const struct nest *k, struct sent *s, uint32_t link, float most, float confidence)
{
	enum { MANY = 64 };
	bool are_both = s->front && s->back && is_moving(k, s->task);
	uint32_t last, n = most < confidence && !are_both ? count_open(k, s, MANY, &last) : 0;
	if (are_both && s->front == s->back)
		decide(s, link, 0.99F);
	else if (are_both) /* as above */
		decide(s, s->back, most < 0.5F ? most : 0.5F);
	else if (most >= confidence || n == 1)
		decide(s, link, confidence);
	else
		decide(s, link, most * (float)n > 1 ? most : 1 / (float)(n + !n));
}

/* What the links of this one say. */
static void decide_alone(const struct nest *k, struct sent *s)
{
	uint32_t before = said_before(k, s), after = said_after(k, s);
	bool handed = s->turn && k->turns[s->turn - 1].is_handed;
	const struct trust *t = &k->trust[k->process_of[s->task]];
	if (s->alone && is_possible(k, s->next_job, s)) {
		/* Who waits for a lock is woken by tasks that do something else. */
		bool agree = (!before || handed || before == s->next_job) &&
			     (!after || after == s->next_job);
		decide(s, s->next_job, agree ? 1.0F : 0.6F);
	} else if (before && after && before == after) {
		decide(s, before, 1.0F);
	} else if (before && after) {
		decide_contradiction(k, s, before, after, handed);
	} else if (after) {
		decide_by_one(k, s, after, t->most_behind, 0.98F);
	} else if (before) {
		decide_by_one(k, s, before, t->most_before, handed ? 0.8F : 0.95F);
	}
}

/* What is at the ends of the chain that each is in. */
static void find_ends(const struct nest *k)
{
	for (uint32_t i = 0; i < k->n_sent; i++) {
		struct sent *s = &k->sent[i];
		s->before = follows(k, s);
		s->front = said_before(k, s);
		if (!s->front && s->before && is_possible(k, k->sent[s->before - 1].front, s))
			s->front = k->sent[s->before - 1].front;
		s->back = said_after(k, s);
	}
	for (uint32_t i = k->n_sent; i-- > 0;) {
		const struct sent *s = &k->sent[i];
		struct sent *b = s->before ? &k->sent[s->before - 1] : NULL;
		if (b && !b->back && is_possible(k, s->back, b))
			b->back = s->back;
	}
}

/* From what it follows to it, and back. */
static void decide_chains(const struct nest *k)
{
	for (uint32_t i = 0; i < k->n_sent; i++) {
		struct sent *s = &k->sent[i];
		if (s->parent || !s->before)
			continue;
		const struct sent *b = &k->sent[s->before - 1];
		if (is_possible(k, b->parent, s))
			decide(s, b->parent, b->confidence * same_as_before(k, s));
	}
	for (uint32_t i = k->n_sent; i-- > 0;) {
		const struct sent *s = &k->sent[i];
		struct sent *b = s->before ? &k->sent[s->before - 1] : NULL;
		bool handed = s->turn && k->turns[s->turn - 1].is_handed;
		float confidence = s->confidence * same_as_before(k, s);
		if (b && !handed && s->parent && is_possible(k, s->parent, b) &&
			(!b->parent || b->confidence < confidence))
			decide(b, s->parent, confidence);
	}
}

static void decide_rest(const struct nest *k)
{
	for (uint32_t i = 0; i < k->n_sent; i++) {
		struct sent *s = &k->sent[i];
		uint32_t last = 0;
		if (s->parent)
			continue;
		uint32_t n = count_open(k, s, UINT32_MAX, &last);
		const struct turn *t = s->turn ? &k->turns[s->turn - 1] : NULL;
		uint32_t guess = t && t->kind == TURN_REQUEST && is_possible(k, t->of + 1, s)
					 ? t->of + 1
					 : last;
		if (n)
			decide(s, guess, n == 1 ? 0.85F : 1.0F / (float)n);
	}
}

/* ---- exchanges that were not over ---- */

/* Its answer came when the other had been answered: nothing of it can be in that answer. So it was
 * sent for something else, or nobody waited for it, or an event is missing. */
static bool outlives(const struct requests_exchange *x, const struct requests_exchange *parent)
{
	return x->end > parent->done || x->end > parent->end;
}

/* The exchange that was served on the connection of this one at that time; NULL: none. */
static const struct requests_exchange *served_at(
	const struct nest *k, const struct requests_exchange *x, int64_t time)
{
	const struct requests_connection *c = &k->r->connections.item[x->connection];
	const struct requests_exchange *of = &k->r->exchanges[c->first];
	MER_LOWER_BOUND(i, 0, c->n, at, of[at].done < time);
	return i < c->n && of[i].read <= time ? &of[i] : NULL;
}

/* Sent for one exchange, whose connection went on before the answer came. If the turn that began
 * with the answer wrote into a later exchange of that connection, the earlier exchange had not
 * been answered yet. On a connection where that has been seen once, one exchange that was being
 * served at that time is enough: a server that gets several answers writes them together. */
static void find_join(struct nest *k, const struct sent *s)
{
	const struct turn *begun = s->turn && !s->is_fresh ? &k->turns[s->turn - 1] : NULL,
			  *ended = s->ends ? &k->turns[s->ends - 1] : NULL;
	if (!begun || begun->kind != TURN_REQUEST || begun->is_handed)
		return;
	const struct requests_exchange *x = exchange_at(k, s->exchange),
				       *from = exchange_at(k, begun->of), *until = NULL;
	bool is_multiplexed = k->r->connections.item[from->connection].is_multiplexed;
	if (!outlives(x, from) || !(is_multiplexed || is_open(k, begun->of, x)))
		return;
	if (ended && ended->answered && !ended->several && x->n_messages == 1)
		until = exchange_at(k, ended->answered - 1);
	if ((!until || until->connection != from->connection) && is_multiplexed)
		until = served_at(k, from, x->end);
	if (!until || until->connection != from->connection)
		return;
	for (uint32_t i = begun->of; exchange_at(k, i) < until; i++)
		k->continues[i] = k->has_joins = true;
}

/* ---- a host ---- */

static int by_process(const void *a, const void *b)
{
	const struct served *p = a, *q = b;
	if (p->process != q->process)
		return p->process < q->process ? -1 : 1;
	if (p->read != q->read)
		return p->read < q->read ? -1 : 1;
	return (p->exchange > q->exchange) - (p->exchange < q->exchange);
}

static bool add_served(struct nest *k, uint32_t task, uint32_t exchange)
{
	size_t n = k->n_served;
	if (!mer_grow(&k->served, n, &k->cap_served, sizeof(*k->served)))
		return false;
	k->served[k->n_served++] = (struct served){ .read = exchange_at(k, exchange)->read,
		.process = k->process_of[task],
		.exchange = exchange };
	return true;
}

static void sort_served(struct nest *k)
{
	if (k->n_served)
		qsort(k->served, k->n_served, sizeof(*k->served), by_process);
	for (size_t i = 0; i < k->n_served; i++) {
		struct served *s = &k->served[i];
		bool goes_on = i > 0 && s[-1].process == s->process;
		s->reach = exchange_at(k, s->exchange)->done;
		if (goes_on && s[-1].reach > s->reach)
			s->reach = s[-1].reach;
	}
}

/* Which requests are served here, which tasks read them, and in which processes jobs move
 * between threads. */
static bool find_served(struct nest *k)
{
	const struct requests *r = k->r;
	const struct kernel_host *h = &r->w->hosts[k->host];
	k->n_served = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		const struct requests_exchange *x = &r->exchanges[i];
		const struct requests_end *e = &requests_connection_of(r, i)->ends[REQUESTS_SERVER];
		if (e->host != k->host || x->reader == KERNEL_NONE)
			continue;
		bool moves = x->server_task != KERNEL_NONE &&
			     k->process_of[x->server_task] != k->process_of[x->reader];
		if (!add_served(k, x->reader, i) || (moves && !add_served(k, x->server_task, i)))
			return false;
		k->reads[x->reader] = true;
	}
	for (uint32_t i = 0; i < k->n_served; i++) {
		const struct requests_exchange *x = exchange_at(k, k->served[i].exchange);
		if (x->server_task == KERNEL_NONE || x->server_task == x->reader ||
			!k->reads[x->server_task])
			continue;
		uint32_t *at = mer_map_put(&k->moving, process_key(h, x->reader));
		if (!at)
			return false;
		*at = 1;
	}
	sort_served(k);
	return true;
}

/* Where events are missing, several messages may be a window only because the boundary between them
 * is lost, and then they were for several requests. */
static bool may_be_mixed(const struct requests_exchange *x, const struct requests_exchange *parent)
{
	return (x->is_damaged || parent->is_damaged) &&
	       (x->n_messages > 1 || parent->n_messages > 1);
}

/* Events that contradict earlier ones tell of others that are missing, and that no counter counts.
 * About one in two that are missing does; of simulated services, so large a share of the links is
 * right then. */
static float share_untouched(const struct kernel_host *h)
{
	return h->n_odd ? 1 / (1 + 250 * (float)h->n_odd / (float)(h->n_events + 1)) : 1;
}

/* On the hosts where the two requests were sent and served. */
static float most_with_missing_events(const struct nest *k, uint32_t exchange, uint32_t parent)
{
	const struct kernel_world *w = k->r->w;
	const struct requests_connection *x = requests_connection_of(k->r, exchange),
					 *p = requests_connection_of(k->r, parent);
	const uint32_t hosts[] = { k->host, x->ends[REQUESTS_SERVER].host,
		p->ends[REQUESTS_CLIENT].host };
	float least = 1;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		float share = share_untouched(&w->hosts[hosts[i]]);
		least = share < least ? share : least;
	}
	return least;
}

/* What was decided, into the exchange. */
static void put_parent(struct nest *k, const struct sent *s)
{
	struct requests_exchange *x = exchange_at(k, s->exchange);
	const struct requests_exchange *parent = s->parent ? exchange_at(k, s->parent - 1) : NULL;
	/* Begun before it: events are missing. */
	if (!parent || outlives(x, parent) || x->begin < parent->begin)
		return;
	x->parent = s->parent;
	x->confidence = s->confidence * most_with_missing_events(k, s->exchange, s->parent - 1);
	if (s->is_mixed && x->confidence > 1.0F / (float)x->n_messages)
		x->confidence = 1.0F / (float)x->n_messages;
	if (may_be_mixed(x, parent) && x->confidence > 0.75F)
		x->confidence = 0.75F; /* so many are right with a tenth of the events missing */
}

static bool nest_host(struct nest *k, uint32_t host)
{
	struct requests *r = k->r;
	size_t n_tasks = (size_t)r->w->hosts[host].n_tasks + 1;
	struct mer_arena arena;
	mer_arena_init(&arena);
	k->host = host;
	k->log = &r->log->hosts[host];
	k->n_turns = k->n_sent = 0;
	k->doing = calloc(n_tasks, sizeof(*k->doing));
	k->reads = calloc(n_tasks, sizeof(*k->reads));
	k->opened_in = calloc((size_t)k->log->n_sockets + 1, sizeof(*k->opened_in));
	k->loads = calloc(n_tasks, sizeof(*k->loads));
	k->trust = calloc(n_tasks, sizeof(*k->trust));
	k->process_of = analysis_process_of(&r->w->hosts[host], &arena);
	bool ok = k->doing && k->reads && k->opened_in && k->loads && k->trust &&
		  (k->process_of || r->w->hosts[host].n_tasks == 0) && find_served(k) &&
		  take_turns(k);
	if (ok) {
		for (uint32_t i = 0; i < k->n_sent; i++)
			find_join(k, &k->sent[i]);
		find_jobs(k);
		ok = find_trust(k);
		find_ends(k);
		for (uint32_t i = 0; i < k->n_sent; i++)
			decide_alone(k, &k->sent[i]);
		decide_chains(k);
		decide_rest(k);
		for (uint32_t i = 0; i < k->n_sent; i++)
			put_parent(k, &k->sent[i]);
	}
	free(k->doing);
	free(k->reads);
	free(k->opened_in);
	free(k->loads);
	free(k->trust);
	mer_arena_fini(&arena);
	mer_map_fini(&k->moving);
	k->moving = (struct mer_map){ 0 };
	return ok;
}

int requests_nest(struct requests *r, struct mer_err *err)
{
	enum { MOST_JOINS = 8 }; /* joined windows show more; seldom twice */
	struct nest k = { .r = r };
	k.sent_of = mer_spill_array(r->w->spill, (size_t)r->n + 1, sizeof(*k.sent_of));
	k.continues = mer_spill_array(r->w->spill, (size_t)r->n + 1, sizeof(*k.continues));
	int rc = k.sent_of && k.continues ? 0 : mer_fail_nomem(err);
	for (int n_joins = 0; rc == 0; n_joins++) {
		k.has_joins = false;
		for (uint32_t h = 0; rc == 0 && h < r->w->n_hosts; h++)
			rc = nest_host(&k, h) ? 0 : mer_fail_nomem(err);
		if (rc || !k.has_joins || n_joins == MOST_JOINS)
			break;
		rc = requests_join(r, k.continues, err);
		memset(k.sent_of, 0, r->n * sizeof(*k.sent_of));
		memset(k.continues, 0, r->n * sizeof(*k.continues));
	}
	mer_spill_release(k.sent_of);
	mer_spill_release(k.continues);
	free(k.turns);
	free(k.sent);
	free(k.served);
	return rc;
}
