#!/usr/bin/env bash
# The command line: help, usage errors, exit statuses, output that cannot be written, completions
# and manual pages, all held against the tables that the program prints.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC

# expect STATUS COMMAND...: output goes to $dir/out and $dir/err
expect() {
	local want=$1
	shift
	"$@" >"$dir/out" 2>"$dir/err" </dev/null
	local got=$?
	[ "$got" -eq "$want" ] || fail "$*: exit $got, not $want: $(head -3 "$dir/err")"
}
says() { # says out|err TEXT
	grep -qF -- "$2" "$dir/$1" || fail "expected in std$1: $2; got: $(head -3 "$dir/$1")"
}

expect 0 "$m" --self-check
[ -s "$dir/out" ] && cat "$dir/out"

# Help: fits a screen, ends with two examples, and names what the table names.
while IFS=$'\t' read -r verb synopsis; do
	every 5 || continue
	expect 0 "$m" "$verb" --help
	[ -s "$dir/err" ] && fail "$verb --help talks on stderr"
	cp "$dir/out" "$dir/help.$verb"
	expect 0 "$m" help "$verb"
	cmp -s "$dir/out" "$dir/help.$verb" || fail "help $verb and $verb --help differ"
	lines=$(wc -l <"$dir/out")
	((lines >= 12 && lines <= 40)) || fail "$verb --help has $lines lines"
	awk 'length($0) > 79 { exit 1 }' "$dir/out" || fail "$verb --help is too wide"
	tail -5 "$dir/out" | head -1 | grep -q '^Examples:' || fail "$verb: no two examples at the end"
	says out "Usage: meridian $verb${synopsis:+ $synopsis}"

	# The manual page: same synopsis, every option.
	expect 0 "$m" --man "$verb"
	tr -d '\\*_' <"$dir/out" >"$dir/man"
	grep -qxF "meridian $verb${synopsis:+ $(tr -d '*_' <<<"$synopsis")}" "$dir/man" ||
		fail "man page of $verb: other synopsis"
	grep -oE -- '^ +(-.,)? +--[a-z-]+' "$dir/help.$verb" | grep -oE -- '--[a-z-]+' >"$dir/options"
	[ -s "$dir/options" ] || fail "$verb --help shows no options"
	while read -r option; do
		grep -qE -- "^(-[a-zA-Z], )?$option( |\$)" "$dir/man" ||
			fail "man page of $verb lacks $option"
		for shell in bash zsh fish; do
			"$m" completion $shell | grep -qF -- "${option#--}" ||
				fail "completion $shell lacks $option"
		done
	done <"$dir/options"
	if command -v scdoc >/dev/null; then
		"$m" --man "$verb" | scdoc >"$dir/page.1" || fail "scdoc: $verb"
	fi
done < <("$m" --verbs)
expect 0 "$m" --help
says out "Usage: meridian VERB"
[ "$(wc -l <"$dir/out")" -le 40 ] || fail "--help is long"
expect 0 "$m" --version
says out "meridian "
expect 2 "$m" --man nothing
expect 0 "$m" --man meridian-mpi
grep -qF '*meridian-mpi*' "$dir/out" || fail "the page of meridian-mpi: synopsis"
! command -v scdoc >/dev/null || scdoc <"$dir/out" >"$dir/page.1" || fail "scdoc: meridian-mpi"
expect 0 "$m" --man meridian-view
! command -v scdoc >/dev/null || scdoc <"$dir/out" >"$dir/page.5" || fail "scdoc: meridian-view"
grep -q '^meridian-view(5)' "$dir/out" || fail "the page of view files is of section 5"

