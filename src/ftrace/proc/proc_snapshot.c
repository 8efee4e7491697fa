#include "ftrace/proc/proc_snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"

enum { MOST_TEXT = 1 << 20, MOST_FDS_TEXT = 1 << 26, MOST_FDS = 1 << 20, MOST_FD = 1 << 20 };
enum { MOST_NAME = 4096 };

bool proc_next_line(char **at, char **line)
{
	if (!**at)
		return false;
	*line = *at;
	char *end = strchr(*at, '\n');
	*at = end ? end + 1 : *at + strlen(*at);
	if (end)
		*end = '\0';
	return true;
}

bool proc_number(const char **p, uint64_t most, uint64_t *n)
{
	const char *begin = *p;
	uint64_t v = 0;
	for (; **p >= '0' && **p <= '9'; (*p)++) {
		uint64_t digit = (uint64_t)(**p - '0');
		if (v > (most - digit) / 10 || digit > most)
			return false;
		v = v * 10 + digit;
	}
	*n = v;
	return *p != begin;
}

/* ---- tasks ---- */

/* The name as the kernel's task has it: /proc writes a newline and a backslash as \n and \\, and
 * adds the current work to the name of a kworker, which is removed. */
static void set_comm(char comm[PROC_COMM], const char *text, size_t len)
{
	size_t n = 0;
	for (size_t i = 0; i < len && n < PROC_COMM - 1; i++) {
		char c = text[i];
		if (c == '\\' && i + 1 < len && (text[i + 1] == 'n' || text[i + 1] == '\\'))
			c = text[++i] == 'n' ? '\n' : '\\';
		comm[n++] = c;
	}
	comm[n] = '\0';
	static const char worker[] = "kworker/";
	if (strncmp(comm, worker, sizeof(worker) - 1) != 0)
		return;
	char *p = comm + sizeof(worker) - 1;
	p += *p == 'u';
	size_t cpu = strspn(p, "0123456789");
	if (cpu && p[cpu] == ':') {
		p += cpu + 1;
		p += strspn(p, "0123456789");
		p += *p == 'H' || *p == 'I';
		if (*p == '-' || *p == '+')
			*p = '\0';
	}
}

static const char *field(const char *p, unsigned n)
{
	for (; n && *p; n--) {
		p += strcspn(p, " ");
		p += strspn(p, " ");
	}
	return p;
}

/* "1 (init) S 0 1 1 0 -1 4194560 ...", the name of which may have anything in it. */
bool proc_parse_stat(const char *text, struct proc_task *t)
{
	enum { PPID = 1, FLAGS = 6, START = 19, THREAD_OF_KERNEL = 0x00200000 };
	const char *p = text, *open = strchr(text, '('), *close = strrchr(text, ')');
	uint64_t tid, ppid, flags, start;
	if (!proc_number(&p, INT32_MAX, &tid) || *p != ' ' || !open || !close || open != p + 1 ||
		close < open || close[1] != ' ' || !close[2] || close[3] != ' ')
		return false;
	const char *rest = close + 2, *a = field(rest, PPID), *b = field(rest, FLAGS),
		   *c = field(rest, START);
	if (!proc_number(&a, INT32_MAX, &ppid) || !proc_number(&b, UINT32_MAX, &flags) ||
		!proc_number(&c, UINT64_MAX / 100000000, &start))
		return false;
	t->tid = (int32_t)tid;
	t->ppid = (int32_t)ppid;
	t->state = *rest;
	t->is_kernel = flags & THREAD_OF_KERNEL;
	t->start_ticks = start;
	set_comm(t->comm, open + 1, (size_t)(close - open - 1));
	return true;
}

/* What follows "NAME:" and blanks; NULL: it is another line. */
static const char *behind(const char *line, const char *name)
{
	size_t len = strlen(name);
	return strncmp(line, name, len) == 0 && line[len] == ':'
		       ? line + len + 1 + strspn(line + len + 1, " \t")
		       : NULL;
}

