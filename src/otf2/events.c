/* Events: of one location after the other, with the limits that earlier attempts found. */
#include "otf2/read.h"

#ifdef MER_HAS_OTF2

#include <inttypes.h>
#include <stdio.h>

#include "otf2/reading.h"

static int write_held(struct otf2ctf_reading *r)
{
	const struct otf2ctf_location *l = &r->location[r->place];
	int rc = 0;
	if (!r->has_held)
		return 0;
	r->has_held = false;
	if (!r->is_open) {
		uint32_t host;
		rc = otf2ctf_host(r, l, &host);
		if (rc == 0)
			rc = otf2ctf_copy_stream(r->copy, host, r->place, r->err);
		r->is_open = rc == 0;
	}
	return rc ? rc
		  : otf2ctf_copy_event(
			    r->copy, r->held.what, r->held.ticks, l->id, r->held.values, r->err);
}

static OTF2_CallbackCode take(struct otf2ctf_reading *r, enum copy_event what, uint64_t time,
	size_t n, const uint64_t *values)
{
	/* By a little, because the library corrects clocks; or the archive states a wrong start. */
	r->n_early += time < r->first_tick;
	r->n_too_early += time < r->base_tick;
	uint64_t ticks = time < r->base_tick ? 0 : time - r->base_tick;
	/* libotf2 does not write such archives. */
	r->is_backwards |= ticks < r->last_tick;
	if (r->is_backwards)
		return OTF2_CALLBACK_INTERRUPT;
	int rc = write_held(r);
	r->last_tick = ticks;
	r->held.what = what;
	r->held.ticks = ticks;
	for (size_t i = 0; i < n; i++)
		r->held.values[i] = values[i];
	r->has_held = rc == 0;
	r->n_written++;
	r->progress->events++; /* a lower bound: not all kinds of events come through here */
	return otf2ctf_done(r, rc);
}

static OTF2_CallbackCode on_program_begin(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *list, OTF2_StringRef name, uint32_t n,
	const OTF2_StringRef *arguments)
{
	(void)location;
	(void)position;
	(void)list;
	(void)name;
	(void)n;
	(void)arguments;
	return take(user, COPY_PROGRAM_BEGIN, time, 0, NULL);
}

static OTF2_CallbackCode on_program_end(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *list, int64_t status)
{
	(void)location;
	(void)position;
	(void)list;
	(void)status;
	return take(user, COPY_PROGRAM_END, time, 0, NULL);
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *user, OTF2_AttributeList *list, OTF2_RegionRef region)
{
	(void)location;
	(void)position;
	(void)list;
	return take(user, COPY_ENTER, time, 1, (const uint64_t[]){ region });
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *user, OTF2_AttributeList *list, OTF2_RegionRef region)
{
	(void)location;
	(void)position;
	(void)list;
	return take(user, COPY_LEAVE, time, 1, (const uint64_t[]){ region });
}

static OTF2_CallbackCode on_send(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *user, OTF2_AttributeList *list, uint32_t to, OTF2_CommRef comm, uint32_t tag,
	uint64_t bytes)
{
	(void)location;
	(void)position;
	(void)list;
	return take(user, COPY_SEND, time, 4, (const uint64_t[]){ to, comm, tag, bytes });
}

static OTF2_CallbackCode on_isend(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *user, OTF2_AttributeList *list, uint32_t to, OTF2_CommRef comm, uint32_t tag,
	uint64_t bytes, uint64_t request)
{
	(void)location;
	(void)position;
	(void)list;
	return take(user, COPY_ISEND, time, 5, (const uint64_t[]){ to, comm, tag, bytes, request });
}

static OTF2_CallbackCode on_isend_complete(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *list, uint64_t request)
{
	(void)location;
	(void)position;
	(void)list;
	return take(user, COPY_ISEND_COMPLETE, time, 1, (const uint64_t[]){ request });
}

