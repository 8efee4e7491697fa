/* Filter: which facts count, and which rows of the table are shown.
 *
 * Conditions joined by && are handled one by one. A condition on fields is decided for each fact
 * as it is added; one on the name or process of a task, when everything has been read; one on
 * columns that are not fields, such as a count, for the rows of the finished table. If a
 * condition on a task also compares fields, the results of these comparisons (the outcome) are
 * part of the group's key until everything has been read. */
#include <stdio.h>
#include <string.h>

#include "analysis/cells.h"
#include "analysis/fold/plan.h"
#include "trace/filter/code.h"

enum stage { AT_ONCE, LATE, OF_ROWS, NEVER };

/* ---- what operands are ---- */

static const char *name_of(const struct filter_operand *o)
{
	switch (o->what) {
	case FILTER_THE_FIELD: return o->path.text;
	case FILTER_THE_NAME: return "name";
	case FILTER_THE_TIME: return "begin";
	case FILTER_THE_HOST: return "host";
	case FILTER_THE_CPU: return "cpu";
	default: return NULL;
	}
}

static bool find_part(const char *name, char *task, size_t bytes, enum fold_task_part *part)
{
	const char *end = strrchr(name, '_'), *word = end ? end + 1 : name;
	*part = strcmp(word, "tid") == 0    ? FOLD_TASK_TID
		: strcmp(word, "pid") == 0  ? FOLD_TASK_PID
		: strcmp(word, "comm") == 0 ? FOLD_TASK_COMM
					    : FOLD_TASK_ITSELF;
	size_t n = end ? (size_t)(end - name) : strlen("task");
	if (!*part || n >= bytes)
		return false;
	memcpy(task, end ? name : "task", n);
	task[n] = '\0';
	return true;
}

/* Finds a field or view; its unit may be omitted. */
static bool find_number(const struct fact_kind *k, const char *name, struct fold_source *s)
{
	static const char *const units[] = { "", "_ns", "_bytes" };
	char key[64];
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		int n = snprintf(key, sizeof(key), "%s%s", name, units[i]);
		if (n > 0 && (size_t)n < sizeof(key) && fold_source_find(k, key, s))
			return true;
	}
	return false;
}

static void find_operand(
	const struct fact_kind *k, const struct filter_operand *o, struct fold_operand *to)
{
	const char *name = name_of(o);
	char task[32];
	*to = (struct fold_operand){ 0 };
	if (!name)
		return;
	if (strcmp(name, "host") == 0)
		to->what = FOLD_OPERAND_HOST;
	else if (find_number(k, name, &to->source))
		to->what = FOLD_OPERAND_NUMBER;
	else if (find_part(name, task, sizeof(task), &to->part) &&
		 fold_source_find(k, task, &to->source) && to->source.meaning == FACT_TASK)
		to->what = FOLD_OPERAND_TASK;
}

static size_t column_of(const struct fold_plan *p, const char *name)
{
	static const char *const units[] = { "", "_ns", "_bytes" };
	char key[64];
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		snprintf(key, sizeof(key), "%s%s", name, units[i]);
		for (size_t c = 0; p->columns[c].key; c++)
			if (strcmp(p->columns[c].key, key) == 0)
				return c;
	}
	return SIZE_MAX;
}

/* ---- when conditions can be decided ---- */

static enum stage stage_of_operand(struct fold_plan *p, const struct filter_node *node, int side)
{
	const struct filter_operand *o = side ? &node->right : &node->left;
	enum stage stage = NEVER;
	if (filter_is_constant(o))
		return AT_ONCE;
	for (uint32_t i = 0; i < p->n_inputs; i++) {
		struct fold_operand *x = &p->filter.operands[i][2 * node->number + (uint32_t)side];
		find_operand(p->inputs[i].kind, o, x);
		if (!x->what)
			continue;
		bool is_late = x->what == FOLD_OPERAND_TASK && x->part != FOLD_TASK_TID;
		if (is_late && strcmp(x->source.key, "task") != 0) {
			/* groups do not have separate values of it */
			*x = (struct fold_operand){ 0 };
			continue;
		}
		stage = is_late ? LATE : stage == NEVER ? AT_ONCE : stage;
	}
	return stage != NEVER					    ? stage
	       : name_of(o) && column_of(p, name_of(o)) != SIZE_MAX ? OF_ROWS
								    : NEVER;
}

/* *last: latest stage of all operands; *first: earliest one that is not a constant. *unknown: a
 * name that is nothing of these. */
