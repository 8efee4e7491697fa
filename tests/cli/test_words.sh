#!/usr/bin/env bash
# Words that no text for users may have (CONTRIBUTING.md, "Text for users"): in the strings of the source, in
# the help and manual of every verb, in tables and JSON keys, in README.md and the documentation.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
cd "$SRC" || exit 1
export COLUMNS=80 TZ=UTC XDG_CACHE_HOME=$dir/cache

# One expression a line, and what to say instead. Words of whole texts.
words=(
	'told|asked|asks for|tells?' 'say, show, request'
	'processors?' 'CPU'
	'on the average' 'on average'
	'at most times|at the worst' 'median, worst'
	'of those (that|who|which)|of that [0-9]' 'a sentence with a subject'
	'(one|common) time line|put on (one|that) clock' 'aligned clocks'
	'rows of less' 'smaller rows'
	'(the|its|their) begin' 'start'
	'packets? (on|are on) (its|their) way' 'in flight'
	'(wait|waits|waited) at (a )?futex(es)?' 'on futexes'
	'in sum' 'in total'
	'so many' 'a number, or "this many"'
	'nothing tells|nobody knows' 'unknown'
	'1 (tasks|threads|hosts|events|packets|messages|clocks|periods|times|rows|pairs|calls|requests|CPUs|disks|bytes)' 'the singular'
	'(only|the) 1 [a-z]+s fit' 'the singular'
)
# Words that other words replaced, of the second table of the glossary.
replaced=()
while IFS=$'\t' read -r expression now; do
	replaced+=("${expression//\\|/|}" "$now")
done < <(sed -n '/^| words /,$p' docs/glossary.md | sed -nE 's/^\| `(.*)` \| (.*) \|$/\1\t\2/p')
# In all but prose: a machine is a host.
machines=('machines?' 'host')

# words_of WHAT TEXT [EXPRESSION INSTEAD]...: none of the words is in TEXT
words_of() {
	local what=$1 text=$2 found n=0 any
	shift 2
	any=$(for ((i = 1; i <= $#; i += 2)); do printf '%s\n' "${!i}"; done | paste -sd '|')
	while [ $# -gt 0 ] && grep -qiwE -- "$any" <<<"$text"; do
		if found=$(grep -noiwE -- "$1" <<<"$text"); then
			n=$((n + 1))
			fail "$what: \"$(head -1 <<<"$found" | cut -d: -f2)\": $2: $(grep -iwE -m1 -- "$1" <<<"$text" | cut -c1-150)"
		fi
		shift 2
	done
	[ $n -gt 0 ] || ok
}
# strings FILE: its string literals; those that are joined with the next line's are one
strings() {
	awk '!/^[ \t]*(\/\*|\*|\/\/|#)/ {
		line = $0
		while (match(line, /"([^"\\]|\\.)*"/)) {
			printf "%s", substr(line, RSTART + 1, RLENGTH - 2)
			line = substr(line, RSTART + RLENGTH)
			if (line !~ /^[ \t]*\\?$/) print ""
		}
	}' "$1" | sed 's/\\n/\n/g'
}
for file in src/*/*.[ch] src/*/*/*.[ch] tools/*.[ch]; do
	case $file in
	*_read.c) also=() ;; # understands files of before
	*) also=("${replaced[@]}") ;;
	esac
	words_of "$file" "$(strings "$file")" "${words[@]}" "${machines[@]}" "${also[@]}"
done
words+=("${replaced[@]}")

# Help and manual, with the words of different lines together.
for verb in $("$m" --verbs | cut -f1); do
	words_of "help $verb" "$("$m" "$verb" --help 2>/dev/null | tr -s ' \n' ' ')" "${words[@]}" "${machines[@]}"
	words_of "man $verb" "$("$m" --man "$verb" 2>/dev/null | tr -s ' \n' ' ')" "${words[@]}" "${machines[@]}"
done

words_of "help view" "$("$m" help view | tr -s ' \n' ' ')" "${words[@]}" "${machines[@]}"

# Tables and keys of JSON.
output() {
	local t
	for t in demo/cold-disk demo/lost-events; do
		"$m" summary "$t"
		"$m" info "$t"
		"$m" check "$t"
		"$m" sync "$t"
		"$m" sync --report "$t"
		"$m" latency "$t"
		"$m" stats "$t"
		"$m" graph "$t"
		for verb in path blocked task; do "$m" "$verb" --tid 155,235 "$t"; done
		for analysis in cpu sched poll io net faults syscall irq servers futex; do
			"$m" top "$analysis" --limit 5 "$t"
			"$m" stats "$analysis" --limit 5 "$t"
		done
	done
	for analysis in cpu cpufreq sched poll io net mem faults syscall irq servers futex; do
		"$m" top "$analysis" --table '?'
	done
}
words_of tables "$(output 2>&1 </dev/null)" "${words[@]}" "${machines[@]}"
keys() {
	"$m" sync --json demo/cold-disk
	"$m" path --json --tid 235 demo/cold-disk
	"$m" task --json --tid 235 demo/cold-disk
	"$m" blocked --json --tid 235 demo/cold-disk
	"$m" summary --json demo/cold-disk
	"$m" info --json demo/cold-disk
	"$m" check --json demo/cold-disk
	"$m" graph --json demo/cold-disk
}
words_of keys "$(keys 2>/dev/null | grep -oE '"[a-z_]+":' | tr '_":' ' ' | sort -u)" "${words[@]}" "${machines[@]}"

# Documentation is for people, who have machines. Examples show the tables of above. The glossary and the
# list of differences have words to avoid.
for page in README.md ARCHITECTURE.md CONTRIBUTING.md demo/README.md docs/*.md docs/dev/*.md docs/dev/decisions/*.md; do
	case $page in docs/glossary.md | docs/dev/differences.md) continue ;; esac
	words_of "$page" "$(awk '/^```/ { inside = !inside } !inside' \
		"$page")" "${words[@]}"
done
finish