static OTF2_CallbackCode on_irecv_request(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *list, uint64_t request)
{
	(void)location;
	(void)position;
	(void)list;
	return take(user, COPY_IRECV_REQUEST, time, 1, (const uint64_t[]){ request });
}

static OTF2_CallbackCode on_recv(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *user, OTF2_AttributeList *list, uint32_t from, OTF2_CommRef comm, uint32_t tag,
	uint64_t bytes)
{
	(void)location;
	(void)position;
	(void)list;
	return take(user, COPY_RECV, time, 4, (const uint64_t[]){ from, comm, tag, bytes });
}

static OTF2_CallbackCode on_irecv(OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position,
	void *user, OTF2_AttributeList *list, uint32_t from, OTF2_CommRef comm, uint32_t tag,
	uint64_t bytes, uint64_t request)
{
	(void)location;
	(void)position;
	(void)list;
	return take(
		user, COPY_IRECV, time, 5, (const uint64_t[]){ from, comm, tag, bytes, request });
}

static OTF2_CallbackCode on_collective_begin(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *list)
{
	(void)location;
	(void)position;
	(void)list;
	return take(user, COPY_COLLECTIVE_BEGIN, time, 0, NULL);
}

static OTF2_CallbackCode on_collective_end(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *list, OTF2_CollectiveOp op,
	OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received)
{
	(void)location;
	(void)position;
	(void)list;
	return take(user, COPY_COLLECTIVE_END, time, 5,
		(const uint64_t[]){ op, comm, root, sent, received });
}

static OTF2_CallbackCode on_switch(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *list, OTF2_MeasurementMode mode)
{
	struct otf2ctf_reading *r = user;
	(void)location;
	(void)time;
	(void)position;
	(void)list;
	r->n_switched_off += mode == OTF2_MEASUREMENT_OFF;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_unknown(OTF2_LocationRef location, OTF2_TimeStamp time,
	uint64_t position, void *user, OTF2_AttributeList *list)
{
	struct otf2ctf_reading *r = user;
	(void)location;
	(void)time;
	(void)position;
	(void)list;
	r->n_unknown++;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_EvtReaderCallbacks *event_callbacks(void)
{
	OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
	if (!c)
		return NULL;
	OTF2_EvtReaderCallbacks_SetProgramBeginCallback(c, on_program_begin);
	OTF2_EvtReaderCallbacks_SetProgramEndCallback(c, on_program_end);
	OTF2_EvtReaderCallbacks_SetEnterCallback(c, on_enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(c, on_leave);
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, on_send);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, on_isend);
	OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, on_isend_complete);
	OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, on_irecv_request);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, on_recv);
	OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, on_irecv);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(c, on_collective_begin);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, on_collective_end);
	OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(c, on_switch);
	OTF2_EvtReaderCallbacks_SetUnknownCallback(c, on_unknown);
	return c;
}

static void note_location(struct otf2ctf_reading *r, enum mer_severity severity, const char *what)
{
	char text[900];
	const struct otf2ctf_location *l = &r->location[r->place];
	snprintf(text, sizeof(text), "location %" PRIu64 " (%.100s): %s: %s", l->id,
		otf2ctf_text(r, l->name), what, otf2ctf_said(r));
	copied_note(&r->notes, severity, "otf2-damaged", 1, text);
	r->said[0] = '\0';
}

/* Local definitions map the numbers in a location's events to global definitions, and correct its
 * clock; the library applies both. */