# Every verb has a file and the other way round.
for f in "$SRC"/src/cli/cmd_*.c "$SRC"/src/cli/*/cmd_*.c "$SRC"/src/ask/*/cmd_*.c; do
	verb=${f##*/cmd_}
	verb=${verb%.c}
	"$m" --verbs | grep -q "^${verb//_/-}"$'\t' || fail "verb $verb is not in verbs.c"
done

# Usage errors say what is wrong and what was perhaps meant.
expect 2 "$m"
expect 2 "$m" inof x
says err "unknown verb 'inof' (did you mean info?)"
expect 2 "$m" frobnicate
says err "unknown verb 'frobnicate'"
grep -q 'did you mean' "$dir/err" && fail "a far-fetched suggestion"
expect 2 "$m" info --cuont x
says err "unknown option --cuont (did you mean --count?)"
says err "Try 'meridian info --help'."
expect 2 "$m" info -Z x
says err "unknown option -Z"
expect 2 "$m" info
expect 2 "$m" version x
expect 2 "$m" layout x
expect 2 "$m" version --begin 1s
says err "option --begin does not apply to 'version'"
expect 2 "$m" --begin 1s version
says err "option --begin does not apply to 'version'"
expect 2 "$m" info --format
says err "option --format needs a value (FORMAT)"
expect 2 "$m" info --format xml x
says err "'xml' is not one of table|json|jsonl|csv"
expect 2 "$m" info --format text x
says err "'text' is not one of"
expect 2 "$m" info --json=yes x
says err "option --json takes no value"
expect 2 "$m" info -j x x
says err "--jobs: 'x' is not a number"
expect 2 "$m" events --cpu 3-1 x
says err "is an empty range"
expect 2 "$m" events --begin yesterday x
says err "--begin: 'yesterday' is not a time"
expect 2 "$m" events --begin 5 x
expect 2 "$m" completion tcsh
says err "is not one of bash|zsh|fish"
expect 0 "$m" info --help --format=json
expect 0 "$m" --color=always help info
grep -q $'\033' "$dir/out" || fail "--color=always: no color"
expect 0 env NO_COLOR=1 "$m" help info
grep -q $'\033' "$dir/out" && fail "colors in a file"

# Options before the verb, and after "--".
expect 0 "$m" -v help -- info
says out "meridian info:"

# Output that does not arrive is an error; a reader who leaves is none.
if [ -e /dev/full ]; then
	"$m" help >/dev/full 2>"$dir/err"
	[ $? -eq 5 ] || fail "full disk: no exit 5"
	says err "cannot write to standard output: No space left on device"
fi
"$m" help >&- 2>"$dir/err"
[ $? -eq 5 ] || fail "closed stdout: no exit 5"
("$m" completion bash; echo $? >"$dir/status") 2>"$dir/err" | true
[ -s "$dir/err" ] && fail "talks when the reader leaves"
case $(cat "$dir/status") in 0 | 141) ;; *) fail "reader left: exit $(cat "$dir/status")" ;; esac

# Completions: bash understands and uses them; the others where their shells are.
"$m" completion bash >"$dir/c.bash"
bash -n "$dir/c.bash" || fail "completion bash: syntax"
complete_bash() { # words...; the last one is being completed
	bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _meridian
		echo "${COMPREPLY[*]}"' _ "$dir/c.bash" "$@"
}
is() { [ "$1" = "$2" ] || fail "completed '$1', not '$2'"; }
is "$(complete_bash meridian ev)" events
is "$(complete_bash meridian info --cou)" --count
is "$(complete_bash meridian info --format js)" "json jsonl"
is "$(complete_bash meridian events --format = te)" text
is "$(complete_bash meridian events --format =)" "text json jsonl csv"
is "$(complete_bash meridian --color al)" always
is "$(complete_bash meridian help lay)" layout
is "$(complete_bash meridian completion f)" fish
mkdir -p "$dir/sub/my trace"
is "$(cd "$dir/sub" && complete_bash meridian info m)" "my trace"
# Values of options, however = is split, by the analysis on the line; analyses and files apart.
is "$(complete_bash meridian events --format=js)" "--format=json --format=jsonl"
is "$(complete_bash meridian sync --method h)" hull
is "$(complete_bash meridian sync --method = o)" offset
is "$(complete_bash meridian latency --sort d)" duration
is "$(complete_bash meridian top cpu --sort runnable_n)" runnable_ns
is "$(complete_bash meridian top cpu --sort = runnable_n)" runnable_ns
is "$(complete_bash meridian top --host a io --table top)" top
is "$(complete_bash meridian top cpu --table proc)" processes
is "$(complete_bash meridian top sched --table proc)" ""
is "$(complete_bash meridian stats syscall --sort ma)" "max_ns max_at"
is "$(complete_bash meridian task --table acc)" accounting
is "$(complete_bash meridian top sy)" syscall
is "$(complete_bash meridian freq po)" poll
is "$(cd "$dir/sub" && complete_bash meridian top '')" "$("$m" top --format csv | tail -n +2 | cut -d, -f1 | tr '\n' ' ' | sed 's/ $//')"
is "$(cd "$dir/sub" && complete_bash meridian top cpu '')" "my trace"
is "$(cd "$dir/sub" && complete_bash meridian top -n 5 --sort comm cpu '')" "my trace"
is "$(cd "$dir/sub" && complete_bash meridian top cpu "my trace" '')" "my trace"
is "$(cd "$dir/sub" && complete_bash meridian stats m)" "my trace mem messages mpi"
is "$(cd "$dir/sub" && complete_bash meridian stats syscall '')" "my trace"
is "$(cd "$dir/sub" && complete_bash meridian events --sync n)" none
if command -v zsh >/dev/null; then
	"$m" completion zsh >"$dir/c.zsh"
	zsh -n "$dir/c.zsh" || fail "completion zsh: syntax"
	# What zsh would offer: its own words for it, asked in a terminal of its own.
	cat >"$dir/ask.zsh" <<'END'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; cd ${(q)2}; autoload -Uz compinit; compinit -u -D; source $1; TERM=dumb"
