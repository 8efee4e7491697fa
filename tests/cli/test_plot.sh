#!/usr/bin/env bash
# Charts over time: what is drawn is what the tables say, to the pixel; the picture of a whole experiment has
# one axis; bins that are too many for a picture; and nothing to draw.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC

# area PANEL SERIES FILE: how much of the panel's plot that series fills, as a fraction
area() {
	awk -v panel="$1" -v name="$2" '
		/<g role="group" aria-label=/ { here = index($0, "aria-label=\"" panel "\"") }
		here && /<clipPath/ {
			match($0, / width="[0-9]+"/); w = substr($0, RSTART + 8, RLENGTH - 9)
			match($0, / height="[0-9]+"/); h = substr($0, RSTART + 9, RLENGTH - 10)
		}
		here && /class="s"/ && index($0, "<title>" name "</title>") {
			sub(/.* d="/, ""); sub(/Z".*/, "")
			gsub(/[MLHV]/, " &")
			n = split($0, word, " ")
			for (i = 1; i <= n; i++) {
				c = substr(word[i], 1, 1); v = substr(word[i], 2)
				if (c == "M" || c == "L") { nx = v; ny = word[++i] }
				if (c == "H") { nx = v; ny = y }
				if (c == "V") { nx = x; ny = v }
				if (c == "M") { x0 = nx; y0 = ny } else sum += x * ny - nx * y
				x = nx; y = ny
			}
			sum += x * y0 - x0 * y
			printf "%.5f\n", (sum < 0 ? -sum : sum) / 2 / w / h
		}' "$3"
}
# well FILE: a picture that is one
well() {
	equal "begin of $1" "$(head -c 5 "$1")" "<svg "
	equal "end of $1" "$(tail -1 "$1")" "</svg>"
	no_text "$1" '(nan|inf)[^a-z]' "$1"
	if command -v xmllint >/dev/null; then check "XML of $1" xmllint --noout "$1"; fi
	[ "$(stat -c %s "$1")" -lt 1000000 ] && ok || fail "$1 is large"
}
# near WHAT A B: to half a percent of the whole
near() {
	if awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; exit !(d < 0.005 && d > -0.005 && b > 0.01) }'; then
		ok
	else
		fail "$1: $2, not $3"
	fi
}

# Two CPUs; 6 has one from 10 to 60 ms, 7 has the other from 20 to 30, of 100.
cat >"$dir/two.scn" <<'E2'
host h
trace h/kernel
0ms h 0 sched_switch prev_comm="x" prev_tid=5 prev_state=1 next_comm="" next_tid=0
0ms h 1 sched_switch prev_comm="y" prev_tid=4 prev_state=1 next_comm="" next_tid=0
10ms h 0 sched_switch prev_comm="" prev_tid=0 prev_state=0 next_comm="six" next_tid=6
20ms h 1 sched_switch prev_comm="" prev_tid=0 prev_state=0 next_comm="seven" next_tid=7
30ms h 1 sched_switch prev_comm="seven" prev_tid=7 prev_state=1 next_comm="" next_tid=0
60ms h 0 sched_switch prev_comm="six" prev_tid=6 prev_state=1 next_comm="" next_tid=0
100ms h 0 sched_waking comm="six" tid=6 target_cpu=0
E2
(cd "$dir" && "$ctfgen" -o two two.scn) || exit 1
for bins in 1 7 10 300; do
	run 0 top cpu -q --bins $bins --plot "$dir/two.svg" --begin +0s --end +100ms "$dir/two"
	well "$dir/two.svg"
	near "six of $bins" "$(area 'CPU usage by thread' 'six 6' "$dir/two.svg")" 0.25
	near "seven of $bins" "$(area 'CPU usage by thread' 'seven 7' "$dir/two.svg")" 0.05
	near "CPU 0 of $bins" "$(area 'CPU usage by CPU' 'CPU 0' "$dir/two.svg")" 0.25
done
# Chosen, and the others: the whole stays.
run 0 top cpu -q --plot "$dir/two.svg" --comm seven --begin +0s --end +100ms "$dir/two"
near "seven" "$(area 'CPU usage by thread' 'seven 7' "$dir/two.svg")" 0.05
near "others" "$(area 'CPU usage by thread' 'all others' "$dir/two.svg")" 0.25
text "$dir/two.svg" '<path class="l k".*<title>busy, with interrupts</title>' 'the total'
# More bins than a picture can show one by one, and more than it can show at all.
run 0 top cpu -q --bins 5000 --plot "$dir/many.svg" --begin +0s --end +100ms "$dir/two"
well "$dir/many.svg"
near "six of 5000" "$(area 'CPU usage by thread' 'six 6' "$dir/many.svg")" 0.25
run 2 top cpu -q --bins 30000 --plot "$dir/more.svg" "$dir/two"
text "$dir/err" '30000 bins are more than a chart can show' 'too many'

