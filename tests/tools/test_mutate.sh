#!/usr/bin/env bash
# tools/mutate, on a project of one function that is tested, one that is not, and one of which a change has no
# effect. And: what tools/mutants.tsv lists is in the source.
. "$SRC/tests/cli/lib.sh" || exit 1 # run by ctest, which sets SRC
plain_only
for tool in python3 git cmake ninja; do
	command -v $tool >/dev/null || {
		echo "skipped: there is no $tool"
		exit 77
	}
done
equal "the list of changes without effect" "$("$SRC/tools/mutate" --check | grep -v 'are in the source$')" ""
equal "layers of src/ in which places are drawn" \
	"$("$SRC/tools/mutate" --list --count 60 | sed -n 's/^ *[0-9]*  src\/\([^\/]*\).*/\1/p' | sort -u)" "$(cd "$SRC/src" && printf '%s\n' */ | tr -d / | sort)"

toy=$dir/toy
mkdir -p "$toy/src/base" "$toy/src/top" "$toy/tests/base" "$toy/tools" "$dir/home"
export HOME=$dir/home
cp "$SRC/tools/mutate" "$toy/tools/"
echo 'n = split("base top", names, " ")' >"$toy/tools/check-layers"
cat >"$toy/src/base/toy.c" <<-'END'
	/* 1 + 1 in a comment */
	int toy_tested(int a);
	int toy_untested(int a);
	const char *toy_text(void);

	int toy_tested(int a)
	{
		return a < 3;
	}

	const char *toy_text(void)
	{
		return "2 < 3 && 4";
	}
END
cat >"$toy/src/top/more.c" <<-'END'
	int toy_untested(int a);
	int toy_untested(int a)
	{
		return a * 2;
	}
END
cat >"$toy/src/top/sum.c" <<-'END'
	#include <stdlib.h>
	int toy_sum(int n);
	int toy_less(int a, int b);
	int toy_sum(int n)
	{
		char *p = calloc((size_t)n, 1);
		int sum = 0;
		for (int i = 0; i < n; i++)
			sum |= p[i] & 1 ? i : 0;
		free(p);
		return sum;
	}

	int toy_less(int a, int b)
	{
		return a < b ? a : b;
	}
END
cat >"$toy/tests/base/test_sum.c" <<-'END'
	int toy_sum(int n);
	int toy_less(int a, int b);
	int main(void)
	{
		return toy_sum(16) || toy_less(1, 2) != 1 || toy_less(2, 1) != 1;
	}
END
cat >"$toy/tests/base/test_toy.c" <<-'END'
	int toy_tested(int a);
	int main(void)
	{
		return !(toy_tested(2) == 1 && toy_tested(3) == 0);
	}
END
cat >"$toy/CMakeLists.txt" <<-'END'
	cmake_minimum_required(VERSION 3.22)
	project(toy C)
	enable_testing()
	if(MER_SANITIZE)
		add_compile_options(-fsanitize=${MER_SANITIZE} -fno-sanitize-recover=all)
		add_link_options(-fsanitize=${MER_SANITIZE})
	endif()
	add_library(meridian_objects OBJECT src/base/toy.c src/top/more.c src/top/sum.c)
	add_library(toy STATIC)
	target_link_libraries(toy PRIVATE meridian_objects)
	foreach(name toy sum)
		add_executable(base_test_${name} tests/base/test_${name}.c)
		target_link_libraries(base_test_${name} PRIVATE toy)
		add_test(NAME base.${name} COMMAND base_test_${name})
		set_tests_properties(base.${name} PROPERTIES LABELS base)
	endforeach()
	foreach(name meridian ctfgen clockworld kernelworld)
		add_custom_target(${name} DEPENDS toy)
	endforeach()
	add_custom_target(test_programs DEPENDS base_test_toy base_test_sum)
END
git -C "$toy" init -q
mutate() { "$toy/tools/mutate" --jobs 1 "$@" >"$dir/out" 2>"$dir/err"; }

# Sites: not in comments, texts and declarations; each with what it becomes.
mutate --list --site toy.c --site more.c
equal "sites" "$(sed -E 's/^ *[0-9]+ +//; s/  +.*( -> .*)  +.*/\1/' "$dir/out" | cut -d' ' -f1 | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
	" 4 src/base/toy.c:8; 3 src/top/more.c:4;" || cat "$dir/out"
# Of two the lesser: for equal ones it is all one which is taken.
mutate --list --site sum.c:16
equal "the lesser of two" "$(sed -E 's/^ *[0-9]+ +[^ ]+ +//; s/  +.*//' "$dir/out" | tr '\n' ';')" \
	"a < b ? a : b -> (a < b ? a : b) +;< -> >=;"
mutate --list --count 4 --seed 3
cp "$dir/out" "$dir/first"
mutate --list --count 4 --seed 3
same "the same seed, the same places" "$dir/first" "$dir/out"
equal "as many in each layer" "$(grep -c src/base/ "$dir/out") $(grep -c src/top/ "$dir/out")" "2 2"

# What is tested is caught, the rest survives.
mutate --site toy.c:8
text "$dir/out" 'toy.c:8 +< -> >= +caught by base.toy' 'a changed operator'
text "$dir/out" 'toy.c:8 +3 -> 4 +caught by base.toy' 'a changed constant'
text "$dir/out" '0 survived' 'all are caught'
# What only a sanitized build sees.
mutate --site sum.c:8
text "$dir/out" 'sum.c:8 +< -> <= +caught by base.sum, sanitized' 'an element too many'
mutate --site sum.c:8 --plain
text "$dir/out" 'sum.c:8 +< -> <= +survived' 'an element too many, without it'
mutate --site more.c
equal "exit with survivors" $? 1
text "$dir/out" 'more.c:4 +\* -> / +survived: no test runs the line' 'an operator that nothing tests'
text "$dir/out" '^survived: src/top/more.c:4' 'survivors are listed'
text "$dir/out" '0 of 3 caught, 0 %' 'the rate'
# A second time nothing is tried again.
: >"$toy/build/mutate/logs/build"
mutate --site more.c
text "$dir/out" 'survived' 'as before'
# Those that have no effect are left out of the rate.
printf 'src/top/more.c\treturn a * 2;\t* -> /\tof a toy\n' >"$toy/tools/mutants.tsv"
mutate --check
equal "a list that is right" $? 0
mutate --site more.c
text "$dir/out" 'equivalent: of a toy' 'the reason'
text "$dir/out" '2 survived, 1 equivalent; 0 of 2 caught' 'left out'
printf 'src/top/more.c\treturn a * 3;\t* -> /\tof a toy\nsrc/x.c\t1\t2\t3\nno tabs\n' >"$toy/tools/mutants.tsv"
mutate --check
equal "a list that is wrong" $? 1
equal "what is wrong" "$(wc -l <"$dir/out")" 3
mutate --layer nowhere
equal "a layer that is not there" $? 2
# The source is as it was.
equal "the project is untouched" "$(git -C "$toy" status --short src | grep -cv '^??')" 0
finish
