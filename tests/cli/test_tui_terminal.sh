#!/usr/bin/env bash
# meridian tui in a terminal: the real program on recordings, with keys, as tmux shows it. Its figures are those of
# the command that it names; whatever happens, the terminal is as it was before.
. "$(dirname "$0")/lib.sh"
if ! command -v tmux >/dev/null; then
	echo "skipped: no tmux"
	exit 77
fi
if "$m" tui demo/shop-a 2>&1 </dev/null | grep -q "built without ncurses"; then
	echo "skipped: built without ncurses"
	exit 77
fi

patience=300 # tenths of a second; busy machines are slow
socket=$dir/tmux started=0
tm() { tmux -S "$socket" "$@"; }
trap 'tm kill-server 2>/dev/null; rm -rf "$dir"' EXIT
# start [-e NAME=VALUE]... COLUMNS ROWS ARGUMENT...: meridian in a shell of its own
start() {
	local env=()
	while [ "$1" = -e ]; do
		env+=("$2")
		shift 2
	done
	local w=$1 h=$2
	shift 2
	tm kill-server 2>/dev/null
	socket=$dir/tmux$((++started)) # the old server may still be on its way out
	tm -f /dev/null new-session -d -x "$w" -y "$h" "env PS1='ready> ' ${env[*]} bash --norc --noprofile"
	tm set-option -g default-terminal screen-256color
	wait_for '^ready>' "a shell"
	tm send-keys "stty -g >$dir/stty1; '$m' tui $*; echo status=\$?; stty -g >$dir/stty2; echo done" Enter
}
screen() { tm capture-pane -p >"$dir/screen"; }
# wait_for PATTERN WHAT: until it is shown, or half a minute
wait_for() {
	local i
	for ((i = 0; i < patience; i++)); do
		screen
		if grep -qE -- "$1" "$dir/screen"; then
			ok
			return
		fi
		sleep 0.1
	done
	fail "$2: '$1' is not shown: $(head -30 "$dir/screen")"
	finish # what follows would only wait as long
}
keys() { tm send-keys "$@"; }
pid_of_tui() { tm list-panes -F '#{pane_pid}' | xargs -I{} ps -o pid= --ppid {} | tr -d ' ' | head -1; }
# restored STATUS WHAT: the program has ended so, and the terminal is as it was
restored() {
	wait_for '^done' "$2: it ends"
	wait_for "status=$1" "$2: exit status"
	same "$2: settings of the terminal" "$dir/stty1" "$dir/stty2"
	equal "$2: the usual screen, with a cursor" "$(tm display -p '#{alternate_on} #{cursor_flag}')" "0 1"
}

# documented NAME: the screen is the one that docs/tui.md shows (UPDATE=1: from now on)
documented() {
	local doc=$SRC/docs/tui.md
	sed -i 's/ *$//' "$dir/screen"
	if [ -n "${UPDATE:-}" ]; then
		awk -v name="<!-- screen: $1 -->" -v file="$dir/screen" '
			$0 == name { print; getline; print; while ((getline line < file) > 0) print line; skip = 1; next }
			skip && /^```/ { skip = 0 }
			!skip' "$doc" >"$dir/doc" && cp "$dir/doc" "$doc"
	fi
	awk -v name="<!-- screen: $1 -->" '$0 == name { getline; on = 1; next } /^```/ { on = 0 } on' "$doc" >"$dir/wanted"
	same "docs/tui.md: screen of $1" "$dir/screen" "$dir/wanted"
}

# ---- Findings and the place of one ----
start 80 24 demo/shop-a
wait_for "^Findings" "the answer comes first"
"$m" summary -n 0 demo/shop-a --json 2>/dev/null >"$dir/summary"
first=$(jq -r '.tables[] | select(.id == "findings") | .rows[0] | .host + ": " + .finding' "$dir/summary")
wait_for "q quit" "drawn"
documented findings
tr '\n' ' ' <"$dir/screen" | tr -s ' ' >"$dir/line"
check "the first finding" grep -qF "$first" "$dir/line"
# As the browser's page: why slow ones are slow, kinds of requests, findings.
why=$("$m" requests --explain demo/shop-a --json 2>/dev/null | jq -r '.tables[2].rows[0].sentence')
check "in this order" grep -qE "$(sed 's/[().%]/./g' <<<"$why").* slow requests .*Requests of services.* kind of requests .*Findings" "$dir/line"
for _ in $(seq "$(jq '[.tables[] | select(.id == "requests") | .rows[:8][]] | length' "$dir/summary")"); do keys Down; done
keys Enter
wait_for "shop-w3/169 .* runnable for 19.2 ms" "the finding's place"
documented place
keys y
wait_for "meridian state --at [0-9]+ --host web --tid 169" "the command"
at=$(grep -oE -- '--at [0-9]+' "$dir/screen" | cut -d' ' -f2)
equal "the state that the command prints" "runnable" \
	"$("$m" state --at "$at" --host web --tid 169 --json demo/shop-a 2>/dev/null |
		jq -r '.tables[] | select(.id == "tasks") | .rows[0].state')"