static void find_stages(struct fold_plan *p, const struct filter_node *node, enum stage *first,
	enum stage *last, const char **unknown)
{
	for (uint32_t i = 0; i < node->n && node->kind < FILTER_COMPARE; i++)
		find_stages(p, node->children[i], first, last, unknown);
	if (node->kind < FILTER_COMPARE)
		return;
	for (int side = 0; side < (node->kind == FILTER_HAS ? 1 : 2); side++) {
		const struct filter_operand *o = side ? &node->right : &node->left;
		enum stage stage = stage_of_operand(p, node, side);
		if (filter_is_constant(o))
			continue;
		if (stage == NEVER)
			*unknown = name_of(o) ? name_of(o) : "that";
		*first = stage < *first ? stage : *first;
		*last = stage > *last ? stage : *last;
	}
}

/* In conditions on rows every name has to be a column. */
static const char *find_no_column(const struct fold_plan *p, const struct filter_node *node)
{
	const char *missing = NULL;
	for (uint32_t i = 0; i < node->n && node->kind < FILTER_COMPARE && !missing; i++)
		missing = find_no_column(p, node->children[i]);
	for (int side = 0; side < 2 && node->kind >= FILTER_COMPARE && !missing; side++) {
		const struct filter_operand *o = side ? &node->right : &node->left;
		if ((side == 0 || node->kind == FILTER_COMPARE) && !filter_is_constant(o) &&
			(!name_of(o) || column_of(p, name_of(o)) == SIZE_MAX))
			missing = name_of(o) ? name_of(o) : "that";
	}
	return missing;
}

static int no_such(const struct fold_plan *p, const char *name, struct mer_err *err)
{
	char list[700] = "";
	size_t n = 0;
	for (size_t c = 0; p->columns[c].key && n + 40 < sizeof(list); c++)
		n += (size_t)snprintf(
			list + n, sizeof(list) - n, "%s%s", c ? ", " : "", p->columns[c].key);
	return mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_FILTER,
		"no column '%.100s'; there are: %s", name, list);
}

static enum stage stage_of_side(const struct fold_plan *p, const struct filter_node *node, int side)
{
	enum stage stage = NEVER;
	for (uint32_t i = 0; i < p->n_inputs; i++) {
		const struct fold_operand *x =
			&p->filter.operands[i][2 * node->number + (uint32_t)side];
		if (x->what == FOLD_OPERAND_TASK && x->part != FOLD_TASK_TID)
			return LATE;
		stage = x->what ? AT_ONCE : stage;
	}
	return stage;
}

/* Assigns a bit to each comparison of facts. */
static int find_bits(struct fold_plan *p, const struct filter_node *node, struct mer_err *err)
{
	struct fold_filter *f = &p->filter;
	int rc = 0;
	for (uint32_t i = 0; i < node->n && node->kind < FILTER_COMPARE && rc == 0; i++)
		rc = find_bits(p, node->children[i], err);
	if (node->kind < FILTER_COMPARE)
		return rc;
	enum stage left = stage_of_side(p, node, 0);
	enum stage right = node->kind == FILTER_HAS ? NEVER : stage_of_side(p, node, 1);
	if ((left == LATE && right == AT_ONCE) || (left == AT_ONCE && right == LATE))
		return mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_FILTER,
			"comm and pid cannot be compared with a column of an event or fact");
	if (left == LATE || right == LATE)
		return 0;
	if (f->n_bits == FOLD_MAX_OUTCOMES)
		return mer_fail_remedy(err, MER_ERR_USAGE, MER_REMEDY_FILTER,
			"more than %d comparisons are in one condition with comm or pid: join it to the others with &&",
			(int)FOLD_MAX_OUTCOMES);
	f->comparisons[f->n_bits] = node;
	f->bit_of[node->number] = (uint8_t)f->n_bits++;
	return 0;
}

static int add_condition(struct fold_plan *p, const struct filter_node *node, struct mer_err *err)
{
	struct fold_filter *f = &p->filter;
	enum stage first = NEVER, last = AT_ONCE;
	const char *unknown = NULL;
	find_stages(p, node, &first, &last, &unknown);
	if (unknown && !p->other_columns)
		return no_such(p, unknown, err);
	if (unknown) {
		f->of_facts[f->n_of_facts++] = node;
	} else if (last == OF_ROWS) {
		unknown = find_no_column(p, node);
		if (unknown)
			return no_such(p, unknown, err);
		f->of_rows[f->n_of_rows++] = node;
	} else if (last == LATE) {
		p->late = true;
		if (first == LATE) {
			f->of_tasks[f->n_of_tasks++] = node;
			return 0;
		}
		f->of_both[f->n_of_both++] = node;
		return find_bits(p, node, err);
	} else {
		f->of_facts[f->n_of_facts++] = node;
	}
	return 0;
}

