#!/usr/bin/env bash
# OTF2 archives with each kind of event and definition once (tools/otf2gen odd): what is copied, number by number; which
# machine each location is on; what is said of the rest.
. "$SRC/tests/cli/lib.sh"
gen=$BUILD/otf2gen
export XDG_CACHE_HOME=$dir/cache
[ -x "$gen" ] || {
	echo "skipped: there is no libotf2"
	exit 77
}
for case in odd bare none; do
	check "written: $case" "$gen" $case "$dir/$case"
done
events() { "$m" events --sync none "$1" 2>/dev/null | sed -E 's/^\[22:13:20\.([0-9]+)\] \([^)]*\)/\1/'; }
# notes CASE: severity, text; what libotf2 itself says is left out
notes() { sed -E 's/ otf2-(damaged|left-out) / \1 /; s/: File or .*//' "$(dirname "$(find "$dir/cache" -path '*/0/metadata')")"/../notes; }

# A tick is 2 ns, and tick 0 half a second past a full one.
equal "events of the others" "$(events "$dir/odd" | grep -E 'locationID = 1[^0]' | sort)" "\
499999980 alone Event_Enter: { locationID = 12, region = 4 }
499999980 board Event_Enter: { locationID = 11, region = 4 }
499999980 unknown Event_Enter: { locationID = 13, region = 4 }"
equal "events" "$(events "$dir/odd" | grep -E '^n_1_a__ GlobalDef_[^S]|locationID = 10')" "\
n_1_a__ GlobalDef_Region: { self = 4, name = 0 }
n_1_a__ GlobalDef_Location: { self = 10, locationGroup = 10 }
n_1_a__ GlobalDef_Location: { self = 11, locationGroup = 11 }
n_1_a__ GlobalDef_Location: { self = 12, locationGroup = 12 }
n_1_a__ GlobalDef_Location: { self = 13, locationGroup = 13 }
n_1_a__ GlobalDef_Location: { self = 14, locationGroup = 14 }
n_1_a__ GlobalDef_Location: { self = 15, locationGroup = 15 }
n_1_a__ GlobalDef_Location: { self = 16, locationGroup = 16 }
n_1_a__ GlobalDef_Group: { self = 22, groupType = 4, paradigm = 4, numberOfMembers = 2 }
n_1_a__ GlobalDef_GroupMember: { group = 22, rank = 0, location = 12 }
n_1_a__ GlobalDef_GroupMember: { group = 22, rank = 1, location = 10 }
n_1_a__ GlobalDef_Group: { self = 23, groupType = 5, paradigm = 4, numberOfMembers = 2 }
n_1_a__ GlobalDef_GroupMember: { group = 23, rank = 12, location = 12 }
n_1_a__ GlobalDef_GroupMember: { group = 23, rank = 10, location = 10 }
n_1_a__ GlobalDef_Group: { self = 24, groupType = 5, paradigm = 4, numberOfMembers = 2 }
n_1_a__ GlobalDef_GroupMember: { group = 24, rank = 0, location = 12 }
n_1_a__ GlobalDef_GroupMember: { group = 24, rank = 1, location = 10 }
n_1_a__ GlobalDef_Group: { self = 25, groupType = 6, paradigm = 4, numberOfMembers = 0 }
n_1_a__ GlobalDef_Comm: { self = 30, group = 23 }
499999980 n_1_a__ Event_Enter: { locationID = 10, region = 4 }
499999998 n_1_a__ Event_Leave: { locationID = 10, region = 4 }
500000000 n_1_a__ Event_ProgramBegin: { locationID = 10 }
500000002 n_1_a__ Event_MpiSend: { locationID = 10, receiver = 1, communicator = 30, msgTag = 2, msgLength = 3 }
500000004 n_1_a__ Event_MpiIsend: { locationID = 10, receiver = 4, communicator = 30, msgTag = 5, msgLength = 6, requestID = 7 }
500000006 n_1_a__ Event_MpiIsendComplete: { locationID = 10, requestID = 8 }
500000008 n_1_a__ Event_MpiIrecvRequest: { locationID = 10, requestID = 9 }
500000010 n_1_a__ Event_MpiRecv: { locationID = 10, sender = 10, communicator = 30, msgTag = 11, msgLength = 12 }
500000012 n_1_a__ Event_MpiIrecv: { locationID = 10, sender = 13, communicator = 30, msgTag = 14, msgLength = 15, requestID = 16 }
500000014 n_1_a__ Event_MpiCollectiveBegin: { locationID = 10 }
500000016 n_1_a__ Event_MpiCollectiveEnd: { locationID = 10, collectiveOp = 1, communicator = 30, root = 17, sizeSent = 18, sizeReceived = 19 }
500000024 n_1_a__ Event_Leave: { locationID = 10, region = 4 }
500000026 n_1_a__ Event_ProgramEnd: { locationID = 10 }"
equal "strings" "$(events "$dir/odd" | grep -c GlobalDef_String)" 11
equal "a string" "$(events "$dir/odd" | grep 'self = 4, string')" "n_1_a__ GlobalDef_String: { self = 4, stringValue = \"n 1/aä\" }"
equal "who wrote it, and its clock" "$("$m" info "$dir/odd" 2>/dev/null | grep -c 'odd one  OTF2    otf2   500 MHz')" 4
equal "notes" "$(notes)" "\
1 damaged 1 location 12 (second): its own definitions cannot be read, so its regions, communicators and times may be wrong
1 damaged 1 location 15 (third): its own definitions cannot be read, so its regions, communicators and times may be wrong
2 damaged 1 location 15 (third): its events cannot be read
0 left-out 3 events were left out: only regions and events of MPI are read
0 left-out 1 a location was left out: it is no thread of a CPU
1 left-out 1 the recording was switched off once: what came then is missing, and calls and messages may be wrong
1 clock-backwards 5 events are earlier than the archive says that it starts; their times are kept"