# ---- A wait leads to its cause ----
keys y / "nginx/158" Enter
wait_for "^nginx/158" "found"
keys g "+5.2s" Enter
wait_for "nginx/158 +\+5.200000 s" "a time"

# ---- Tables: the same cells as the command prints, of the same range ----
keys t
wait_for "^ Tables" "the list of tables"
keys "top cpu" Enter
wait_for "CPU usage by thread" "a table"
keys y
wait_for "meridian top cpu --limit 1000 --begin" "its command"
command=$(tail -3 "$dir/screen" | tr -d '\n' | grep -oE 'meridian top cpu .*')
# shellcheck disable=SC2086
"$m" ${command#meridian } 2>/dev/null >"$dir/table"
rows() { grep -E '^(web|db|client) ' "$1" | awk '{ print $1, $2, $3, $4, $5 }' | head -12; }
rows "$dir/screen" >"$dir/shown"
rows "$dir/table" >"$dir/printed"
check "rows are shown" test -s "$dir/shown"
same "host, tid, name and time" "$dir/shown" "$dir/printed"
keys ">" ">"
wait_for "pid|tid.*▲" "sorted by another column"
keys F 'self_ns > 1s' Enter
wait_for "No rows|filter: self_ns > 1s" "a filter"
keys F C-u 'no such field' Enter
wait_for "no such|field|unknown" "what is wrong with a filter is said"

# ---- Sizes ----
tm resize-window -x 40 -y 10
wait_for "40x10 is too small" "too small"
tm resize-window -x 132 -y 40
keys 2
wait_for "^▾ web" "large again"
check "in full width" grep -qE '.{120}' "$dir/screen"

# ---- Stopped and continued ----
keys C-z
wait_for "Stopped" "the shell is back"
equal "stopped: the usual screen" "$(tm display -p '#{alternate_on} #{cursor_flag}')" "0 1"
keys "clear; fg; echo status=\$?; stty -g >$dir/stty2; echo done" Enter
wait_for "^▾ web" "continued"
keys q
restored 0 "q"

# ---- Ended in other ways, while it draws ----
for signal in INT TERM HUP SEGV; do
	start 80 24 demo/wget-cold-hot
	wait_for "^Findings" "SIG$signal: there"
	pid=$(pid_of_tui)
	keys 2 w w d d a s s p
	kill -s "$signal" "$pid"
	case $signal in INT) status=130 ;; TERM) status=143 ;; HUP) status=129 ;; SEGV) status=139 ;; esac
	if [[ $SANITIZE == *address* && $signal == SEGV ]]; then
		status='[0-9]+' # it reports that in its own way
	fi
	restored "$status" "SIG$signal"
done
start 80 24 demo/wget-cold-hot
wait_for "^Findings" "there"
keys C-c
restored 130 "Ctrl+C"

# ---- Without colours, without UTF-8 ----
colors() { tm capture-pane -p -e | grep -cE $'\e\\[[0-9;]*(3[0-7]|38;5|9[0-7])' || true; }
start 80 24 demo/shop-a
wait_for "^Findings" "there"
keys 2
wait_for "^▾ client" "blocks"
check "colours" test "$(colors)" -gt 5
for without in NO_COLOR=1 TERM=vt100 "LC_ALL=C NO_COLOR=1"; do
	# shellcheck disable=SC2086
	start $(printf -- '-e %s ' $without) 80 24 demo/shop-a
	wait_for "^Findings" "$without"
	keys 2
	wait_for "U user S syscall" "$without: letters"
	check "$without: states are letters" grep -qE 'CPU 0 .*[USKIR]{5}|CPU 0 .*[uskir]{5}' "$dir/screen"
	equal "$without: no colours" "$(colors)" 0
done
if LC_ALL=C grep -q '[^ -~]' "$dir/screen"; then fail "ASCII only: $(LC_ALL=C grep '[^ -~]' "$dir/screen" | head -2)"; else ok; fi

# ---- What is lost is said ----
start 80 24 demo/lost-events
wait_for "events were lost" "losses"
keys q
restored 0 "q"

# ---- Where it cannot be ----
"$m" tui demo/shop-a >"$dir/out" 2>"$dir/err" </dev/null
equal "no terminal: exit status" "$?" 2
text "$dir/err" "needs a terminal; 'meridian summary'"
# The terminal's library keeps what it allocated when it finds nothing.
start -e TERM=nothing-known -e ASAN_OPTIONS=detect_leaks=0 80 24 demo/shop-a
restored 3 "an unknown terminal"
text "$dir/screen" "terminal type 'nothing-known'"
start 80 24 demo/nothing
restored 3 "no traces"
text "$dir/screen" "demo/nothing: .*No such file"
finish
