#!/usr/bin/env bash
# meridian compare and baseline: a place that was made slower is found and named first, what was not changed is not
# named, too few recordings are said to be too few; exit statuses, JUnit XML, damaged recordings and baselines.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
export XDG_CACHE_HOME=$dir/cache TZ=UTC
unset COLUMNS

# worlds FOLDER SEED N OPTION...: recordings of a service.
worlds() {
	local folder=$1 seed=$2 n=$3 i
	shift 3
	for ((i = 0; i < n; i++)); do
		"$KERNELWORLD" -o "$dir/$folder/$i" --services pool --hosts 3 --duration 400ms --no-truth \
			--seed $((seed + i)) "$@" >/dev/null
	done
}
worlds old 100 6
worlds same 200 6
worlds new 300 6 --slower postgres:user:20%
worlds call 400 6 --slower app:sendto:25%
worlds more 500 6 --tail lock
cd "$dir" || exit 1
for side in old same new call more; do
	run 0 baseline make --no-store -q -o $side.baseline "$side/*"
done

# Paragraphs are wrapped.
flat() { tr '\n' ' ' <out >flat; }

text out '^more/5 +(399|400) ms +0 +[0-9]+$' "what a baseline is of"
run 0 baseline make --no-store -o one.baseline --json old/0
equal "the same as JSON" "$(jq -c 'table("recordings") | map([.path, .lost_events, .values > 100])' out)" '[["old/0",0,true]]'

# ---- What was changed comes first ----

run 0 compare --no-store --a 'old/*' --b 'new/*'
text out '^A: 6 recordings, B: 6 recordings; compared: [0-9]+ measures' "what is compared"
text out '^Different: [0-9]+, the largest certain change first' "something is"
text out 'false alarm is at most 1 %' "how sure that is"
equal "the first one" "$(grep -A2 '^Changed$' out | tail -1 | grep -oE '^CPU +postgres +user tim')" "$(grep -oE '^CPU +postgres +user tim' out | head -1)"
cp out text
run 0 compare --no-store --a 'old/*' --b 'new/*' --json
equal "tables" "$(jq -c '[.tables[].id]' out)" '["changes","presence","comparison","recordings"]'
equal "the first one" "$(jq -r 'table("changes")[0] | "\(.kind) \(.subject) \(.measure) \(.class) \(.proven)"' out)" "CPU postgres user time per call cause 1"
# 20 % more; the interval has it, and the change that is certain is its lower end.
equal "how much" "$(jq -r 'table("changes")[0] | .low_percent < 20 and .high_percent > 20 and .change_percent > 15 and .change_percent < 25 and .certain_percent == .low_percent and .certain_percent > 0' out)" true
equal "the ratio of both" "$(jq -r 'table("changes") | map(select(.a_ns != null) | (.b_ns / .a_ns - 1) * 100 - .change_percent | fabs) | max < 1e-6' out)" true
equal "proven: by p" "$(jq -r '[table("changes")[], table("presence")[]] | map((.p <= 0.01) == (.proven == 1)) | all' out)" true
equal "proven ones first" "$(jq -r 'table("changes") | map(.proven) | . == sort and . == (sort | reverse) or (sort | reverse) == .' out)" true
equal "causes, parts, effects" "$(jq -r 'table("changes") | map(select(.proven == 1).class) | . == sort_by({cause: 0, part: 1, effect: 2}[.])' out)" true
equal "other programs" "$(jq -r '[table("changes")[] | select(.proven == 1 and .class == "cause") | .subject | split(":")[0]] | unique | join(" ")' out)" postgres
equal "what requests took of it comes later" "$(jq -r 'table("changes") | map(select(.proven == 1)) | map(.measure) | index("CPU time") > 0' out)" true
equal "how many" "$(jq -r 'table("comparison")[0] | "\(.a_recordings) \(.b_recordings) \(.false_alarms_percent) \(.permutations) \(.is_exact)"' out)" "6 6 1 924 1"
equal "the smallest p" "$(jq -r 'table("comparison")[0].least_p * 462 | round' out)" 1
equal "recordings" "$(jq -r 'table("recordings") | map("\(.side)\(.path)") | join(" ")' out)" "$(echo Aold/{0..5} Bnew/{0..5})"
equal "durations" "$(jq -r 'table("recordings") | map(.duration_ns > 3.9e8 and .duration_ns < 4.1e8 and .lost_events == 0) | all' out)" true
jq 'del(.tables[3])' out >all
# The same from the baseline, of one side or both, and in the other direction.
run 0 compare --json --a old.baseline --b 'new/*' --no-store
equal "a baseline" "$(jq 'del(.tables[3])' out | cmp - all && echo same)" same
equal "where it is from" "$(jq -r 'table("recordings") | map(.baseline) | unique | join(" ")' out)" " old.baseline"
run 0 compare --json --a old.baseline --b new.baseline
equal "two baselines" "$(jq 'del(.tables[3])' out | cmp - all && echo same)" same
run 0 compare --a old.baseline --b new.baseline
equal "the text of two baselines" "$(cmp out text && echo same)" same
run 0 baseline check old.baseline 'new/*' --no-store
equal "check" "$(cmp out text && echo same)" same
run 0 compare --a new.baseline --b old.baseline --json
equal "less" "$(jq -r 'table("changes")[0] | "\(.subject) \(.measure) \(.change_percent < -13 and .change_percent > -20 and .certain_percent == .high_percent)"' out)" "postgres user time per call true"
# A baseline is all that was measured: what is made of it is the same.
run 0 baseline make -q -o again.baseline old.baseline
equal "made of a baseline" "$(cmp again.baseline old.baseline && echo same)" same
run 0 baseline make --no-store -q -o half.baseline 'old/[012]'
run 0 baseline make --no-store -q -o rest.baseline 'old/[345]'
run 0 compare --json --a '[hr][ae][ls]*.baseline' --b new.baseline
equal "in two parts" "$(jq 'del(.tables[3])' out | cmp - all && echo same)" same
run 0 compare --format csv --a old.baseline --b new.baseline
equal "as CSV" "$(sed -n 2p out | cut -d, -f 1-3)" "CPU,postgres,user time per call"
run 0 compare --format csv --a old.baseline --b new.baseline -o tables/
equal "each in a file" "$(cd tables && echo *)" "changes.csv comparison.csv presence.csv recordings.csv"