# The same whenever it is copied: in the shape of random UUIDs, one for each host and its clock.
uuids() { cat "$dir"/cache/meridian/otf2-*.ctf/*/metadata | grep -oE 'uuid = "[^"]*"' | sort; }
uuids >"$dir/uuids"
equal "UUIDs" "$(uniq "$dir/uuids" | grep -cE '"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"')" 8
rm -rf "$dir/cache"
run 3 info "$dir/odd"
same "the same UUIDs" "$dir/uuids" <(uuids)

# Cut: what libotf2 says is told, once for each file; what is before is there.
check "written" "$gen" one "$dir/one"
truncate -s 100 "$dir/one/traces/0.evt"
rm -rf "$dir/cache"
run 3 info "$dir/one"
equal "cut events" "$(notes | sed 's/there:.*/there/' | head -1)" \
	"2 damaged 1 location 0 (Master thread): its events cannot be read to their end; those before are there"
no_text "$dir/err" "times go back"
# Events of a kind that nobody knows are counted; those after them are there.
check "written" "$gen" unknown "$dir/unknown"
rm -rf "$dir/cache"
run 0 info "$dir/unknown"
equal "unknown kinds" "$(notes)" "\
0 left-out 1 an event was left out: only regions and events of MPI are read
1 left-out 1 an event was left out: it is of a kind that this version of libotf2 does not know"
equal "the last event" "$(events "$dir/unknown" | grep -c 'Event_ProgramEnd: { locationID = 0 }')" 1
size=$(stat -c %s "$dir/odd/traces.def")
truncate -s $((size - 20)) "$dir/odd/traces.def"
rm -rf "$dir/cache"
run 3 info "$dir/odd"
equal "cut definitions" "$(notes | sed 's/left out:.*/left out/' | head -1)" \
	"2 damaged 1 its definitions cannot be read to their end, and what these would describe is left out"

text "$dir/err" "'traces/15.evt'" "names of files as they are in the archive"
no_text "$dir/err" "whole/" "no folder of ours"

# One thread alone, which is none: definitions without a host, no clock, no writer.
rm -rf "$dir/cache"
equal "bare" "$(events "$dir/bare" | head -1)" "unknown GlobalDef_String: { self = 0, stringValue = \"work\" }"
equal "bare: notes" "$(notes)" "\
0 left-out 1 a location was left out: it is no thread of a CPU
1 damaged 1 it does not say how long a tick of its clock is: a nanosecond is assumed"
run 3 info "$dir/none"
text "$dir/err" "none/traces.otf2: the OTF2 archive cannot be read: it has no location .a thread that events are of.$"
equal "nothing is left unfinished" "$(find "$dir/cache" -name 'otf2-*.ctf.*' | wc -l)" 0
finish
