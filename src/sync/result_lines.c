#include "sync/result_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag_json.h"
#include "base/grow.h"
#include "sync/result_put.h"

/* In the order in which they are joined. */
enum kind { HEAD, HOST, PAIR, VM, FINDING, N_KINDS };
static const char *const words[] = { "head", "host", "pair", "vm", "finding" };

/* ---- writing ---- */

struct writing {
	const struct sync_result *r;
	const bool *own;
	struct mer_str *out;
	struct mer_err *err;
	int rc;
};

static bool is_own(const struct writing *w, uint32_t host)
{
	return host < w->r->n_hosts && w->own[host];
}

/* number: among those of the result; a, b: the hosts that it is of. */
static void begin(struct writing *w, struct mer_json *j, enum kind kind, size_t number, uint32_t a,
	uint32_t b)
{
	mer_str_printf(w->out, "%s %zu %u %u ", words[kind], number, (unsigned)a, (unsigned)b);
	mer_json_init(j, w->out, NULL, 0);
}

static void end(struct writing *w, struct mer_json *j)
{
	if (w->rc == 0)
		w->rc = mer_json_finish(j, w->err);
}

static void put_head(struct writing *w)
{
	struct mer_json j;
	begin(w, &j, HEAD, 0, 0, 0);
	mer_json_begin_object(&j);
	mer_json_kv_int(&j, "schema_version", SYNC_FILE_VERSION);
	mer_json_kv_text(&j, "method", sync_method_name(w->r->method));
	mer_json_kv_double(&j, "max_drift_ppm", w->r->max_drift_ppm);
	mer_json_kv_uint(&j, "n_groups", w->r->n_groups);
	mer_json_end_object(&j);
	end(w, &j);
}

static void put_findings(struct writing *w)
{
	for (uint32_t i = 0; i < w->r->diags.n; i++) {
		const struct mer_diag *d = &w->r->diags.rows[i];
		struct mer_json j;
		bool is_of_some = false, is_of_own = false;
		for (uint32_t h = 0; d->host && h < w->r->n_hosts; h++)
			if (strcmp(w->r->hosts[h].name, d->host) == 0) {
				is_of_some = true;
				is_of_own |= is_own(w, h);
			}
		if (is_of_some && !is_of_own)
			continue;
		begin(w, &j, FINDING, i, 0, 0);
		mer_diag_json(d, &j);
		end(w, &j);
	}
}

int sync_result_write_lines(
	const struct sync_result *r, const bool *own, struct mer_str *out, struct mer_err *err)
{
	struct writing w = { r, own, out, err, 0 };
	struct mer_json j;
	put_head(&w);
	for (uint32_t h = 0; h < r->n_hosts; h++) {
		if (!own[h])
			continue;
		begin(&w, &j, HOST, h, h, h);
		sync_put_host(&j, r, h, true);
		end(&w, &j);
	}
	for (size_t i = 0; i < r->n_pairs; i++) {
		const struct sync_pair *p = &r->pairs[i];
		if (!is_own(&w, p->a) && !is_own(&w, p->b))
			continue;
		begin(&w, &j, PAIR, i, p->a, p->b);
		sync_put_pair(&j, r, p);
		end(&w, &j);
	}
	for (uint32_t v = 0; v < r->n_vms; v++) {
		const struct sync_vm *vm = &r->vms[v];
		if (!is_own(&w, vm->guest) && !is_own(&w, vm->hypervisor))
			continue;
		begin(&w, &j, VM, v, vm->guest == SYNC_NO_GUEST ? vm->hypervisor : vm->guest,
			vm->hypervisor);
		sync_put_vm(&j, r, vm);
		end(&w, &j);
	}
	put_findings(&w);
	return w.rc;
}

/* ---- joining ---- */

struct line {
	enum kind kind;
	uint32_t number, a, b;
	const char *object; /* its JSON */
	size_t len;
};

struct lines {
	struct line *of; /* malloc'ed */
	size_t n, cap;
};

static int refuse(struct mer_err *err)
{
	return mer_fail(err, MER_ERR_INPUT, "clocks that cannot be");
}

