#!/usr/bin/env bash
# Each code of a diagnostic that the source has is in docs/diagnostics.md, and each one there is in the source.
. "$SRC/tests/cli/lib.sh"

words='"[a-z]+(-[a-z]+)*"'
{
	grep -rhoE '(\.code = |\bcode = |MER_(NOTE|WARNING|ERROR), |report\(diags, |about\(e, stream, )[^;]*' "$SRC/src" \
		--include=*.c | grep -oE "$words"
	grep -rhoE '"(sync|kernel|graph|index|lost|packets|path|folder|file|stream)(-[a-z]+)+"' "$SRC"/src/{trace,sync,kernel,analysis} \
		--include=*.c
} | tr -d '"' | sort -u | grep -vx code >"$dir/source" # a column
grep -E '^\| `' "$SRC/docs/diagnostics.md" | cut -d'|' -f2 | grep -oE '`[a-z-]+`' | tr -d '`' | sort -u >"$dir/described"
same "codes of diagnostics" "$dir/described" "$dir/source"
equal "none twice" "$(grep -E '^\| `' "$SRC/docs/diagnostics.md" | cut -d'|' -f2 | grep -oE '`[a-z-]+`' | sort | uniq -d)" ""
check "there are many" [ "$(wc -l <"$dir/source")" -gt 40 ]
finish
