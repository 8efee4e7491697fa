#!/usr/bin/env bash
# What 'make install' puts in place works from there: program, library, header, pkg-config file,
# examples built as a stranger would build them.
set -eu
if [ -n "$SANITIZE" ]; then
	echo "sanitized libraries are not for installing"
	exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cmake --install "$BUILD" --prefix "$dir" >"$dir/log"
"$dir/bin/meridian" --version | grep -q '^meridian [0-9]'
for shell in bash-completion/completions/meridian zsh/site-functions/_meridian \
	fish/vendor_completions.d/meridian.fish; do
	[ -s "$dir/share/$shell" ]
done
if command -v scdoc >/dev/null; then
	"$dir/bin/meridian" --verbs | while read -r verb _; do
		[ -s "$dir/share/man/man1/meridian-$verb.1" ]
	done
fi

cflags=-I$dir/include
lib=$(dirname "$(find "$dir" -name libmeridian.a)")
libs="-L$lib -lmeridian"
if command -v pkg-config >/dev/null; then
	export PKG_CONFIG_PATH=$lib/pkgconfig
	cflags=$(pkg-config --cflags meridian)
	libs=$(pkg-config --libs meridian)
fi
# The header alone, as C and (when there is a compiler) as C++.
echo '#include <meridian/meridian.h>' >"$dir/h.c"
cp "$dir/h.c" "$dir/h.cc"
# shellcheck disable=SC2086
cc -std=c11 -pedantic -Wall -Werror $cflags -c "$dir/h.c" -o "$dir/h.o"
if command -v c++ >/dev/null; then
	# shellcheck disable=SC2086
	c++ -Wall -Werror $cflags -c "$dir/h.cc" -o "$dir/h.o"
fi

for traces in "$SRC/demo" "$SRC/../shared/traces/lab"; do
	[ -d "$traces/wget-cold-hot/client" ] && break
done
for example in "$SRC"/examples/*.c; do
	[ -e "$example" ] || continue
	name=$(basename "$example" .c)
	# shellcheck disable=SC2086
	cc -std=c17 -Wall -Wextra -Werror $cflags "$example" -o "$dir/$name" $libs
	[ -d "$traces/wget-cold-hot/client" ] || continue
	LD_LIBRARY_PATH=$lib "$dir/$name" "$traces/wget-cold-hot" >"$dir/out"
	[ -s "$dir/out" ]
done