run 0 compare --json --a old.baseline --b call.baseline
equal "a system call" "$(jq -r 'table("changes")[0] | "\(.kind) \(.subject) \(.proven)"' out)" "system call app: sendto 1"

# ---- Nothing was changed ----

run 0 compare --a old.baseline --b same.baseline
text out '^No difference that chance does not explain' "nothing"
flat
text flat 'a change of [0-9.]+ % or more would have been found' "what would have been found"
no_text out '^Changed' "nothing has changed"
run 0 compare --json --a old.baseline --b same.baseline
equal "no finding" "$(jq -r '[table("changes")[], table("presence")[]] | map(.proven) | add' out)" 0
equal "but all measures" "$(jq -r 'table("changes") | length > 80' out)" true

# ---- What appeared, and what disappeared ----

run 0 compare --a old.baseline --b more.baseline
text out '^Appeared and disappeared' "there is something new"
text out '^program +vacuum +0 +6 +appeared' "a program"
run 0 compare --a more.baseline --b old.baseline
text out '^program +vacuum +6 +0 +disappeared' "the other way round"

# ---- Too few ----

run 0 compare --a old/0 --b new/0 --no-store
flat
text flat '^.*With one recording each it is not known how much recordings of the same work differ' "one each"
text flat '5 recordings each are enough' "how many are enough"
text out '^Not proven: the largest differences' "what differs"
no_text out '^Different|^Changed|Certain' "nothing is claimed"
run 0 compare --a old/0 --b new/0 --no-store --json
equal "nothing is proven" "$(jq -r '[table("changes")[], table("presence")[]] | map(.proven) | add' out)" 0
equal "no p" "$(jq -r 'table("changes") | map(.p, .low_percent, .certain_percent) | unique' out | tr -d ' \n')" '[null]'
run 0 compare --a 'old/[01]' --b 'new/[012]' --no-store
flat
text flat 'the smallest p that 2 and 3 can give is 0\.1, and 0\.01 is needed' "how small p can be"
text flat 'or 13 of B with the 2 of A' "how many of the other side"
run 0 compare --a 'old/[0-3]' --b 'new/[0-3]' --no-store
flat
text flat 'the smallest p that 4 and 4 can give is 0\.029, and 0\.01 is needed' "four each"
run 0 compare --a 'old/[0-3]' --b 'new/[0-3]' --no-store --false-alarms 5% --json
equal "four each are enough for 5 %" "$(jq -r 'table("changes")[0] | "\(.subject) \(.measure) \(.proven)"' out)" "postgres user time per call 1"
run 0 compare --a 'old/[0-4]' --b 'new/[0-4]' --no-store --json
equal "five each are enough" "$(jq -r 'table("changes")[0] | "\(.subject) \(.measure) \(.proven)"' out)" "postgres user time per call 1"

# ---- For build servers ----