void otf2ctf_read_local_definitions(struct otf2ctf_reading *r)
{
	bool are_open = OTF2_Reader_OpenDefFiles(r->reader) == OTF2_SUCCESS;
	r->said[0] = '\0';
	for (r->place = 0; r->place < r->n_location; r->place++) {
		const struct otf2ctf_location *l = &r->location[r->place];
		if (!l->is_thread)
			continue;
		OTF2_DefReader *d = are_open ? OTF2_Reader_GetDefReader(r->reader, l->id) : NULL;
		OTF2_ErrorCode code = OTF2_SUCCESS;
		uint64_t n = 0;
		do {
			otf2ctf_rearm();
			if (d)
				code = OTF2_Reader_ReadLocalDefinitions(
					r->reader, d, OTF2_REARM_EACH, &n);
		} while (d && code == OTF2_SUCCESS && n == OTF2_REARM_EACH);
		if ((!d || code != OTF2_SUCCESS) && l->n_events)
			note_location(r, MER_WARNING,
				"its own definitions cannot be read, so its regions, communicators and times may be wrong");
		if (d)
			OTF2_Reader_CloseDefReader(r->reader, d);
	}
	if (are_open)
		OTF2_Reader_CloseDefFiles(r->reader);
}

static int read_location(
	struct otf2ctf_reading *r, const OTF2_EvtReaderCallbacks *callbacks, uint64_t most)
{
	OTF2_ErrorCode code = OTF2_SUCCESS;
	uint64_t n = 0;
	r->said[0] = '\0';
	r->is_open = r->has_held = r->is_backwards = false;
	r->last_tick = 0;
	otf2ctf_rearm();
	OTF2_EvtReader *e = OTF2_Reader_GetEvtReader(r->reader, r->location[r->place].id);
	if (!e) {
		if (r->location[r->place].n_events) /* a location without events need not have
						       a file */
			note_location(r, MER_ERROR, "its events cannot be read");
		return 0;
	}
	OTF2_Reader_RegisterEvtCallbacks(r->reader, e, callbacks, r);
	bool goes_on = true;
	while (goes_on) {
		uint64_t before = r->progress->events, left = most - before;
		uint64_t part = left < OTF2_REARM_EACH ? left : OTF2_REARM_EACH;
		otf2ctf_rearm();
		n = 0;
		code = OTF2_Reader_ReadLocalEvents(r->reader, e, part, &n);
		r->progress->events = before + n;
		r->n_read += n;
		goes_on = code == OTF2_SUCCESS && n == part && part < left && !r->rc;
	}
	if (r->is_backwards)
		snprintf(r->said, sizeof(r->said), "times go back");
	bool is_damaged = code != OTF2_SUCCESS || r->is_backwards || most != UINT64_MAX;
	int rc = is_damaged ? 0 : write_held(r);
	if (is_damaged && !r->rc && most == UINT64_MAX)
		note_location(r, MER_ERROR,
			"its events cannot be read to their end; those before are there");
	OTF2_Reader_CloseEvtReader(r->reader, e);
	if (r->is_open && otf2ctf_copy_stream_end(r->copy, r->err) && !rc)
		rc = r->err->code;
	return r->rc ? r->rc : rc;
}

int otf2ctf_read_events(
	struct otf2ctf_reading *r, const struct otf2ctf_limit *limits, size_t n_limits)
{
	OTF2_EvtReaderCallbacks *callbacks = event_callbacks();
	int rc = callbacks ? 0 : mer_fail_nomem(r->err);
	if (rc == 0 && OTF2_Reader_OpenEvtFiles(r->reader) != OTF2_SUCCESS)
		rc = mer_fail(
			r->err, MER_ERR_INPUT, "its events cannot be read: %s", otf2ctf_said(r));
	for (r->place = 0; r->place < r->n_location && rc == 0; r->place++) {
		uint64_t most = UINT64_MAX;
		if (!r->location[r->place].is_thread) {
			r->n_others++;
			continue;
		}
		for (size_t i = 0; i < n_limits; i++)
			if (limits[i].place == r->place && limits[i].events < most)
				most = limits[i].events;
		r->progress->location = r->location[r->place].id;
		r->progress->events = 0;
		r->progress->place = (uint64_t)r->place + 1;
		rc = most ? read_location(r, callbacks, most) : 0;
	}
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	OTF2_Reader_CloseEvtFiles(r->reader);
	return rc;
}

#endif
