#!/usr/bin/env bash
# meridian serve: who may ask, what is answered, and that an answer is what the program prints.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
export XDG_CACHE_HOME=$dir/cache TZ=UTC

. "$SRC/tests/server/lib.sh"
# get PATH [HEADER...]
get() { ask GET "$1" '' "${@:2}"; }
words() { # the query of a command
	local w
	for w in "$@"; do printf '&w=%s' "$(sed 's/%/%25/g; s/+/%2B/g; s/ /%20/g; s/&/%26/g' <<<"$w")"; done | cut -c2-
}

serve demo/wget-cold-hot
text "$dir/serve" '^http://127\.0\.0\.1:[0-9]+/[a-z0-5]{32}/$' "the address"
ready

# --- Who may ask ---
for path in / /api/status /wrong/api/status "${root%?}x/api/status" "${root:0:20}/api/status"; do
	get "$path"
	equal "without the token: $path" "$status" 403
done
get "${root%/}"
equal "without the last /" "$status" 307
text "$dir/headers" "^Location: $url$"
for host in evil.example evil.example:$port "localhost.evil.example:$port" "" "127.0.0.1:" "127.0.0.1:x" "[::1" \
	10.0.0.1:$port; do
	get "${root}api/status" "Host: $host"
	if [ "$status" = 403 ] || [ "$status" = 400 ]; then ok; else fail "Host '$host': $status"; fi
done
for host in "localhost:1234" "LOCALHOST" "127.0.0.1" "[::1]:80"; do
	get "${root}api/status" "Host: $host"
	equal "Host $host" "$status" 200
done
get "${root}api/status" "Origin: http://evil.example"
equal "a page of elsewhere" "$status" 403
get "${root}api/status" "Origin: null"
equal "a page of nowhere" "$status" 403
get "${root}api/status" "Origin: http://127.0.0.1:$port"
equal "its own page" "$status" 200
for method in POST PUT DELETE; do
	ask "$method" "${root}api/status" ""
	equal "$method" "$status" 405
done
for path in api/nothing api/../api/status ../etc/passwd api/status/ %2e%2e/x; do
	get "$root$path"
	if [ "$status" = 404 ] || [ "$status" = 400 ]; then ok; else fail "$path: $status"; fi
done

# --- The page ---
get "$root"
equal "the page" "$status" 200
text "$dir/headers" '^Content-Type: text/html'
text "$dir/headers" "^Content-Security-Policy: default-src 'none'"
no_text "$dir/headers" 'unsafe'
text "$dir/headers" '^X-Content-Type-Options: nosniff'
text "$dir/headers" '^Referrer-Policy: no-referrer'
get "$root" "Accept-Encoding: gzip"
check "it is compressed, for who takes that" gzip -t "$dir/body"
etag=$(sed -n 's/^ETag: //p' "$dir/headers")
get "$root" "If-None-Match: $etag"
equal "it did not change" "$status" 304

# --- Commands: what the program prints ---
while read -ra command; do
	get "${root}api/run?$(words "${command[@]}")"
	"$m" "${command[@]}" -q demo/wget-cold-hot >"$dir/out" 2>/dev/null </dev/null
	equal "${command[*]}" "$status" 200
	same "${command[*]}" "$dir/body" "$dir/out"
done <<'END'
summary --json
requests --json
top cpu --json
top cpu --format csv --begin +1s --end +2s
stats sched --json
log syscall --limit 5 --json
freq syscall --json
path --comm wget --json
path --comm wget --begin +1s --end +2s --json
blocked --comm wget --json
task --comm wget --json
graph --json
state --at +1s --json
events --limit 3 --json
sync --json
latency --json
info --json
summary --json
top cpu --bins 50 --plot -
requests --plot=-
latency --plot -
END
text "$dir/headers" '^Content-Type: image/svg\+xml'
get "${root}api/run?clocks=recorded&$(words top cpu --json)"
"$m" top cpu --json --sync none -q demo/wget-cold-hot >"$dir/out" 2>/dev/null
same "clocks as recorded" "$dir/body" "$dir/out"

# Nothing that names a file, other traces, or is no question.
while read -ra command; do
	get "${root}api/run?$(words "${command[@]}")"
	equal "${command[*]}" "$status" 400
	text "$dir/body" '^\{"error":".+"\}' "${command[*]}"