int fold_filter_plan(struct fold_plan *p, struct mer_err *err)
{
	const struct trace_filter *filter = p->options->filter;
	struct fold_filter *f = &p->filter;
	if (!filter)
		return 0;
	const struct filter_node *root = filter->root;
	uint32_t n = root->kind == FILTER_ALL_OF ? root->n : 1;
	const struct filter_node ***lists[] = { &f->of_facts, &f->of_tasks, &f->of_both,
		&f->of_rows };
	bool ok = true;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		*lists[i] = mer_arena_zalloc(&p->arena, n + 1u, sizeof(**lists[i]));
		ok = ok && *lists[i];
	}
	for (uint32_t i = 0; i < p->n_inputs; i++) {
		f->operands[i] = mer_arena_zalloc(
			&p->arena, 2u * filter->n_comparisons + 2u, sizeof(*f->operands[i]));
		ok = ok && f->operands[i];
	}
	f->bit_of = mer_arena_alloc(&p->arena, filter->n_comparisons + 1u);
	if (f->bit_of)
		memset(f->bit_of, FOLD_NO_BIT, filter->n_comparisons + 1u);
	int rc = ok && f->bit_of ? 0 : mer_fail_nomem(err);
	for (uint32_t i = 0; i < n && rc == 0; i++)
		rc = add_condition(p, root->kind == FILTER_ALL_OF ? root->children[i] : root, err);
	return rc;
}

/* ---- values ---- */

static void set_text(struct filter_value *v, const char *text)
{
	if (!text)
		return;
	v->kind = FILTER_VALUE_TEXT;
	v->text = text;
	v->len = strlen(text);
}

static void set_number(struct filter_value *v, int64_t number)
{
	v->kind = FILTER_VALUE_INT;
	v->integer = number;
}

static void set_task(
	struct filter_value *v, const struct kernel_host *h, int64_t task, enum fold_task_part part)
{
	if (task < 0 || task >= h->n_tasks)
		return;
	const struct kernel_task *t = &h->tasks[task];
	if (part == FOLD_TASK_TID)
		set_number(v, t->tid);
	else if (part == FOLD_TASK_PID && t->pid >= 0)
		set_number(v, t->pid);
	else if (part == FOLD_TASK_COMM && t->name != KERNEL_NONE)
		set_text(v, kernel_comm(h, (uint32_t)task));
}

/* Numbers that stand for something are compared by the text or value that tables show. */
static void set_meant(struct filter_value *v, const struct fold_plan *p,
	const struct fold_source *s, const struct kernel_host *h, int64_t number)
{
	const uint32_t *name;
	if (number == FACT_UNKNOWN)
		return;
	switch (s->meaning) {
	case FACT_NAME: set_text(v, kernel_name_text(h, (uint32_t)number)); return;
	case FACT_CHOICE:
		set_text(v, number >= 0 && number < s->n_words ? s->words[number] : NULL);
		return;
	case FACT_TEXT: set_text(v, s->view->text(h, number)); return;
	case FACT_HOST: set_text(v, p->e->hosts[number].name); return;
	case FACT_DEVICE:
		name = mer_map_get(&h->devices, (uint64_t)number);
		set_text(v, name && *name ? kernel_name_text(h, *name - 1) : NULL);
		return;
	case FACT_RESULT:
		v->text = analysis_error_name(number);
		v->has_text = v->text != NULL;
		v->len = v->text ? strlen(v->text) : 0;
		set_number(v, number);
		return;
	default: set_number(v, number); return;
	}
}

struct about { /* what a condition is evaluated for */
	const struct fold_plan *p;
	const struct fold_operand *operands; /* NULL: a row of the table */
	const struct kernel_host *h;
	uint32_t host;
	const struct fact *fact; /* NULL: a task and an outcome */
	int64_t task;
	uint32_t outcome;
	const struct mer_table *table;
	size_t row;
};

static void set_cell(struct filter_value *v, const struct about *a, const struct filter_operand *o)
{
	size_t c = column_of(a->p, name_of(o));
	if (c == SIZE_MAX) /* with --group-by the table has other columns */
		return;
	const struct mer_cell *cell = &a->table->cells[a->row * a->table->n_columns + c];
	const struct mer_column *column = &a->table->columns[c];
	if (!cell->set)
		return;
	if (column->type == MER_TEXT) {
		set_text(v, cell->v.text);
	} else if (mer_type_is_real(column->type)) { /* the value that programs get */
		v->kind = FILTER_VALUE_REAL;
		v->real = cell->v.f * (column->type == MER_RATIO ? 100 : 1);
	} else {
		set_number(v, cell->v.i);
	}
}

