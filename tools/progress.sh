# Sourced by scripts whose work takes long: says how far it is. On a terminal one line that is written
# over, elsewhere a new line every few seconds, so that nobody has to wait 20 seconds for a word; the longer it
# takes, the fewer.
#
# follow HANDLER COMMAND...: runs it and calls HANDLER for each line that it prints; HANDLER sets
# `doing` to what is to be said, or prints (with `tell`) what somebody has to see. Returns the command's
# status.
progress_every=${PROGRESS_EVERY:-5} # seconds
progress_last=$SECONDS
progress_began=$SECONDS
progress_is_line=false # the terminal's last line is ours, to be written over
doing=

# tell TEXT: a line that stays
tell() {
	if $progress_is_line; then printf '\r\033[K'; fi
	progress_is_line=false
	progress_last=$SECONDS
	printf '%s\n' "$1"
}
progress() {
	[ -n "$doing" ] || return 0
	if [ -t 1 ]; then
		local width=${COLUMNS:-80}
		printf '\r\033[K%s' "${doing:0:width-1}"
		progress_is_line=true
	elif [ $((SECONDS - progress_last)) -ge $((progress_every + (SECONDS - progress_began) / 40)) ]; then
		tell "$doing"
	fi
}
follow() {
	local handler=$1 line part='' got pid status=0
	shift
	# A fifo, because <(...) needs /dev/fd, which is not there where /proc is not mounted.
	local folder
	folder=$(mktemp -d) && mkfifo "$folder/lines" || return
	"$@" >"$folder/lines" 2>&1 &
	pid=$!
	# shellcheck disable=SC2064
	trap "kill $pid 2>/dev/null; exit 130" INT TERM # the shell lets what it runs beside it ignore Ctrl-C
	exec 9<"$folder/lines"
	rm -r "$folder"
	while :; do
		got=0
		IFS= read -r -t "$progress_every" -u 9 line || got=$?
		part+=$line
		if [ $got -gt 128 ]; then # nothing for so long: the same again
			progress
			continue
		fi
		if [ $got -eq 0 ] || [ -n "$part" ]; then
			"$handler" "$part"
			part=
			progress
		fi
		[ $got -eq 0 ] || break
	done
	exec 9<&-
	wait "$pid" || status=$?
	trap - INT TERM
	if $progress_is_line; then printf '\r\033[K'; fi
	progress_is_line=false
	return $status
}