run 1 compare --a old.baseline --b new.baseline --fail-above 5% --junit j.xml
text err 'worse by more than 5 %: CPU: postgres, user time per call: [0-9.]+ % more \(at least [0-9.]+ %\)' "a sentence"
if command -v xmllint >/dev/null; then check "XML" xmllint --noout j.xml; fi
equal "failures" "$(grep -c '<failure' j.xml)" "$(grep -oE 'failures="[0-9]+"' j.xml | tr -dc 0-9)"
text j.xml 'classname="CPU" name="postgres, user time per call">' "the case"
equal "cases" "$(grep -c '<testcase' j.xml)" "$(grep -oE 'tests="[0-9]+"' j.xml | tr -dc 0-9)"
run 0 compare --a old.baseline --b new.baseline --fail-above 30% --junit j.xml
equal "less than 30 %" "$(grep -c '<failure' j.xml)" 0
run 0 compare --a new.baseline --b old.baseline --fail-above 5%
run 0 compare --a old.baseline --b same.baseline --fail-above 0%
run 1 baseline check old.baseline new.baseline --fail-above 5%
run 3 compare --a old/0 --b new/0 --no-store --fail-above 5% --junit j.xml
text err 'too few to rule out chance' "nothing is known"
if command -v xmllint >/dev/null; then check "XML" xmllint --noout j.xml; fi
text j.xml '<error message="1 and 1 recordings are too few' "that is no success"

# ---- What is wrong ----

run 2 compare --a 'old/*'
text err "^meridian: --b is missing" "no other side"
run 2 compare --a old/0 old/1 --b new/0
text err "'old/1' is of no side: put patterns in quotes" "a shell's pattern"
run 2 compare --a old.baseline --b new.baseline --fail-above 5
text err "^meridian: --fail-above: '5' is not a percentage" "no percent"
run 2 compare --a old.baseline --b new.baseline --fail-above -5%
run 2 compare --a old.baseline --b new.baseline --junit j.xml
text err '^meridian: --junit needs --fail-above' "what fails"
run 2 compare --a old.baseline --b new.baseline --false-alarms 0%
run 2 baseline make old/0
text err '^meridian: -o FILE.baseline is missing' "where to"
run 2 baseline make -o old.csv old/0
run 2 baseline check old.baseline new.baseline -o x.baseline
text err 'what a check finds is no baseline' "not that"
run 2 baseline make -o x.baseline
run 2 baseline keep old/0
text err "^meridian: 'keep': make or check is required" "what"
run 2 baseline check old.baseline
run 3 baseline check old/0 new/0
text err 'old/0 is not a baseline' "no baseline"
run 3 compare --a 'nothing/*' --b new.baseline
text err 'no recording of --a can be read' "nothing there"
# What cannot be read is named and left out.
cp -r old some
rm -r some/3/*/kernel/metadata
mkdir some/none
run 0 compare --a 'some/*' --b new.baseline --no-store
text out '^A: 5 recordings, B: 6 recordings' "how many are left"
text err 'left out: .*some/3' "which one is not"
text err 'left out: .*some/none' "and the other one"
run 4 compare --a 'some/*' --b new.baseline --no-store --strict

# Events that were lost may look like a difference.
worlds lossy 600 2 --lost 10%
run 0 baseline make --no-store -o lossy.baseline 'lossy/*' --json
equal "losses" "$(jq -r 'table("recordings") | map(.lost_events > 100) | all' out)" true
run 0 compare --a old.baseline --b lossy.baseline
text err '2 of 8 recordings lost events' "that some did"
run 4 compare --a old.baseline --b lossy.baseline --strict
run 0 compare --a old.baseline --b new.baseline --strict
no_text err 'lost events' "no recording"

# Baselines that are none: no crash, and what is wrong, where.
hostile() { # WHAT SED-EXPRESSION MESSAGE
	sed -E "$2" old.baseline >bad.baseline
	run 3 baseline check bad.baseline new.baseline
	text err "$3" "$1"
	equal "$1: nothing is printed" "$(cat out)" ""
}
hostile "another version" 's/"version":"[^"]*"/"version":"0.9"/' 'bad.baseline.*of meridian 0\.9'
hostile "another format" 's/^\{"meridian_baseline":1/{"meridian_baseline":7/' 'bad.baseline'
hostile "a number that is no measure" 's/"of":\[[0-9]+/"of":[123456/' 'bad.baseline.*there is no such measure'
hostile "a negative number" 's/"of":\[[0-9]+/"of":[-1/' 'there is no such measure'
hostile "no number" 's/"values":\[[^,]*/"values":["x"/' 'must be a number above 0'
hostile "0" 's/"values":\[[^,]*/"values":[0/' 'must be a number above 0'
hostile "one value too many" 's/"values":\[/"values":[1,/' 'other values than measures'
hostile "an unknown class" 's/"class":"effect"/"class":"magic"/' "'magic' is not known"
hostile "class and unit" 's/"unit":"present"/"unit":"ns"/' 'class and unit do not agree'
hostile "no runs" 's/"runs":/"walks":/' 'runs'
head -c 3000 old.baseline >bad.baseline
run 3 baseline check bad.baseline new.baseline
finish