static struct filter_value value_of(const struct about *a, const struct filter_node *node, int side)
{
	struct filter_value v = { 0 };
	const struct filter_operand *o = side ? &node->right : &node->left;
	if (!a->operands) {
		set_cell(&v, a, o);
		return v;
	}
	const struct fold_operand *x = &a->operands[2 * node->number + (uint32_t)side];
	int64_t number = a->fact ? x->what != FOLD_OPERAND_HOST && x->what
					   ? fold_source_of(&x->source, a->h, a->fact)
					   : 0
				 : a->task;
	if (x->what == FOLD_OPERAND_HOST)
		set_text(&v, a->p->e->hosts[a->host].name);
	else if (x->what == FOLD_OPERAND_TASK)
		set_task(&v, a->h, number, x->part);
	else if (x->what == FOLD_OPERAND_NUMBER && a->fact)
		set_meant(&v, a->p, &x->source, a->h, number);
	return v;
}

static bool holds(const struct about *a, const struct filter_node *node)
{
	bool any = node->kind == FILTER_ANY_OF;
	struct filter_value left, right;
	if (a->operands && !a->fact && node->kind >= FILTER_COMPARE &&
		a->p->filter.bit_of[node->number] != FOLD_NO_BIT)
		return a->outcome >> a->p->filter.bit_of[node->number] & 1;
	switch (node->kind) {
	case FILTER_ALL_OF:
	case FILTER_ANY_OF:
		for (uint32_t i = 0; i < node->n; i++)
			if (holds(a, node->children[i]) == any)
				return any;
		return !any;
	case FILTER_NOT_SO: return !holds(a, node->children[0]);
	case FILTER_HAS: left = value_of(a, node, 0); return filter_has(&left);
	default:
		left = value_of(a, node, 0);
		if (filter_is_constant(&node->right))
			return filter_compare_constant(node, &left);
		right = value_of(a, node, 1);
		return filter_compare(node, &left, &right);
	}
}

static bool all_hold(const struct about *a, const struct filter_node *const *nodes, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!holds(a, nodes[i]))
			return false;
	return true;
}

bool fold_filter_fact(const struct fold_plan *p, const struct fold_input *in, uint32_t host,
	const struct kernel_host *h, const struct fact *f)
{
	const struct about a = { .p = p,
		.operands = p->filter.operands[in - p->inputs],
		.h = h,
		.host = host,
		.fact = f };
	return all_hold(&a, p->filter.of_facts, p->filter.n_of_facts);
}

uint32_t fold_filter_outcome(const struct fold_plan *p, const struct fold_input *in, uint32_t host,
	const struct kernel_host *h, const struct fact *f)
{
	const struct about a = { .p = p,
		.operands = p->filter.operands[in - p->inputs],
		.h = h,
		.host = host,
		.fact = f };
	uint32_t outcome = 0;
	for (uint32_t i = 0; i < p->filter.n_bits; i++)
		outcome |= (uint32_t)holds(&a, p->filter.comparisons[i]) << i;
	return outcome;
}

bool fold_filter_task(const struct fold_plan *p, const struct analysis_run *run, uint32_t host,
	int64_t task, uint32_t outcome)
{
	const struct analysis_options *o = p->options;
	const struct kernel_host *h = &run->world->hosts[host];
	const struct fold_filter *f = &p->filter;
	bool chooses = o->wants_task && o->wants_names && !p->fold->every_task;
	if (task == FACT_UNKNOWN || task >= h->n_tasks) {
		if (task != FACT_UNKNOWN || f->n_of_tasks || (chooses && !p->has_cpus) ||
			(!f->n_of_both && !p->has_cpus))
			return false;
	} else if (chooses && !o->wants_task(o->ctx, h, (uint32_t)task)) {
		return false;
	}
	for (uint32_t i = 0; i < p->n_inputs && (f->n_of_tasks || f->n_of_both); i++) {
		const struct about a = { .p = p,
			.operands = f->operands[i],
			.h = h,
			.host = host,
			.task = task,
			.outcome = outcome };
		if (!all_hold(&a, f->of_tasks, f->n_of_tasks) ||
			!all_hold(&a, f->of_both, f->n_of_both))
			return false;
	}
	return true;
}

void fold_filter_rows(const struct fold_plan *p, struct mer_table *t)
{
	size_t n = 0, bytes = t->n_columns * sizeof(*t->cells);
	if (!p->filter.n_of_rows)
		return;
	for (size_t r = 0; r < t->n_rows; r++) {
		const struct about a = { .p = p, .table = t, .row = r };
		if (!all_hold(&a, p->filter.of_rows, p->filter.n_of_rows))
			continue;
		if (n < r)
			memcpy(&t->cells[n * t->n_columns], &t->cells[r * t->n_columns], bytes);
		n++;
	}
	t->n_rows = n;
}