static void parse_namespaces(const char *p, struct proc_task *t)
{
	uint64_t n, last = 0;
	unsigned levels = 0;
	/* From the outermost namespace in; what follows the line is no number. */
	for (; proc_number(&p, INT32_MAX, &n); p += strspn(p, "\t ")) {
		last = n;
		levels++;
	}
	if (levels > 1)
		t->vtid = (int32_t)last;
}

void proc_parse_status(const char *line, struct proc_task *t)
{
	const char *spaces = behind(line, "NSpid"), *own = behind(line, "voluntary_ctxt_switches"),
		   *forced = behind(line, "nonvoluntary_ctxt_switches");
	uint64_t n;
	if (spaces)
		parse_namespaces(spaces, t);
	else if (own && proc_number(&own, UINT32_MAX, &n)) {
		t->own_switches = n;
		t->has_own = true;
	} else if (forced && proc_number(&forced, UINT32_MAX, &n)) {
		t->switches = t->own_switches + n;
		t->has_switches = t->has_own;
	}
}

bool proc_add_task(struct proc_reading *r, const struct proc_task *t)
{
	struct proc_snapshot *s = r->s;
	uint32_t *at = mer_map_put(&s->by_tid, (uint64_t)(uint32_t)t->tid + 1);
	if (!at || !mer_grow(&s->tasks, s->n_tasks, &s->cap_tasks, sizeof(*s->tasks)))
		return false;
	if (*at) { /* a tid belongs to one task */
		s->n_damaged++;
		return true;
	}
	s->tasks[s->n_tasks++] = *t;
	*at = (uint32_t)s->n_tasks;
	return true;
}

/* Reads the folder of a task; false: it is none. */
static bool read_task(struct proc_reading *r, int dir, int32_t tid, struct proc_task *t)
{
	*t = (struct proc_task){ .pid = r->pid };
	char *text = proc_text(&r->folder, dir, "stat", MOST_TEXT), *line;
	if (!text || !*text) /* it has ended while the copy was made */
		return false;
	if (!proc_parse_stat(text, t) || t->tid != tid) {
		r->s->n_damaged++;
		return false;
	}
	text = proc_text(&r->folder, dir, "status", MOST_TEXT);
	while (text && proc_next_line(&text, &line))
		proc_parse_status(line, t);
	return true;
}

/* ---- descriptors ---- */

static bool add_fd(struct proc_reading *r, int32_t fd, const char *text)
{
	struct proc_snapshot *s = r->s;
	uint32_t *at;
	if (s->n_fds == MOST_FDS) {
		s->n_cut++;
		return true;
	}
	at = mer_map_put(&s->by_fd, proc_fd_key(r->pid, fd));
	if (!at || !mer_grow(&s->fds, s->n_fds, &s->cap_fds, sizeof(*s->fds)))
		return false;
	if (*at) {
		s->n_damaged++;
		return true;
	}
	char *own = mer_arena_strdup(r->arena, text);
	if (!own)
		return false;
	s->fds[s->n_fds++] = (struct proc_fd){ .pid = r->pid, .fd = fd, .text = own };
	*at = (uint32_t)s->n_fds;
	return true;
}

/* "lrwx------ 1 0 0 64 Nov 29 06:07 7 -> socket:[11885]"; without an arrow where it was not
 * allowed to be read. */
bool proc_parse_fd(struct proc_reading *r, char *line)
{
	uint64_t fd;
	char *arrow = strstr(line, " -> ");
	if (!arrow || line[0] != 'l') {
		r->s->n_damaged += line[0] && line[0] != 'l' && strncmp(line, "total ", 6) != 0;
		return true;
	}
	const char *p = arrow;
	while (p > line && p[-1] >= '0' && p[-1] <= '9')
		p--;
	if (p == line || p[-1] != ' ' || !proc_number(&p, MOST_FD - 1, &fd) || p != arrow ||
		!arrow[4] || strlen(arrow + 4) > MOST_NAME) {
		r->s->n_damaged++;
		return true;
	}
	return add_fd(r, (int32_t)fd, arrow + 4);
}

