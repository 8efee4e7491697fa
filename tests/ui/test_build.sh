#!/usr/bin/env bash
# ui/dist is what ui/ makes, bit for bit, and its types are right.
. tests/ui/lib.sh
packages
failed=0
fail() {
	echo "FAILED: $*"
	failed=1
}
(cd "$page" && npx tsc --noEmit) || fail "types"
(cd "$page" && npm run --silent build) || fail "npm run build"
for file in page.html.gz page.policy; do
	cmp "$page/dist/$file" "$SRC/ui/dist/$file" || fail "$file is not of these sources: cd ui && npm ci && npm run build"
done
# Whoever builds it elsewhere has another registry.
! grep -q '"resolved"' "$SRC/ui/package-lock.json" || fail "package-lock.json names a registry"
gzip -dc "$SRC/ui/dist/page.html.gz" | grep -oE '(src|href)="?https?:' && fail "the page loads from elsewhere"
exit $failed
