#include "trace/recording.h"

#include <stddef.h>

#include "ftrace/file.h"
#include "otf2/archive.h"
#include "part/file.h"
#include "pcap/file.h"

const struct copied_kind *trace_recording_kind(const char *path)
{
	return otf2ctf_is_anchor(path) ? &otf2ctf_archive
	       : pcap_is_file(path)    ? &pcap_file
	       : part_is_file(path)    ? &part_file
				       : ftrace_kind(path);
}