done <<'END'
path /etc
path -- /etc
top cpu /etc
summary --output /tmp/never
summary --output=/tmp/never
summary -o/tmp/never
top cpu --plot /tmp/never
summary --plot /tmp/never
requests --plot=/tmp/never
summary --plot
graph --plot -
sync --save /tmp/never
sync --write=/tmp/never
top cpu --sync /tmp/never
sync --pairs=/etc/passwd
top cpu --jobs 1
top cpu --no-store
serve
cache clear
help
completion bash
nothing
top nothing
top cpu --limit x
path --comm nobody
END
get "${root}api/run"
equal "no command" "$status" 400

# --- The catalog: what it names is answered, with these columns ---
get "${root}api/catalog"
cp "$dir/body" "$dir/catalog"
equal "its form is that of answers" "$(jq -c '[.schema_version, .begin, (.tables | map(.id))]' "$dir/catalog")" \
	'[3,null,["questions","topics","topic_questions","curves","comparisons"]]'
equal "a question" "$(jq -c 'table("questions")[] | select(.words == "top cpu --table processes") | [.about, .menu, .analysis, .table]' "$dir/catalog")" \
	'["window",1,"cpu","processes"]'
equal "one that needs more is in no menu" "$(jq -c '[table("questions")[] | select(.words and (.periods == 1 or .views == 1)) | .menu] | unique' "$dir/catalog")" '[0]'
while IFS=$'\t' read -r question table columns; do
	read -ra command <<<"$question"
	get "${root}api/run?$(words "${command[@]}" --json)"
	equal "$question: $table" "$(jq -r --arg table "$table" --arg wanted "$columns" '
		first(.tables[] | select($table == "" or .id == $table)) | ($wanted | split(" ")) - (.columns | map(.key)) | join(" ")' "$dir/body")" ""
done < <(jq -r '(table("comparisons")[] | [.words, .table, .value + " " + ([.name | scan("[a-z_]{2,}")] | join(" "))]),
	(table("topic_questions")[] | select(.topic != "mpi" and .topic != "vm") | [.words, "", ""]) | @tsv' "$dir/catalog")

# --- Lanes ---
read -r begin end <<<"$("$m" info -q --sync auto --json demo/wget-cold-hot | tr -d ' \n' |
	sed -E 's/.*"begin":([0-9]+),"end":([0-9]+),.*/\1 \2/')"
get "${root}api/tasks"
equal "tasks" "$(jq -r '.hosts | map(.name) | join(" ")' "$dir/body")" "client server"
equal "tasks of the tracer" "$(jq -r '[.hosts[].tasks[] | select(.tracer) | .comm | select(startswith("lttng"))] | length > 0' "$dir/body")" true
equal "no others of that name" "$(jq -r '[.hosts[].tasks[] | select(.comm and (.comm | startswith("lttng")) and .tracer != true)] | length' "$dir/body")" 0
equal "nor is wget one" "$(jq -r '[.hosts[].tasks[] | select(.comm == "wget" and .tracer)] | length' "$dir/body")" 0
get "${root}api/lanes?begin=$begin&end=$end&bins=100&lanes=c:0:0,t:0:0,c:1:0"
equal "lanes" "$status" 200
equal "what it is" "$(head -c 4 "$dir/body")" MLN1
equal "lanes" "$(od -An -tu4 -j4 -N4 "$dir/body" | tr -d ' ')" 3
n=$(od -An -tu4 -j8 -N4 "$dir/body" | tr -d ' ')
equal "bytes" "$(wc -c <"$dir/body")" $((32 + 4 * 4 + 15 * n))
for query in "begin=1&end=0&lanes=c:0:0" "begin=x&end=2" "begin=1&end=2&lanes=c:99:0" "begin=1&end=2&lanes=t:0:99999999" \
	"begin=1&end=2&bins=0" "begin=1&end=2&bins=99999999" "begin=1&end=2&lanes=x" "end=1" \
	"begin=1&end=2&lanes=c:0:0:0" "begin=99999999999999999999&end=2"; do
	get "${root}api/lanes?$query"
	equal "lanes $query" "$status" 400
done
stop

