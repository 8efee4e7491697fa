#include "mpi/events.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/calls.h"

/* In the order of enum mpi_slot:
 *                        rank tid peer tag comm bytes request seq root call size job */
#define OWN(rest_) "rank tid " rest_ " pid - -:s"
#define SMALL(rest_) "rank - " rest_ " vpid vtid -:s"
#define OTF2(rest_) rest_

static const char own_plain[] = OWN("- - - - - - - call - -");
static const char small_plain[] = SMALL("- - - - - - - - - -");
static const char small_point[] = SMALL("peer tag - bytes - - - - - -");
static const char small_collective[] = SMALL("- - - bytes - seq - - - -");
static const char small_mark[] = SMALL("- - - - - iter - - - -");

const struct mpi_event_row mpi_events[] = {
	{ "meridian_mpi:init", MPI_INIT, MPI_CALL_OUTSIDE, MPI_OWN,
		OWN("- - - - - - - - size job") },
	{ "meridian_mpi:comm", MPI_COMM, MPI_CALL_OUTSIDE, MPI_OWN,
		OWN("- - comm - - - - - size -") },
	{ "meridian_mpi:enter", MPI_ENTER, MPI_CALL_OUTSIDE, MPI_OWN, own_plain },
	{ "meridian_mpi:leave", MPI_LEAVE, MPI_CALL_OUTSIDE, MPI_OWN, own_plain },
	{ "meridian_mpi:send", MPI_SENT, MPI_CALL_OUTSIDE, MPI_OWN,
		OWN("peer tag comm bytes request - - - - -") },
	{ "meridian_mpi:send_done", MPI_DONE, MPI_CALL_OUTSIDE, MPI_OWN,
		OWN("- - - - request - - - - -") },
	{ "meridian_mpi:recv_posted", MPI_POSTED, MPI_CALL_OUTSIDE, MPI_OWN,
		OWN("peer tag comm bytes request - - - - -") },
	{ "meridian_mpi:recv_done", MPI_RECEIVED, MPI_CALL_OUTSIDE, MPI_OWN,
		OWN("peer tag comm bytes request - - - - -") },
	{ "meridian_mpi:collective", MPI_JOINED, MPI_CALL_OUTSIDE, MPI_OWN,
		OWN("- - comm bytes - seq root - - -") },
	{ "meridian_mpi:polled", MPI_LEAVE | MPI_POLLED, MPI_CALL_OUTSIDE, MPI_OWN,
		OWN("- - - count - ago - call - -") },
	{ "meridian_mpi:final", MPI_FINAL, MPI_CALL_OUTSIDE, MPI_OWN, OWN("- - - - - - - - - -") },

	{ "mpi:init", MPI_INIT, MPI_CALL_OUTSIDE, MPI_SMALL, SMALL("- - - - - - - - size -") },
	{ "mpi:finalize", MPI_FINAL, MPI_CALL_OUTSIDE, MPI_SMALL, small_plain },
	{ "mpi:send_begin", MPI_ENTER | MPI_SENT, MPI_CALL_Send, MPI_SMALL, small_point },
	{ "mpi:send_end", MPI_LEAVE, MPI_CALL_Send, MPI_SMALL, small_point },
	{ "mpi:recv_begin", MPI_ENTER | MPI_POSTED, MPI_CALL_Recv, MPI_SMALL, small_point },
	{ "mpi:recv_end", MPI_RECEIVED | MPI_LEAVE, MPI_CALL_Recv, MPI_SMALL, small_point },
	{ "mpi:barrier_begin", MPI_ENTER | MPI_JOINED, MPI_CALL_Barrier, MPI_SMALL,
		small_collective },
	{ "mpi:barrier_end", MPI_LEAVE, MPI_CALL_Barrier, MPI_SMALL, small_collective },
	{ "mpi:allreduce_begin", MPI_ENTER | MPI_JOINED, MPI_CALL_Allreduce, MPI_SMALL,
		small_collective },
	{ "mpi:allreduce_end", MPI_LEAVE, MPI_CALL_Allreduce, MPI_SMALL, small_collective },
	{ "mpi:compute_begin", MPI_MARK, MPI_CALL_OUTSIDE, MPI_SMALL, small_mark },
	{ "mpi:compute_end", MPI_UNMARK, MPI_CALL_OUTSIDE, MPI_SMALL, small_mark },

	{ "Event_ProgramBegin", MPI_INIT, MPI_CALL_OUTSIDE, MPI_OTF2, OTF2("locationID") },
	{ "Event_ProgramEnd", MPI_FINAL, MPI_CALL_OUTSIDE, MPI_OTF2, OTF2("locationID") },
	{ "Event_Enter", MPI_ENTER, MPI_CALL_OUTSIDE, MPI_OTF2,
		OTF2("locationID - - - - - - - - region") },
	{ "Event_Leave", MPI_LEAVE, MPI_CALL_OUTSIDE, MPI_OTF2,
		OTF2("locationID - - - - - - - - region") },
	{ "Event_MpiSend", MPI_SENT, MPI_CALL_OUTSIDE, MPI_OTF2,
		OTF2("locationID - receiver msgTag communicator msgLength") },
	{ "Event_MpiIsend", MPI_SENT, MPI_CALL_OUTSIDE, MPI_OTF2,
		OTF2("locationID - receiver msgTag communicator msgLength requestID") },
	{ "Event_MpiIsendComplete", MPI_DONE, MPI_CALL_OUTSIDE, MPI_OTF2,
		OTF2("locationID - - - - - requestID") },
	{ "Event_MpiIrecvRequest", MPI_POSTED, MPI_CALL_OUTSIDE, MPI_OTF2,
		OTF2("locationID - - - - - requestID") },
	{ "Event_MpiRecv", MPI_RECEIVED, MPI_CALL_OUTSIDE, MPI_OTF2,
		OTF2("locationID - sender msgTag communicator msgLength") },
	{ "Event_MpiIrecv", MPI_RECEIVED, MPI_CALL_OUTSIDE, MPI_OTF2,
		OTF2("locationID - sender msgTag communicator msgLength requestID") },
	{ "Event_MpiCollectiveEnd", MPI_JOINED, MPI_CALL_OUTSIDE, MPI_OTF2,
		OTF2("locationID - - - communicator sizeSent - - root") },
	/* Definitions of OTF2: names and groups for the numbers in its events. */
	{ "GlobalDef_String", MPI_DEFINES, MPI_CALL_OUTSIDE, MPI_OTF2,
		OTF2("self - - - - - - - - - - - - - stringValue:s") },
	{ "GlobalDef_Region", MPI_DEFINES, MPI_CALL_OUTSIDE, MPI_OTF2, OTF2("self name") },
	{ "GlobalDef_Group", MPI_DEFINES, MPI_CALL_OUTSIDE, MPI_OTF2,
		OTF2("self groupType paradigm numberOfMembers") },
	{ "GlobalDef_GroupMember", MPI_DEFINES, MPI_CALL_OUTSIDE, MPI_OTF2,
		OTF2("group rank location") },
	{ "GlobalDef_Location", MPI_DEFINES, MPI_CALL_OUTSIDE, MPI_OTF2,
		OTF2("self locationGroup") },
	{ "GlobalDef_Comm", MPI_DEFINES, MPI_CALL_OUTSIDE, MPI_OTF2, OTF2("self group") },
};
const uint32_t mpi_n_events = sizeof(mpi_events) / sizeof(mpi_events[0]);

