/* OTF2: the definitions of archives that were converted to CTF, which resolve the numbers in
 * events. Locations are threads. The group of all MPI locations (paradigm 4) gives the rank of
 * each; the groups of communicators have these ranks as members. A location without a rank is
 * another thread of the rank in its process (location group). Names of regions are numbered
 * strings. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "mpi/record.h"

enum { PARADIGM_MPI = 4, GROUP_LOCATIONS = 4, MOST = 1 << 22 };

struct group {
	uint64_t type, paradigm, n;
};

struct mpi_otf2 {
	struct mer_map groups; /* number -> its row, plus 1 */
	struct group *rows;
	size_t n, cap;
	struct mer_map members; /* hash of group and place -> location, plus 1 */
	struct mer_map comms;	/* number -> its group, plus 1 */
	struct mer_map calls;	/* string -> the call of this name, plus 1, if it is one */
	struct mer_map regions; /* number -> string, plus 1 */
	struct mer_map ranks;	/* location -> rank, plus 1 */
	struct mer_map process; /* location -> its location group (process), plus 1 */
	struct mer_map mains;	/* process -> its location with a rank, plus 1 */
	uint32_t world;		/* ranks */
};

static uint64_t member_key(uint64_t group, uint64_t place)
{
	const uint64_t key[2] = { group, place };
	return mer_hash(key, sizeof(key));
}

/* False: no memory. Numbers beyond the range of definitions are ignored. */
static bool put(struct mer_map *map, uint64_t key, uint64_t value)
{
	return value >= MOST || mer_map_put_number(map, key, (uint32_t)value);
}

static bool add_group(struct mpi_otf2 *o, const uint64_t *s)
{
	if (!put(&o->groups, s[0], o->n) || !mer_grow(&o->rows, o->n, &o->cap, sizeof(*o->rows)))
		return false;
	o->rows[o->n++] = (struct group){ s[1], s[2], s[3] };
	return true;
}

/* The location with a rank is the main one of its process. */
static bool note_main(struct mpi_otf2 *o, uint64_t location)
{
	uint32_t process = mer_map_number(&o->process, location);
	bool is_rank = mer_map_number(&o->ranks, location) != UINT32_MAX;
	return process == UINT32_MAX || !is_rank || put(&o->mains, process, location);
}

static bool add_member(struct mpi_otf2 *o, uint64_t group, uint64_t place, uint64_t location)
{
	uint32_t row = mer_map_number(&o->groups, group);
	if (row >= o->n)
		return true;
	const struct group *g = &o->rows[row];
	if (g->type == GROUP_LOCATIONS && g->paradigm == PARADIGM_MPI && place < MOST) {
		if (!put(&o->ranks, location, place) || !note_main(o, location))
			return false;
		o->world = place >= o->world ? (uint32_t)place + 1 : o->world;
	}
	return put(&o->members, member_key(group, place), location);
}

int mpi_otf2_define(struct mpi_otf2 **out, const struct mpi_event_row *row, const uint64_t *slots,
	struct mer_err *err)
{
	struct mpi_otf2 *o = *out ? *out : (*out = calloc(1, sizeof(*o)));
	const char *what = row->name + strlen("GlobalDef_");
	bool ok = o != NULL;
	if (!ok) {
		return mer_fail_nomem(err);
	} else if (strcmp(what, "String") == 0) {
		const char *text = (const char *)(uintptr_t)slots[MPI_TEXT]; /* in the batch */
		unsigned call =
			text ? mpi_call_find(text, slots[MPI_TEXT_LENGTH]) : MPI_CALL_OUTSIDE;
		ok = call == MPI_CALL_OUTSIDE || put(&o->calls, slots[0], call);
	} else if (strcmp(what, "Region") == 0) {
		ok = put(&o->regions, slots[0], slots[1]);
	} else if (strcmp(what, "Group") == 0) {
		ok = add_group(o, slots);
	} else if (strcmp(what, "GroupMember") == 0) {
		ok = add_member(o, slots[0], slots[1], slots[2]);
	} else if (strcmp(what, "Location") == 0) {
		ok = put(&o->process, slots[0], slots[1]) && note_main(o, slots[0]);
	} else if (strcmp(what, "Comm") == 0) {
		ok = put(&o->comms, slots[0], slots[1]);
	}
	return ok ? 0 : mer_fail_nomem(err);
}

void mpi_otf2_free(struct mpi_otf2 *o)
{
	if (!o)
		return;
	mer_map_fini(&o->groups);
	mer_map_fini(&o->members);
	mer_map_fini(&o->comms);
	mer_map_fini(&o->calls);
	mer_map_fini(&o->regions);
	mer_map_fini(&o->ranks);
	mer_map_fini(&o->process);
	mer_map_fini(&o->mains);
	free(o->rows);
	free(o);
}

uint64_t mpi_otf2_main(const struct mpi_otf2 *o, uint64_t location)
{
	if (!o || mer_map_number(&o->ranks, location) != UINT32_MAX)
		return location;
	uint32_t process = mer_map_number(&o->process, location);
	uint32_t main = process == UINT32_MAX ? process : mer_map_number(&o->mains, process);
	return main == UINT32_MAX ? location : main;
}

int32_t mpi_otf2_rank(const struct mpi_otf2 *o, uint64_t location)
{
	uint32_t rank = o ? mer_map_number(&o->ranks, location) : UINT32_MAX;
	return rank == UINT32_MAX ? -1 : (int32_t)rank;
}

int32_t mpi_otf2_member(const struct mpi_otf2 *o, uint64_t comm, uint64_t member)
{
	uint32_t group = o ? mer_map_number(&o->comms, comm) : UINT32_MAX;
	uint32_t rank = group == UINT32_MAX
				? UINT32_MAX
				: mer_map_number(&o->members, member_key(group, member));
	return rank < (o ? o->world : 0) ? (int32_t)rank : -1;
}

uint32_t mpi_otf2_size(const struct mpi_otf2 *o, uint64_t comm)
{
	uint32_t group = o ? mer_map_number(&o->comms, comm) : UINT32_MAX;
	uint32_t row = group == UINT32_MAX ? UINT32_MAX : mer_map_number(&o->groups, group);
	return row < (o ? o->n : 0) && o->rows[row].n < MOST ? (uint32_t)o->rows[row].n : 0;
}

uint32_t mpi_otf2_world(const struct mpi_otf2 *o)
{
	return o ? o->world : 0;
}

unsigned mpi_otf2_call(const struct mpi_otf2 *o, uint64_t region)
{
	uint32_t name = o ? mer_map_number(&o->regions, region) : UINT32_MAX;
	uint32_t call = name == UINT32_MAX ? UINT32_MAX : mer_map_number(&o->calls, name);
	return call < MPI_CALL_N ? call : MPI_CALL_OUTSIDE;
}