# --- Ways to listen, and to end ---
serve --no-token demo/wget-cold-hot
text "$dir/serve" '^http://127\.0\.0\.1:[0-9]+/$' "the address without a token"
get /api/status
equal "without a token" "$status" 200
run 3 serve --listen "127.0.0.1:$port" demo/wget-cold-hot
text "$dir/err" 'Address already in use'
stop
serve --idle-timeout 300ms demo/wget-cold-hot
wait "$serving"
equal "nobody asks" $? 0
serving=
for place in x 1.2.3 127.0.0.1:x 127.0.0.1:99999 99999 "[::1" ""; do
	run 2 serve --listen "$place" demo/wget-cold-hot
done
run 3 serve demo/nothing
SSH_CONNECTION="a b" DISPLAY= WAYLAND_DISPLAY= serve demo/wget-cold-hot
sleep 0.2
text "$dir/serve" "^from your own desktop: ssh -L $port:127\.0\.0\.1:$port .+$"
stop

# --- Marks: added, removed, everything else in the file as it was ---
mkdir -p "$dir/own" && cp -rL demo/wget-cold-hot "$dir/own/" && chmod -R u+w "$dir/own"
traces=$dir/own/wget-cold-hot
file=$traces/marks.tsv
serve "$traces"
ready
# Lengths in ms, as jq does not hold ns since 1970 exactly.
marks() { jq -r '.marks[] | "\(.line) \((.end - .begin) / 1e6 | round) \(.text)"' "$dir/body"; }
get "${root}api/marks"
equal "no marks yet" "$status $(marks)" "200 "
ask POST "${root}api/marks" $'+0.5s\t+0.75s\tcold "cache" ü'
equal "a mark" "$status $(marks)" '200 2 250 cold "cache" ü'
printf '# what follows is of Monday\n+1s\t\tby hand' >>"$file"
ask POST "${root}api/marks" $'+0.1s\t\tmoment\n'
equal "three marks" "$status $(marks | tail -1)" "200 5 0 moment"
equal "all of the file" "$(cat "$file")" $'begin\tend\ttext\n+0.5s\t+0.75s\tcold "cache" ü\n# what follows is of Monday\n+1s\t\tby hand\n+0.1s\t\tmoment'
for bad in '' $'\n' 'x' $'+1s\t+0.5s\tends before it begins' $'+1s\t\ta\n+2s\t\tb' $'+1s\t\t\033[31mred' '# nothing' $'+1s\t\t'"$(head -c 1001 /dev/zero | tr '\0' x)"; do
	ask POST "${root}api/marks" "$bad"
	equal "no mark: ${bad:0:30}" "$status" 400
done
equal "nothing changed" "$(grep -c . "$file")" 5
ask POST "${root}api/marks" $'+1s\t\tx' "Origin: http://evil.example"
equal "a mark of another site's page" "$status" 403
for wrong in 'line=3&text=by%20hand' 'line=4&text=moment' 'line=99&text=moment' 'line=-1&text=x' 'line=4' ''; do
	ask DELETE "${root}api/marks?$wrong" ""
	equal "no such mark: $wrong" "$status" 400
done
ask DELETE "${root}api/marks?line=2&text=cold%20%22cache%22%20%C3%BC" ""
equal "one is removed" "$status $(marks | head -1)" "200 3 0 by hand"
text "$file" '^# what follows is of Monday$'
equal "as the traces can be read" "$(stat -c %a "$file")" 644
ask POST "${root}api/marks" $'+0.5s\t+0.75s\ta range'
run 0 top cpu -n 1 --marks - "$traces"
text "$dir/out" '^Mark: '
printf 'broken' >"$file"
get "${root}api/marks"
equal "a broken file" "$status" 400
text "$dir/body" 'marks.tsv:1'
printf 'begin\tend\ttext\n+1s\t\tlast\n' >"$file"
ask DELETE "${root}api/marks?line=2&text=last" ""
equal "the last one" "$status $(ls "$file" 2>/dev/null)" "200 "
stop

# --- docs/api.md has what is answered, and nothing else ---
"$m" --endpoints >"$dir/out"
grep -E '^\| `[A-Z]+ /' docs/api.md >"$dir/documented"
same "docs/api.md" "$dir/documented" "$dir/out"
finish
