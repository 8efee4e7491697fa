#!/usr/bin/env bash
# What 'make install' puts in place works from there: program, library, header, pkg-config file,
# examples built as a stranger would build them.
set -eu
if [ -n "$SANITIZE" ]; then
	echo "sanitized libraries are not for installing"
	exit 77
fi
dir=$(mktemp -d)
scratch=$(mktemp -d)
trap 'rm -rf "$dir" "$scratch"' EXIT
"$SRC/tools/install" "$BUILD" "$dir" >"$scratch/log"
grep -qx "installed [0-9]* files below $dir" "$scratch/log"
"$dir/bin/meridian" --version | grep -q '^meridian [0-9]'
for shell in bash-completion/completions/meridian zsh/site-functions/_meridian \
	fish/vendor_completions.d/meridian.fish; do
	[ -s "$dir/share/$shell" ]
done
if command -v scdoc >/dev/null; then
	"$dir/bin/meridian" --verbs | while read -r verb _; do
		[ -s "$dir/share/man/man1/meridian-$verb.1" ]
	done
	[ -s "$dir/share/man/man5/meridian-view.5" ]
fi

[ -s "$dir/share/man/man3/mer_session_table.3" ]

doc=$dir/share/doc/meridian
[ -s "$doc/LICENSE" ] && [ -s "$doc/README.md" ] && [ -s "$doc/docs/path.md" ]
# What README.md points to is there, but for what lies in the source only.
sed -n 's/.*](\([^):#]*\)).*/\1/p' "$doc/README.md" | while read -r link; do
	[ -e "$doc/$link" ] || [[ $link = demo/* ]] || { echo "README.md points to $link"; exit 1; }
done
# Nothing of the tests, the fuzzers, the benchmarks or the generators.
find "$dir" -type f | while read -r file; do
	case ${file##*/} in
	*test* | *fuzz* | ctfgen* | *world | world* | *cmocka*)
		echo "installed: $file"
		exit 1
		;;
	esac
done

cflags=-I$dir/include
lib=$(dirname "$(find "$dir" -name libmeridian.a)")
libs="-L$lib -lmeridian"
if command -v pkg-config >/dev/null; then
	export PKG_CONFIG_PATH=$lib/pkgconfig
	cflags=$(pkg-config --cflags meridian)
	libs=$(pkg-config --libs meridian)
fi
# The headers alone, as C and (when there is a compiler) as C++.
printf '#include <meridian/%s.h>\n' meridian session >"$scratch/h.c"
cp "$scratch/h.c" "$scratch/h.cc"
# shellcheck disable=SC2086
cc -std=c11 -pedantic -Wall -Werror $cflags -c "$scratch/h.c" -o "$scratch/h.o"
if command -v c++ >/dev/null; then
	# shellcheck disable=SC2086
	c++ -Wall -Werror $cflags -c "$scratch/h.cc" -o "$scratch/h.o"
fi

for example in "$SRC"/examples/*.c; do
	[ -e "$example" ] || continue
	name=$(basename "$example" .c)
	# shellcheck disable=SC2086
	cc -std=c17 -Wall -Wextra -Werror $cflags "$example" -o "$scratch/$name" $libs
	before=() behind=()
	[ "$name" = table ] && before=(cpu top)
	[ "$name" = ask ] && behind=(-- top cpu)
	LD_LIBRARY_PATH=$lib "$scratch/$name" "${before[@]}" "$SRC/demo/wget-cold-hot" "${behind[@]}" >"$scratch/out"
	[ -s "$scratch/out" ]
done

# Uninstalled, nothing of it is left; what was not ours is.
echo mine >"$dir/share/doc/meridian/mine"
"$SRC/tools/install" --remove "$BUILD" "$dir" >"$scratch/log"
grep -qx "removed [0-9]* files below $dir" "$scratch/log"
[ "$(find "$dir" ! -type d)" = "$dir/share/doc/meridian/mine" ]
[ ! -e "$dir/include/meridian" ] && [ -d "$dir/bin" ]
# And so with DESTDIR, as packages are made.
DESTDIR=$scratch/package "$SRC/tools/install" "$BUILD" /usr >"$scratch/log"
[ -x "$scratch/package/usr/bin/meridian" ]
