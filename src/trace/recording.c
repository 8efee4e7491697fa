#include "trace/recording.h"

#include <stddef.h>

#include "ftrace/file.h"
#include "otf2/archive.h"

const struct copied_kind *trace_recording_kind(const char *path)
{
	return otf2ctf_is_anchor(path) ? &otf2ctf_archive
	       : ftrace_is_file(path)  ? &ftrace_file
				       : NULL;
}
