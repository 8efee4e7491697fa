#!/usr/bin/env bash
# docs/dev/requirements-matrix.md: every id has exactly one row; a row without test or command says what is open;
# every file and every verb that a page names exists.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
cd "$SRC" || exit 1
matrix=docs/dev/requirements-matrix.md
# Ids of the requirements document: a letter for each section, and how many it has.
for section in 'M 1 12' 'F 1 5' 'P 1 20' 'E 1 13' 'L 1 11' 'T 1 24' 'V 0 21' 'K 1 8' 'N 1 6' 'X 1 7'; do
	read -r letter first last <<<"$section"
	for ((i = first; i <= last; i++)); do
		equal "rows of $letter$i" "$(grep -c "^| $letter$i |" $matrix)" 1
	done
done
equal 'rows without a test, a command or what is open' \
	"$(awk -F ' *\\| *' '/^\| [A-Za-z]/ && $4 == "" && $5 == ""' $matrix)" ''
verbs=" $("$m" --verbs | cut -f1 | tr "\n" " ")"
# Files of the repository by their paths, and tests by their names alone.
for page in README.md ARCHITECTURE.md CONTRIBUTING.md demo/README.md docs/*.md docs/dev/*.md docs/dev/decisions/*.md; do
	while IFS= read -r path; do
		if compgen -G "$path" >/dev/null; then ok; else fail "$page names $path, which does not exist"; fi
	done < <(grep -oE '\b(tests|docs|src|tools|bench|fuzz|examples|include|demo)/[A-Za-z0-9_./*-]*[A-Za-z0-9_*/]' "$page" |
		grep -vE '^(bench/sync_accuracy|bench/kernel|bench/match|bench/serve)$|NAME|FOLDER|LAYER|VERB' | sort -u)
	while IFS= read -r name; do
		if compgen -G "tests/*/$name" >/dev/null; then ok; else fail "$page names $name, which is no test"; fi
	done < <(grep -oE '`test_[a-z0-9_*]+\.(c|sh)' "$page" | tr -d '`' | sort -u)
	while IFS= read -r verb; do
		if [[ $verbs == *" $verb "* ]]; then ok; else fail "$page names meridian $verb, which is no verb"; fi
	done < <(grep -oE '`meridian [a-z]+' "$page" | sed 's/.* //' | sort -u)
done
finish
