#!/usr/bin/env bash
# What is named as traces: recordings of other tools, archives and addresses are said to be what they are,
# with what to do; links lead to traces; without a name those of the current folder are meant.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC COLUMNS=1000

# --- Files that are no traces ---
# is NAME BYTES MESSAGE: BYTES as of printf
is() {
	printf '%b' "$2" >"$dir/$1"
	run 3 info "$dir/$1"
	text "$dir/err" "$3" "$1"
}
is perf.data 'PERFILE2\0\0' "perf.data: it ends within its first bytes"
is other-order.data '2ELIFREP' 'it ends within its first bytes'
is trace.dat '\x17\x08\x44tracing6\0' 'trace.dat: it ends within its first bytes'
is trace8.dat '\x17\x08\x44tracing8\0\0\010\0\020\0\0' 'version 8; 6 and 7 are read'
is trace.txt '# tracer: nop\n#\n' 'it has no events'
is a.pcap '\xd4\xc3\xb2\xa1\2\0' 'it ends within its first bytes'
is b.pcapng '\x0a\x0d\x0d\x0a' 'it has no packets'
is ch_0 '\xc1\x1f\xfc\xc1' 'stream of a trace; name the folder'
is t.tgz '\x1f\x8b\x08' "archive.*tar -xf"
is t.xz '\xfd7zXZ\0' 'archive'
is t.zip 'PK\x03\x04' 'unzip'
is t.pftrace '\x0a\x02' 'Perfetto'
is empty '' 'this file is empty'
is any 'words' "this file is none that is read"
head -c 257 /dev/zero >"$dir/t.tar" && printf 'ustar\0' >>"$dir/t.tar"
run 3 info "$dir/t.tar"
text "$dir/err" 'tar -xf' 'tar'
mkdir -p "$dir/pages/per_cpu/cpu0"
run 3 info "$dir/pages"
text "$dir/err" "ftrace's raw pages" 'raw pages'
run 3 info net://localhost/host/h/s
text "$dir/err" 'address of a live session' 'live'

# --- Links to folders, in a circle, too ---
traces=$SRC/demo/wget-cold-hot
mkdir -p "$dir/workspace/Traces"
ln -s "$traces/client" "$dir/workspace/Traces/b"
ln -s "$traces" "$dir/workspace/Traces/both"
ln -s ../.. "$dir/workspace/Traces/circle"
"$m" info --format csv "$dir/workspace" 2>/dev/null | cut -d, -f1 | sort >"$dir/got"
"$m" info --format csv "$traces" | cut -d, -f1 | sort >"$dir/wanted"
same "traces by links, each once" "$dir/got" "$dir/wanted"

# --- Text and captures in folders: read, unless a trace or another recording is in their folder or below ---
mkdir -p "$dir/set/web" "$dir/set/client" "$dir/alone"
cp -r "$SRC/demo/wget-cold-hot/client" "$dir/set/web/kernel"
line='              sh-330     [001] d..2.    57.332291: sys_exit: NR 1 = 1'
printf '%s\n' "$line" "$line" | tee "$dir/set/web/trace.txt" >"$dir/set/client/trace.txt"
cp "$SRC/fuzz/corpus/capture/any" "$dir/set/client/x.pcap"
cp "$SRC/fuzz/corpus/recording/v6" "$dir/alone/trace.dat"
cp "$dir/set/client/"* "$dir/alone"
# has FOLDER NAME...: the names of its traces' files or folders
has() {
	local folder=$1
	shift
	"$m" info -v --json "$folder" >"$dir/out" 2>"$dir/err"
	equal "traces of $folder" "$(jq -r 'table("traces")[].path' "$dir/out" | sed 's,.*/,,' | sort | paste -sd' ')" "$*"
}
has "$dir/set" kernel trace.txt x.pcap
text "$dir/err" 'web/trace.txt: left out, as there are CTF traces in the folder;'
no_text "$dir/err" 'client/.*: left out'
has "$dir/alone" trace.dat
text "$dir/err" 'x.pcap: left out, as there are other recordings in the folder;'
has "$dir/alone/x.pcap" x.pcap

# --- No name: the current folder ---
here() { (cd "$1" && shift && "$m" "$@") >"$dir/out" 2>"$dir/err"; }
"$m" info --format csv -q "$traces" | cut -d, -f1,2,4- | sed "s|$traces/||" >"$dir/wanted"
here "$traces" info --format csv -q || fail "info of the current folder"
cut -d, -f1,2,4- "$dir/out" | sed 's|\./||' >"$dir/got"
same "info without a name" "$dir/got" "$dir/wanted"
here "$traces" top cpu || fail "top cpu of the current folder"
text "$dir/err" 'the ones in the current folder'
text "$dir/out" 'python3'
here "$traces/client"
equal "the program alone, among traces" $? 0
text "$dir/out" '^Findings'
mkdir "$dir/nothing"
here "$dir/nothing"
equal "the program alone, elsewhere" $? 2
text "$dir/err" '^usage: meridian|^Usage|meridian VERB'
here "$dir/nothing" summary
equal "summary elsewhere" $? 2
text "$dir/err" 'the current folder has none'
here "$dir/nothing" top cpu
equal "top cpu elsewhere" $? 2
finish