/* A folder of links, as it was in /proc: they are read, never followed. */
static bool add_link(void *ctx, int dir, const char *name, int32_t number)
{
	struct proc_reading *r = ctx;
	char text[MOST_NAME + 1];
	ssize_t n = readlinkat(dir, name, text, sizeof(text) - 1);
	if (n <= 0 || number >= MOST_FD)
		return true;
	text[n] = '\0';
	return add_fd(r, number, text);
}

static bool read_fds(struct proc_reading *r, int dir)
{
	char *at = proc_text(&r->folder, dir, "fd", MOST_FDS_TEXT), *line;
	if (!at) {
		int below = proc_open_below(dir, "fd");
		if (below < 0)
			return true;
		r->has_fds = true;
		char zero[MOST_NAME + 1];
		ssize_t n = readlinkat(below, "0", zero, sizeof(zero) - 1);
		bool ok = true;
		if (n > 0) { /* proc_each_number leaves out 0 */
			zero[n] = '\0';
			ok = add_fd(r, 0, zero);
		}
		ok = ok && proc_each_number(&r->folder, below, add_link, r);
		close(below);
		return ok;
	}
	r->has_fds = true;
	while (proc_next_line(&at, &line))
		if (!proc_parse_fd(r, line))
			return false;
	return true;
}

void proc_time_of(struct proc_reading *r, int32_t pid, int64_t *before, int64_t *after)
{
	const uint32_t *at = mer_map_get(&r->times, (uint64_t)(uint32_t)pid + 1);
	*before = at && *at ? r->read_ns[*at - 1].before : r->s->mono_before;
	*after = at && *at ? r->read_ns[*at - 1].after : r->s->mono_after;
}

/* ---- processes ---- */

static bool read_thread(void *ctx, int dir, const char *name, int32_t tid)
{
	struct proc_reading *r = ctx;
	struct proc_task t;
	int below = proc_open_below(dir, name);
	bool ok = true;
	if (below < 0)
		return true;
	if (tid != r->pid && read_task(r, below, tid, &t)) {
		t.read_ns = r->process->read_ns;
		t.read_by_ns = r->process->read_by_ns;
		t.vpid = r->process->vpid;
		ok = proc_add_task(r, &t);
	}
	/* If the first thread has ended, only the others have the process's descriptors. */
	if (ok && !r->has_fds)
		ok = read_fds(r, below);
	close(below);
	return ok;
}

static bool read_process(void *ctx, int dir, const char *name, int32_t pid)
{
	struct proc_reading *r = ctx;
	struct proc_task t;
	int below = proc_open_below(dir, name), threads;
	bool ok = true;
	if (below < 0)
		return true;
	r->pid = pid;
	r->has_fds = false;
	if (read_task(r, below, pid, &t)) {
		proc_time_of(r, pid, &t.read_ns, &t.read_by_ns);
		t.vpid = t.vtid;
		r->process = &t;
		ok = proc_add_task(r, &t) && (t.is_kernel || read_fds(r, below));
		threads = ok && !t.is_kernel ? proc_open_below(below, "task") : -1;
		if (threads >= 0) {
			ok = proc_each_number(&r->folder, threads, read_thread, r);
			close(threads);
		}
		r->process = NULL;
	}
	close(below);
	return ok;
}

/* ---- times ---- */

static bool read_times(struct proc_reading *r, int dir)
{
	char *at = proc_text(&r->folder, dir, "times", 1 << 26), *line;
	while (at && proc_next_line(&at, &line)) {
		const char *p = line;
		uint64_t pid, before, after = 0;
		if (!proc_number(&p, INT32_MAX, &pid) || *p++ != ' ' ||
			!proc_number(&p, INT64_MAX / 4, &before)) {
			r->s->n_damaged += *line != '\0';
			continue;
		}
		if (*p++ != ' ' || !proc_number(&p, INT64_MAX / 4, &after) || after < before)
			after = 0;
		uint32_t *to = mer_map_put(&r->times, pid + 1);
		if (!to || !mer_grow(&r->read_ns, r->n_times, &r->cap_times, sizeof(*r->read_ns)))
			return false;
		r->read_ns[r->n_times++] = (struct proc_times){ (int64_t)before, (int64_t)after };
		*to = (uint32_t)r->n_times;
	}
	return true;
}

