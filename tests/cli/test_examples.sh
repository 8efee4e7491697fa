#!/usr/bin/env bash
# Runs the examples of every verb's help as they stand, in a folder with two traces.
set -u
for traces in "$SRC/demo" "$SRC/../shared/traces/lab"; do
	[ -d "$traces/wget-cold-hot/client" ] && break
done
if [ ! -d "$traces/wget-cold-hot/client" ]; then
	echo "no traces to run the examples on"
	exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
ln -s "$traces/wget-cold-hot/client" client
ln -s "$traces/wget-cold-hot/server" server
mkdir bin
ln -s "$MERIDIAN" bin/meridian
PATH=$dir/bin:$PATH
bad=0
while IFS= read -r example; do
	if [[ $example == *"| jq"* ]] && ! command -v jq >/dev/null; then
		echo "no jq: skipped: $example"
		continue
	fi
	bash -o pipefail -c "$example" >out 2>err </dev/null
	status=$?
	# 141: head has left; 1: what check was asked to look for is so
	case $status in 0 | 141) ;; 1) [[ $example == *" check "* ]] || bad=1 ;; *) bad=1 ;; esac
	case $status in 0 | 1 | 141) ;; *) echo "FAILED ($status): $example: $(head -3 err)" ;; esac
	if [[ $example != *">"* && $example != source* && ! -s out ]]; then
		echo "FAILED: prints nothing: $example"
		bad=1
	fi
done < <(meridian --examples)
exit $bad
