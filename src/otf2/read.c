/* Read: reads an archive from begin to end, and keeps the messages of libotf2. */
#include "otf2/read.h"

#ifdef MER_HAS_OTF2

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "copied/files.h"
#include "base/file.h"
#include "base/plural.h"
#include "otf2/reading.h"
#include "otf2/whole.h"

/* ---- messages of libotf2 ---- */

static OTF2_ErrorCode hear(void *user, const char *file, uint64_t line, const char *function,
	OTF2_ErrorCode code, const char *format, va_list ap)
{
	struct otf2ctf_reading *r = user;
	(void)file;
	(void)line;
	(void)function;
	if (r->said[0]) /* the first error is the cause of the others */
		return code;
	char text[300] = "";
	if (format)
		vsnprintf(text, sizeof(text), format, ap);
	otf2ctf_whole_hide(r->folder, text);
	snprintf(r->said, sizeof(r->said), "%s%s%s", OTF2_Error_GetDescription(code),
		text[0] ? ": " : "", text);
	return code;
}

const char *otf2ctf_said(const struct otf2ctf_reading *r)
{
	return r->said[0] ? r->said : "no reason is given";
}

void otf2ctf_rearm(void)
{
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = OTF2_HANGS_SECONDS }, NULL);
}

OTF2_CallbackCode otf2ctf_done(struct otf2ctf_reading *r, int rc)
{
	if (rc && !r->rc)
		r->rc = rc;
	return r->rc ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

const char *otf2ctf_text(const struct otf2ctf_reading *r, uint32_t string)
{
	uint32_t n = mer_map_number(&r->strings, string);
	return n < r->n_text ? r->text[n] : "";
}

/* ---- all of it ---- */

static void note(struct otf2ctf_reading *r, enum mer_severity severity, const char *code,
	uint64_t n, const char *one, const char *many)
{
	char text[400];
	if (n == 0)
		return;
	snprintf(text, sizeof(text), "%s", n == 1 ? one : many);
	copied_note(&r->notes, severity, code, n, text);
}

/* Notes where earlier attempts failed. */
static void note_limits(struct otf2ctf_reading *r, const struct otf2ctf_limit *limits, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char text[400];
		snprintf(text, sizeof(text),
			"location %" PRIu64 ": libotf2 %s after %" PRIu64
			" %s; those before are there",
			limits[i].location, limits[i].has_hung ? "hung" : "crashed",
			limits[i].events, mer_plural(limits[i].events, "event", "events"));
		copied_note(&r->notes, MER_ERROR, "otf2-damaged", 1, text);
	}
}

static void note_rest(struct otf2ctf_reading *r)
{
	static const char left_out[] = "otf2-left-out";
	uint64_t known = r->n_written + r->n_unknown;
	uint64_t rest = r->n_read > known ? r->n_read - known : 0;
	note(r, MER_NOTE, left_out, rest,
		"an event was left out: only regions and events of MPI are read",
		"events were left out: only regions and events of MPI are read");
	note(r, MER_WARNING, left_out, r->n_unknown,
		"an event was left out: it is of a kind that this version of libotf2 does not know",
		"events were left out: they are of kinds that this version of libotf2 does not know");
	note(r, MER_NOTE, left_out, r->n_others,
		"a location was left out: it is no thread of a CPU",
		"locations were left out: they are no threads of a CPU");
	note(r, MER_WARNING, left_out, r->n_switched_off,
		"the recording was switched off once: what came then is missing, and calls and messages may be wrong",
		"times the recording was switched off: what came then is missing, and calls and messages may be wrong");
	note(r, MER_WARNING, "clock-backwards", r->n_early - r->n_too_early,
		"an event is earlier than the archive says that it starts; its time is kept",
		"events are earlier than the archive says that it starts; their times are kept");
	note(r, MER_WARNING, "clock-backwards", r->n_too_early,
		"an event is more than a day earlier than the archive says that it starts, or before 1970: its time is not known, and set to the earliest possible",
		"events are more than a day earlier than the archive says that it starts, or before 1970: their times are not known, and set to the earliest possible");
	if (!r->has_clock)
		copied_note(&r->notes, MER_WARNING, "otf2-damaged", 1,
			"it does not say how long a tick of its clock is: a nanosecond is assumed");
}

static int read_archive(
	struct otf2ctf_reading *r, const struct otf2ctf_limit *limits, size_t n_limits)
{
	uint64_t id = 0;
	if (OTF2_Reader_SetSerialCollectiveCallbacks(r->reader) != OTF2_SUCCESS)
		return mer_fail(r->err, MER_ERR_INPUT, "%s", otf2ctf_said(r));
	(void)OTF2_Reader_GetTraceId(r->reader, &id);
	(void)OTF2_Reader_GetCreator(r->reader, &r->creator);
	if (!r->creator)
		r->creator = strdup("OTF2");
	int rc = r->creator ? otf2ctf_copy_new(r->folder, id, &r->copy, r->err)
			    : mer_fail_nomem(r->err);
	if (rc == 0)
		rc = otf2ctf_read_definitions(r);
	if (rc == 0)
		rc = otf2ctf_copy_defined(r->copy, r->err);
	for (uint32_t i = 0; i < r->n_location && rc == 0; i++)
		if (r->location[i].is_thread &&
			OTF2_Reader_SelectLocation(r->reader, r->location[i].id) != OTF2_SUCCESS)
			rc = mer_fail(r->err, MER_ERR_INPUT, "its locations cannot be read: %s",
				otf2ctf_said(r));
	if (rc == 0) {
		otf2ctf_read_local_definitions(r);
		rc = otf2ctf_read_events(r, limits, n_limits);
	}
	/* The definitions are in the folder of the first host. */
	if (rc == 0 && r->n_hosts == 0)
		rc = otf2ctf_new_host(r, "", 0);
	if (rc == 0) {
		note_limits(r, limits, n_limits);
		note_rest(r);
		rc = copied_write_notes(r->folder, &r->notes, r->err);
	}
	return rc;
}

int otf2ctf_read(const char *anchor, const char *folder, struct otf2ctf_progress *progress,
	const struct otf2ctf_limit *limits, size_t n_limits, struct mer_err *err)
{
	struct otf2ctf_reading r = { .folder = folder, .progress = progress, .err = err };
	mer_arena_init(&r.arena);
	OTF2_Error_RegisterCallback(hear, &r);
	char whole[PATH_MAX];
	otf2ctf_rearm();
	int rc = otf2ctf_whole(anchor, folder, whole, err);
	if (rc == 0)
		r.reader = OTF2_Reader_Open(whole);
	if (rc == 0)
		rc = r.reader ? read_archive(&r, limits, n_limits)
			      : mer_fail(err, MER_ERR_INPUT, "%s", otf2ctf_said(&r));
	otf2ctf_whole_end(folder);
	otf2ctf_copy_free(r.copy);
	/* The reader of libotf2 is not closed: the process ends here, and closing a damaged archive
	 * is one more risk. */
	mer_map_fini(&r.strings);
	mer_map_fini(&r.nodes);
	mer_map_fini(&r.groups);
	free(r.text);
	free(r.node);
	free(r.group);
	free(r.location);
	free(r.creator);
	mer_str_fini(&r.notes);
	mer_arena_fini(&r.arena);
	return rc;
}

#endif
