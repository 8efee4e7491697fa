/* Keys: what numbers of facts and groups look like in a table. */
#include <inttypes.h>

#include "analysis/cells.h"
#include "analysis/fold/plan.h"
#include "kernel/disk.h"

struct mer_cell fold_task_cell(
	const struct analysis_run *run, uint32_t host, int64_t task, enum fold_task_part part)
{
	const struct kernel_host *h = &run->world->hosts[host];
	if (task < 0 || task >= h->n_tasks)
		return MER_NONE;
	const struct kernel_task *t = &h->tasks[task];
	switch (part) {
	case FOLD_TASK_TID: return MER_INT(t->tid);
	case FOLD_TASK_PID: return mer_natural(t->pid);
	case FOLD_TASK_COMM:
		return t->name == KERNEL_NONE ? MER_NONE : mer_text(kernel_comm(h, (uint32_t)task));
	default: return MER_INT(task);
	}
}

static struct mer_cell name_cell(const struct kernel_host *h, int64_t name)
{
	return mer_text(kernel_name_text(h, (uint32_t)name));
}

struct mer_cell fold_number_cell(const struct analysis_run *run, const struct fold_source *s,
	uint32_t host, int64_t value, struct mer_arena *arena)
{
	const struct kernel_host *h = &run->world->hosts[host];
	if (value == FACT_UNKNOWN)
		return MER_NONE;
	switch (s->meaning) {
	case FACT_CHOICE:
		return value >= 0 && value < s->n_words ? mer_text(s->words[value]) : MER_NONE;
	case FACT_NAME: return name_cell(h, value);
	case FACT_DEVICE: return mer_text(kernel_disk_name(h, (uint32_t)value, arena));
	case FACT_ADDRESS: return mer_text(mer_arena_printf(arena, "0x%" PRIx64, (uint64_t)value));
	case FACT_RESULT: return mer_text(analysis_ret_text(arena, 0, value));
	case FACT_HOST: return mer_text(analysis_host_name(run, (uint32_t)value));
	case FACT_TEXT: return mer_text(s->view->text(h, value));
	default: return MER_INT(value);
	}
}

struct mer_cell fold_key_cell(const struct fold_joined *j, const struct fold_key *k,
	enum fold_task_part part, uint32_t part_number)
{
	const struct fold_part *first = &j->parts[part_number];
	const int64_t *row =
		fold_group_row(&j->states[first->host]->groups[j->keys->table], first->group);
	if (k->what == FOLD_KEY_HOST)
		return mer_text(analysis_host_name(j->run, first->host));
	int64_t value = row[k->inner];
	if (k->what == FOLD_KEY_PROCESS && value != FACT_UNKNOWN) {
		value = j->process_of[first->host][value];
		/* A task whose process is not known is one by itself. */
		if (part == FOLD_TASK_TID &&
			j->run->world->hosts[first->host].tasks[value].pid >= 0)
			return MER_NONE;
	}
	return part == FOLD_TASK_ITSELF
		       ? fold_number_cell(j->run, &k->source, first->host, value, &j->run->arena)
		       : fold_task_cell(j->run, first->host, value, part);
}
