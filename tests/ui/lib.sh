# For the scripts of this folder: the page's packages, in the build. Sourced.
set -u
page=$BUILD/ui

# Ends the test as skipped.
skip() {
	echo "skipped: $*"
	exit 77
}
# What is tested is the page; tests/server has the server's answers, sanitized, too.
[ -z "${SANITIZE:-}" ] || skip "the plain build runs it"
# packages: $page has the sources of ui/ and what they are built with; from the registry when the list of
# packages is another than last time.
packages() {
	command -v node >/dev/null && command -v npm >/dev/null || skip "there is no node"
	mkdir -p "$page"
	exec 9>"$page/.lock"
	flock 9
	# What is there already stays: another of these tests may be looking at it.
	local part parts=(.npmrc package.json package-lock.json tsconfig.json build.mjs src)
	for part in "${parts[@]}"; do
		diff -rq "$SRC/ui/$part" "$page/$part" >/dev/null 2>&1 || { rm -rf "${page:?}/$part" && cp -r "$SRC/ui/$part" "$page/"; }
	done
	if ! cmp -s "$page/package-lock.json" "$page/node_modules/.of"; then
		(cd "$page" && timeout 300 npm ci --no-audit --no-fund) >"$page/npm.log" 2>&1 ||
			skip "npm ci failed; is there a registry? $(tail -3 "$page/npm.log")"
		cp "$page/package-lock.json" "$page/node_modules/.of"
	fi
	exec 9>&-
}
# browser: $CHROMIUM is one.
browser() {
	for CHROMIUM in ${CHROMIUM:-chromium chromium-browser google-chrome}; do
		command -v "$CHROMIUM" >/dev/null && break
	done
	CHROMIUM=$(command -v "$CHROMIUM") || skip "there is no chromium (Debian: chromium)"
	export CHROMIUM
}
# recording: $traces is what the page is looked at with.
recording() {
	for traces in "$RECORDINGS/shop-a" "$SRC/demo/shop-a" "$SRC/demo/wget-cold-hot"; do
		[ -d "$traces" ] && return
	done
	skip "there is no recording"
}
# serve: the program's own page of $traces, with $options, at $url, until the script ends.
options=()
serve() {
	local url_file=$page/url.$$
	rm -f "$url_file"
	"$MERIDIAN" serve --listen 127.0.0.1:0 --idle-timeout 2min "${options[@]}" "${traces[@]}" >"$url_file" 2>"$page/serve.$$.log" &
	server=$!
	trap 'kill $server 2>/dev/null' EXIT
	for _ in $(seq 600); do
		url=$(head -1 "$url_file" 2>/dev/null)
		[ -n "$url" ] && rm -f "$url_file" && return
		sleep 0.1
	done
	echo "FAILED: meridian serve printed no address: $(head -3 "$page/serve.$$.log")"
	exit 1
}