static bool get_number(const char **at, const char *end, uint32_t *v)
{
	uint64_t n = 0;
	const char *p = *at;
	for (; p < end && *p >= '0' && *p <= '9' && n <= UINT32_MAX; p++)
		n = n * 10 + (uint64_t)(*p - '0');
	if (p == *at || p == end || *p != ' ' || n > UINT32_MAX)
		return false;
	*v = (uint32_t)n;
	*at = p + 1;
	return true;
}

static bool get_line(const char *at, const char *end, struct line *l)
{
	for (int k = 0; k < N_KINDS; k++) {
		size_t n = strlen(words[k]);
		if ((size_t)(end - at) <= n || memcmp(at, words[k], n) != 0 || at[n] != ' ')
			continue;
		l->kind = (enum kind)k;
		at += n + 1;
		if (!get_number(&at, end, &l->number) || !get_number(&at, end, &l->a) ||
			!get_number(&at, end, &l->b))
			return false;
		l->object = at;
		l->len = (size_t)(end - at);
		return l->len > 2 && *at == '{' && end[-1] == '}';
	}
	return false;
}

static int get_lines(const struct sync_lines *text, struct lines *to, struct mer_err *err)
{
	const char *at = text->text, *end = at + text->len;
	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		struct line l;
		if (!stop || !get_line(at, stop, &l))
			return refuse(err);
		if (!mer_grow(&to->of, to->n, &to->cap, sizeof(*to->of)))
			return mer_fail_nomem(err);
		to->of[to->n++] = l;
		at = stop + 1;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct line *p = a, *q = b;
	if (p->kind != q->kind)
		return p->kind < q->kind ? -1 : 1;
	return (p->number > q->number) - (p->number < q->number);
}

/* Pairs, VMs and findings may be in several texts: each is kept once. Of one result they are the
 * same to the byte. */
static int drop_copies(struct lines *l, struct mer_err *err)
{
	size_t n = 0;
	if (l->n)
		qsort(l->of, l->n, sizeof(*l->of), compare);
	for (size_t i = 0; i < l->n; i++) {
		const struct line *x = &l->of[i];
		if (n == 0 || compare(&l->of[n - 1], x) != 0)
			l->of[n++] = *x;
		else if (l->of[n - 1].len != x->len ||
			 memcmp(l->of[n - 1].object, x->object, x->len) != 0)
			return mer_fail(err, MER_ERR_INPUT, "their times are by different clocks");
	}
	l->n = n;
	return n && l->of[0].kind == HEAD ? 0 : refuse(err);
}

static bool has_host(const struct lines *l, uint32_t host)
{
	const struct line wanted = { .kind = HOST, .number = host };
	return bsearch(&wanted, l->of, l->n, sizeof(*l->of), compare) != NULL;
}

static bool is_wanted(const struct lines *l, const struct line *x)
{
	return (x->kind != PAIR && x->kind != VM) || (has_host(l, x->a) && has_host(l, x->b));
}

static void put_array(const struct lines *l, enum kind kind, const char *key, struct mer_str *out)
{
	bool is_first = true;
	mer_str_printf(out, ",\"%s\":[", key);
	for (size_t i = 0; i < l->n; i++) {
		const struct line *x = &l->of[i];
		if (x->kind != kind || !is_wanted(l, x))
			continue;
		if (!is_first)
			mer_str_putc(out, ',');
		mer_str_add(out, x->object, x->len);
		is_first = false;
	}
	mer_str_putc(out, ']');
}

int sync_result_join(const struct sync_lines *texts, size_t n, struct mer_str *out,
	uint32_t *n_hosts, struct mer_err *err)
{
	struct lines l = { 0 };
	int rc = 0;
	*n_hosts = 0;
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = get_lines(&texts[i], &l, err);
	if (rc == 0)
		rc = drop_copies(&l, err);
	for (size_t i = 0; rc == 0 && i < l.n; i++)
		*n_hosts += l.of[i].kind == HOST;
	if (rc == 0) {
		mer_str_add(out, l.of[0].object, l.of[0].len - 1); /* without its last brace */
		put_array(&l, HOST, "hosts", out);
		put_array(&l, PAIR, "pairs", out);
		put_array(&l, VM, "vms", out);
		put_array(&l, FINDING, "diagnostics", out);
		mer_str_puts(out, "}\n");
		rc = out->failed ? mer_fail_nomem(err) : 0;
	}
	free(l.of);
	return rc;
}
