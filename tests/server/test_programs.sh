#!/usr/bin/env bash
# Rows of programs and what they did, as the server answers them: to the ns what the program prints.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC
. "$SRC/tests/server/lib.sh"
get() { ask GET "$1" '' "${@:2}"; }
traces=demo/mpi-imbalance

# states KIND FILE: of an answer, exact ones with their absolute times, as lines "begin end text"
states() {
	# Times since 1970 are too long for numbers of jq.
	jq -r --arg kind "$1" '.words as $w | .rows[] | select(.row | startswith($kind)) | .states // [] |
		_nwise(6) | select(.[4] == 255) | "\(.[0]) \(.[1]) \($w[.[2]].text)"' "$2" |
		while read -r b e text; do echo "$((begin + b)) $((begin + e)) $text"; done | sort
}
read -r begin end <<<"$("$m" info -q --json "$traces" | tr -d ' \n' | sed -E 's/.*"begin":([0-9]+),"end":([0-9]+),.*/\1 \2/')"

serve --view mpi "$traces"
ready

# --- Which rows ---
get "${root}api/programs"
equal "programs" "$status" 200
equal "views" "$(jq -c '[.views[] | [.name, .title]]' "$dir/body")" '[["mpi","MPI ranks"]]'
equal "labels" "$(jq -r '[.rows[].label] | sort | join(",")' "$dir/body")" "Rank 0,Rank 1,Rank 2,Rank 3"
equal "groups" "$(jq -r '[.rows[].under] | unique | join(",")' "$dir/body")" vm
equal "ranks" "$(jq -c '[.ranks[] | [.rank, .tid]] | sort' "$dir/body")" '[[0,5865],[1,5866],[2,5867],[3,5868]]'
equal "threads of rows" "$(jq -c '[.rows[] | [.label, .threads[]]] | sort' "$dir/body")" \
	'[["Rank 0",5865],["Rank 1",5866],["Rank 2",5867],["Rank 3",5868]]'
cp "$dir/body" "$dir/programs"
rows=$(jq -r '[.rows[] | "s:\(.host):\(.row)"] + [.ranks[] | "m:0:\(.line)"] | join(",")' "$dir/programs")

# --- What they did: all of it, and a window that cuts states ---
"$m" log view -q -n 0 --view mpi --format csv "$traces" >"$dir/out"
text "$dir/out" '^begin,end,duration_ns,exclusive_ns,host,view,under,row,state,'
tail -n +2 "$dir/out" | awk -F, '{ print $1, $2, $9 }' | sort >"$dir/wanted"
check "states are there" test "$(wc -l <"$dir/wanted")" -gt 300
get "${root}api/states?begin=$begin&end=$((end + 1))&bins=100&rows=$rows"
equal "states" "$status" 200
cp "$dir/body" "$dir/whole"
states s "$dir/whole" >"$dir/seen"
same "states of a view" "$dir/wanted" "$dir/seen"
from=$((begin + 300000000)) to=$((begin + 300000100))
get "${root}api/states?begin=$from&end=$to&bins=100&rows=$rows"
equal "whoever is in a state then, is" "$(jq -r '.words as $w | [.rows[] | select(.row | startswith("s")) | .states[2] as $s | $w[$s].text] | length' "$dir/body")" 4
equal "its begin lies before the window" "$(jq '[.rows[].states[0] < 0] | all' "$dir/body")" true

# --- Ranks: in and outside of calls; the time waited ---
"$m" top mpi -q --table ranks --json "$traces" | jq -r '[.tables[0].rows[].waiting_ns] | add' >"$dir/wanted"
jq -r '.words as $w | [.rows[] | select(.row | startswith("m")) | .states | _nwise(6) | select($w[.[2]].wait) | .[1] - .[0]] | add' \
	"$dir/whole" >"$dir/seen"
same "time that ranks waited" "$dir/wanted" "$dir/seen"
"$m" top mpi -q --table ranks --json "$traces" | jq -r '[.tables[0].rows[] | .elapsed_ns] | add' >"$dir/wanted"
jq -r '[.rows[] | select(.row | startswith("m")) | .states | _nwise(6) | .[1] - .[0]] | add' "$dir/whole" >"$dir/seen"
same "their lives have no gaps" "$dir/wanted" "$dir/seen"

# --- Arrows: few enough to be counted ---
"$m" top view -q -n 0 --view mpi --json "$traces" | jq -r '[.tables[] | select(.id == "top_arrow") | .rows[].count] | add' >"$dir/wanted"
jq -r '[.arrows[] | select(.[0] | startswith("s")) | .[4]] | add' "$dir/whole" >"$dir/seen"
same "arrows of a view" "$dir/wanted" "$dir/seen"
"$m" top mpi -q -n 0 --table matrix --json "$traces" | jq -r '[.tables[0].rows[].messages] | add' >"$dir/wanted"
jq -r '[.arrows[] | select(.[0] | startswith("m")) | .[4]] | add' "$dir/whole" >"$dir/seen"
same "messages between ranks" "$dir/wanted" "$dir/seen"
get "${root}api/states?begin=$((begin - 100000000000))&end=$((end + 1))&bins=50&rows="
equal "those at the same time are one" "$(jq '[.arrows[][4]] | add > length' "$dir/body")" true
equal "and none is lost" "$(jq '[.arrows[][4]] | add' "$dir/body")" "$(jq '[.arrows[][4]] | add' "$dir/whole")"

# --- Wrong questions ---
for query in "begin=1&end=2&rows=x" "begin=1&end=2&rows=s:0" "begin=1&end=2&rows=s:0:99999999" "begin=1&end=2&rows=s:99:0" \
	"begin=1&end=2&rows=m:0:99999" "begin=2&end=1" "begin=1&end=2&bins=0" "rows=s:0:0"; do
	get "${root}api/states?$query"
	equal "states $query" "$status" 400
done
stop

# --- Values and marks ---
cat >"$dir/values.view" <<'END'
view sizes "Sizes"
row rank "Rank {rank}" unit bytes key rank
	add mpi:send_begin amount bytes
	mark mpi:barrier_end as "left a barrier"
END
serve --view "$dir/values.view" "$traces"
ready
get "${root}api/programs"
equal "units" "$(jq -r '[.rows[].unit] | unique | join(",")' "$dir/body")" bytes
jq -c '[.rows[] | [.label, .high]] | sort' "$dir/body" >"$dir/seen"
"$m" top view -q -n 0 --view "$dir/values.view" --json "$traces" |
	jq -c '[.tables[] | select(.id == "top_value") | .rows[] | [.row, .max_value]] | sort' >"$dir/wanted"
same "greatest values" "$dir/wanted" "$dir/seen"
rows=$(jq -r '[.rows[] | "s:\(.host):\(.row)"] | join(",")' "$dir/body")
get "${root}api/states?begin=$begin&end=$((end + 1))&bins=50&rows=$rows"
equal "marks, however few bins there are" "$(jq '[.rows[].marks | _nwise(3) | .[2]] | add' "$dir/body")" 48
equal "the last value is the greatest one" "$(jq -c '[.rows[].values[-1]] | sort' "$dir/body")" "$(jq -c '[.[][1]] | sort' "$dir/wanted")"
stop


# --- Without views and MPI there are none ---
serve demo/wget-cold-hot
ready
get "${root}api/programs"
equal "none" "$(jq -c '[(.views, .rows, .ranks) | length]' "$dir/body")" "[0,0,0]"
stop
finish