zpty -w z 'compadd() { builtin compadd -A found "$@"; print -l -- "<$^found>"; builtin compadd "$@" }'
zpty -w z "$3"$'\t'
sleep 1.5
zpty -r -t z out '*'
text=
while zpty -r -t z out; do text+=$out; done
print -r -- $text
END
	complete_zsh() { # the line
		timeout 20 zsh -f "$dir/ask.zsh" "$dir/c.zsh" "$dir/sub" "$1" 2>/dev/null | grep -aoE '<[a-z][a-z_ -]*>' |
			tr -d '<>' | sort -u | tr '\n' ' ' | sed 's/ $//'
	}
	complete_zsh 'meridian top cpu --table proc' >"$dir/zsh"
	if grep -q . "$dir/zsh"; then
		is "$(cat "$dir/zsh")" processes
		is "$(complete_zsh 'meridian top cpu --sort=runnable_n')" runnable_ns
		is "$(complete_zsh 'meridian sync --method h')" hull
		is "$(complete_zsh 'meridian top sy')" syscall
	fi
fi
# Folders are completed after an analysis, where there must be one, and at once where there need not.
"$m" completion fish >"$dir/c.fish"
for verb in top log freq; do
	grep -q "^complete -c meridian -n '__fish_seen_subcommand_from $verb; and __fish_seen_subcommand_from .*complete_directories" \
		"$dir/c.fish" || fail "completion fish: folders of $verb"
done
for verb in stats info path; do
	grep -q "^complete -c meridian -n '__fish_seen_subcommand_from $verb' -a '(__fish_complete_directories)'" "$dir/c.fish" ||
		fail "completion fish: folders of $verb"
done
if command -v fish >/dev/null; then
	"$m" completion fish >"$dir/c.fish"
	fish --no-execute "$dir/c.fish" || fail "completion fish: syntax"
	complete_fish() { # the line
		(cd "$dir/sub" && fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$dir/c.fish" "$1" \
			2>/dev/null | cut -f1 | tr '\n' ' ' | sed 's/ $//')
	}
	is "$(complete_fish 'meridian sync --method h')" hull
	is "$(complete_fish 'meridian top cpu --sort runnable_n')" runnable_ns
	is "$(complete_fish 'meridian top cpu --table proc')" processes
	is "$(complete_fish 'meridian top sy')" syscall
	is "$(complete_fish 'meridian top m')" mem
	is "$(complete_fish 'meridian top cpu m')" 'my trace/'
	is "$(complete_fish 'meridian events --format=js')" '--format=json --format=jsonl'
fi
exit $((failed > 0))