# A series has one color on all panels, and two on one panel never the same.
colors() { # FILE: panel, host (none where the panel is of all), color, name
	sed -nE -e 's/.*<g role="group" aria-label="([^":]*)(: )?([^"]*)">/= \1\2\3/p' \
		-e 's/.*<path class="[sl]" (fill|stroke)="(#[0-9a-f]*)".*<title>(.*)<\/title>.*/\2 \3/p' "$1" |
		awk '/^= / { panel = $0; host = panel ~ /: / ? panel : ""; sub(/^= /, "", host); sub(/: .*/, "", host)
				columns = panel ~ /What the CPUs did/; next }
			{ color = $1; sub(/^[^ ]* /, ""); print panel "\t" (columns ? "" : host) "\t" color "\t" $0 }'
}
for t in demo/wget-cold-hot demo/clihog-srvhog-2vm; do
	run 0 top cpu -q --plot "$dir/colors.svg" "$t"
	colors "$dir/colors.svg" | grep -v 'all others' >"$dir/colors"
	[ "$(cut -f1 "$dir/colors" | sort -u | wc -l)" -ge 5 ] && ok || fail "$t: panels"
	equal "$t: series of several colors" \
		"$(cut -f2- "$dir/colors" | sort -u | cut -f1,3 | sort | uniq -d)" ""
	equal "$t: series of one color" "$(cut -f1,3 "$dir/colors" | sort | uniq -d)" ""
done

# Nothing to draw is said.
run 3 top mem -q --plot "$dir/none.svg" "$dir/two"
well "$dir/none.svg"
text "$dir/none.svg" '>Memory: there is nothing to show<' 'nothing'

# Recordings: the same of real programs; one axis for all.
t=$lab/clihog-srvhog-2vm
if there "$t"; then
	run 0 top cpu -q --comm rpc-srv --plot "$dir/srv.svg" --format csv "$t/server"
	well "$dir/srv.svg"
	begin=$("$m" top cpu -q --bins 1 --format csv "$t/server" | sed -n 2p | cut -d, -f1)
	end=$("$m" top cpu -q --bins 1 --format csv "$t/server" | sed -n 2p | cut -d, -f2)
	self=$(awk -F, '$4 == "rpc-srv" { n += $5 } END { print n }' "$dir/out")
	near "rpc-srv" "$(area 'CPU usage by thread' 'rpc-srv 237' "$dir/srv.svg")" \
		"$(awk -v n="$self" -v t="$((end - begin))" 'BEGIN { print n / t }')"
fi
for t in demo/wget-cold-hot "$lab/cpu-mem-io"; do
	there "$t" || continue
	run 0 summary -q --plot "$dir/all.svg" "$t"
	well "$dir/all.svg"
	no_text "$dir/all.svg" ">[^<]*lttng" "the tracer"
	equal "axes of $t" "$(grep -c '>local time, ' "$dir/all.svg")" 1
	for panel in 'CPU usage by process' 'Read from disks by thread' 'Network: sent'; do
		text "$dir/all.svg" "aria-label=\"[a-z: ]*$panel\"" "$t"
	done
done
if there "$lab/web-load"; then
	run 0 summary -q --plot "$dir/all.svg" "$lab/web-load"
	no_text "$dir/all.svg" ">[^<]*lttng" "the tracer"
	text "$dir/all.svg" ">db, postgres 187<" "who wrote"
	text "$dir/all.svg" ">without the tracer.s own tasks<" "what is left out"
fi
run 3 summary -q --plot "$dir/none/x.svg" "$dir/two"
# "-": the picture alone, on the output.
while read -ra command; do
	"$m" "${command[@]}" -q --plot "$dir/file.svg" demo/cold-disk >"$dir/table"
	"$m" "${command[@]}" -q --plot - demo/cold-disk >"$dir/out.svg"
	same "${command[*]} --plot -" "$dir/out.svg" "$dir/file.svg"
	check "a table beside the picture of ${command[*]}" [ -s "$dir/table" ]
	LC_ALL=C "$m" "${command[@]}" -q --plot=- -o "$dir/out.svg" demo/cold-disk >"$dir/table"
	same "${command[*]} --plot=- -o" "$dir/out.svg" "$dir/file.svg"
	check "nothing beside it" [ ! -s "$dir/table" ]
done <<'END'
top cpu
top net --bins 20 --json
log disk
requests
summary
sync
latency
END
run 2 top cpu --plot - -o "$dir/" demo/cold-disk
text "$dir/err" 'a picture goes to a file, not to a folder'
[ ! -e ./- ] || fail "a file with the name -"
finish