static bool parse_clock(const char *line, const char *word, int64_t *mono, int64_t *real)
{
	size_t len = strlen(word);
	const char *p = line + len;
	uint64_t a, b;
	if (strncmp(line, word, len) != 0 || !proc_number(&p, INT64_MAX / 4, &a) || *p++ != ' ' ||
		!proc_number(&p, INT64_MAX / 4, &b))
		return false;
	*mono = (int64_t)a;
	*real = (int64_t)b;
	return true;
}

static void read_clock(struct proc_reading *r, int dir)
{
	struct proc_snapshot *s = r->s;
	char *at = proc_text(&r->folder, dir, "clock", MOST_TEXT), *line;
	bool has_before = false, has_after = false;
	while (at && proc_next_line(&at, &line)) {
		has_before |= parse_clock(line, "before ", &s->mono_before, &s->real_before);
		has_after |= parse_clock(line, "after ", &s->mono_after, &s->real_after);
	}
	s->has_clock = has_before && has_after && s->mono_after >= s->mono_before;
	if (!s->has_clock)
		s->mono_before = s->mono_after = 0;
}

static bool read_it(struct proc_reading *r, int dir)
{
	bool is_listed;
	read_clock(r, dir);
	return read_times(r, dir) && proc_read_host(r, dir) &&
	       proc_read_listed(r, dir, &is_listed) &&
	       (is_listed || proc_each_number(&r->folder, dir, read_process, r));
}

bool proc_snapshot_read(
	struct proc_snapshot *s, int dir, const char *name, bool is_be, struct mer_arena *arena)
{
	struct proc_reading r = { .s = s, .arena = arena, .is_be = is_be };
	int own = proc_open_below(dir, name);
	if (own < 0)
		return true;
	s->is_there = true;
	bool ok = read_it(&r, own);
	close(own);
	s->n_cut += r.folder.n_cut;
	ok = ok && !r.folder.is_out_of_memory && !arena->failed;
	mer_map_fini(&r.times);
	free(r.read_ns);
	proc_folder_fini(&r.folder);
	return ok;
}

void proc_snapshot_fini(struct proc_snapshot *s)
{
	free(s->tasks);
	free(s->fds);
	free(s->sockets);
	free(s->disks.item);
	free(s->irqs.item);
	free(s->cpus.item);
	free(s->interfaces.item);
	mer_map_fini(&s->by_tid);
	mer_map_fini(&s->by_fd);
	mer_map_fini(&s->by_inode);
}

const struct proc_task *proc_task_at(const struct proc_snapshot *s, int32_t tid)
{
	const uint32_t *at = mer_map_get(&s->by_tid, (uint64_t)(uint32_t)tid + 1);
	return at && *at ? &s->tasks[*at - 1] : NULL;
}

const struct proc_fd *proc_fd_at(const struct proc_snapshot *s, int32_t pid, int32_t fd)
{
	const uint32_t *at = mer_map_get(&s->by_fd, proc_fd_key(pid, fd));
	return at && *at ? &s->fds[*at - 1] : NULL;
}

const struct proc_socket *proc_socket_of(const struct proc_snapshot *s, const char *text)
{
	static const char begin[] = "socket:[";
	const char *p = text + sizeof(begin) - 1;
	uint64_t inode;
	if (strncmp(text, begin, sizeof(begin) - 1) != 0 ||
		!proc_number(&p, UINT64_MAX - 1, &inode) || strcmp(p, "]") != 0)
		return NULL;
	const uint32_t *at = mer_map_get(&s->by_inode, inode);
	return at && *at ? &s->sockets[*at - 1] : NULL;
}
