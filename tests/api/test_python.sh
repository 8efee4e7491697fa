#!/usr/bin/env bash
# meridian.py with each Python that is there (the system's may have pandas): its tests, what docs/python.md shows, the
# notebook of demo/, and how it is installed.
. "$SRC/tests/cli/lib.sh"
[ -z "$SANITIZE" ] || {
	echo "skipped: a sanitizer's library needs more than python has loaded"
	exit 77
}
export LIBMERIDIAN=$BUILD/libmeridian.so PYTHONPATH=$SRC/python PYTHONDONTWRITEBYTECODE=1 XDG_CACHE_HOME=$dir/cache TZ=UTC
new='import sys; sys.exit(sys.version_info < (3, 11))'
pythons=()
for python in /usr/bin/python3 "$(command -v python3)"; do
	real=$("$python" -c 'import os, sys; print(os.path.realpath(sys.executable))' 2>/dev/null) || continue
	[[ " ${pythons[*]} " = *" $real "* ]] || ! "$real" -c "$new" || pythons+=("$real")
done
[ ${#pythons[@]} -gt 0 ] || {
	echo "skipped: there is no Python 3.11 or later"
	exit 77
}
ends_well() { # WHAT COMMAND...: all that it says if not
	local what=$1
	shift
	if "$@" >"$dir/out" 2>&1; then ok; else fail "$what: $(tail -30 "$dir/out")"; fi
}
code_of() { # NOTEBOOK: its code
	jq -r '.cells[] | select(.cell_type == "code") | .source | if type == "array" then join("") else . end' "$1"
}

seen_pandas=
for python in "${pythons[@]}"; do
	ends_well "$python" "$python" -W error "$SRC/tests/api/python_tests.py"
	check "$python: tests were run" grep -qE '^Ran [2-9][0-9] tests' "$dir/out"
	"$python" -c 'import pandas' 2>/dev/null || continue
	seen_pandas=1
	cd "$SRC" || exit 1
	ends_well "docs/python.md with $python" "$python" -m doctest docs/python.md
	check "docs/python.md has examples" [ "$(grep -c '^>>> ' docs/python.md)" -gt 8 ]
	cd "$SRC/demo" || exit 1
	code_of answers.ipynb >"$dir/notebook.py"
	check "the notebook has code" [ "$(wc -l <"$dir/notebook.py")" -gt 8 ]
	ends_well "demo/answers.ipynb with $python" "$python" "$dir/notebook.py"
done
[ "$seen_pandas" ] || echo "skipped: there is no pandas for docs/python.md and demo/answers.ipynb (Debian: python3-pandas)"
if [ "$seen_pandas" ] && command -v jupyter-nbconvert >/dev/null; then
	ends_well "demo/answers.ipynb in Jupyter" jupyter-nbconvert --to notebook --execute --output-dir "$dir" answers.ipynb
else
	echo "skipped: there is no jupyter-nbconvert for demo/answers.ipynb (Debian: jupyter-nbconvert)"
fi
cd "$dir" || exit 1

# ---- Installed: it finds the library that is installed with it ----

unset LIBMERIDIAN PYTHONPATH
python=${pythons[0]}
version=$("$m" version)
version=${version#meridian }
found='import meridian; print(meridian.__version__, meridian._lib._name)'
check "cmake --install" cmake --install "$BUILD" --component python --prefix "$dir/prefix"
module=$dir/prefix/lib/python3/dist-packages/meridian.py
same "the module that is installed" "$module" "$SRC/python/meridian.py"
for library in "$dir/prefix/lib" "$dir/prefix/lib/$(uname -m)-linux-gnu"; do
	mkdir -p "$library"
	cp "$BUILD/libmeridian.so" "$library/libmeridian.so.1"
	equal "installed" "$(PYTHONPATH=${module%/*} "$python" -c "$found" | sed 's, .*/, ,')" "$version libmeridian.so.1"
	equal "where its library is" "$(PYTHONPATH=${module%/*} "$python" -c "$found" | xargs -n1 realpath -m | tail -1)" "$library/libmeridian.so.1"
	rm "$library/libmeridian.so.1"
done
# Below a prefix where Python looks, it is there: nothing has to be named.
if [ "${pythons[0]}" = "$(realpath /usr/bin/python3)" ]; then
	check "installed for a user" env HOME="$dir/home" cmake --install "$BUILD" --component python --prefix "$dir/home/.local"
	cp "$BUILD/libmeridian.so" "$dir/home/.local/lib/libmeridian.so.1"
	equal "found" "$(HOME=$dir/home /usr/bin/python3 -c "$found" | cut -d' ' -f1)" "$version"
fi

# ---- A wheel ----

can='import setuptools, importlib.util as i; assert i.find_spec("wheel") or i.find_spec("setuptools.command.bdist_wheel"); import pip'
for python in "${pythons[@]}"; do
	"$python" -c "$can" 2>/dev/null && break
done
if "$python" -c "$can" 2>/dev/null; then
	cp -r "$SRC/python" "$dir/source" # it is built in its folder
	ends_well "a wheel" "$python" -m pip wheel --no-index --no-deps --no-build-isolation -w "$dir" "$dir/source"
	ends_well "a wheel installed" "$python" -m pip install --no-index --target "$dir/site" "$dir/meridian-$version-py3-none-any.whl"
	equal "the wheel" "$(cd "$dir/site" && LIBMERIDIAN=$BUILD/libmeridian.so "$python" -c "$found" | cut -d' ' -f1)" "$version"
else
	echo "skipped: no wheel is built without pip and setuptools with wheel (Debian: python3-pip, python3-wheel)"
fi
finish