static bool has_member(const struct ctf_fc *fc, const char *name, size_t len)
{
	for (uint32_t i = 0; fc && fc->kind == CTF_STRUCT && i < fc->u.record.n; i++)
		if (strncmp(fc->u.record.fields[i].name, name, len) == 0 &&
			!fc->u.record.fields[i].name[len])
			return true;
	return false;
}

/* Does the class have all fields of the row (contexts are optional)? */
static bool fits(const struct ctf_event_class *ec, const struct mpi_event_row *row)
{
	for (const char *p = row->fields; *p;) {
		size_t n = strcspn(p, " "), name = strcspn(p, " :");
		bool is_context = strncmp(p, "vpid", name) == 0 || strncmp(p, "vtid", name) == 0;
		if (*p != '-' && !is_context && !has_member(ec->payload, p, name))
			return false;
		p += n;
		p += strspn(p, " ");
	}
	return true;
}

const struct mpi_event_row *mpi_event_of(const struct ctf_event_class *ec)
{
	for (uint32_t i = 0; i < mpi_n_events; i++)
		if (strcmp(mpi_events[i].name, ec->name) == 0)
			return fits(ec, &mpi_events[i]) ? &mpi_events[i] : NULL;
	return NULL;
}

bool *mpi_event_streams(const struct mer_experiment *e, uint32_t actions, bool *any)
{
	bool *wanted = calloc((size_t)e->n_streams + 1, sizeof(*wanted));
	*any = false;
	for (uint32_t i = 0; wanted && i < e->n_streams; i++) {
		const struct ctf_schema *s = e->parts[e->data[i].part].schema;
		for (uint32_t k = 0; k < s->n_streams && !wanted[i]; k++)
			for (uint32_t c = 0; c < s->streams[k].n_events && !wanted[i]; c++) {
				const struct mpi_event_row *row =
					mpi_event_of(&s->streams[k].events[c]);
				wanted[i] = row && row->actions & actions;
			}
		*any |= wanted[i];
	}
	return wanted;
}
