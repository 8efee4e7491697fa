# Answers of requests, with what is in tables beside others put where it belongs.
def of_each($table; $key): table($table) | group_by(.[$key]) | map({key: (.[0][$key] | tostring), value: .}) | from_entries;
# Of --list: each with its parts and ends.
def requests: of_each("parts"; "id") as $parts | of_each("ends"; "id") as $ends |
	table("requests") | map(. + $ends[.id][0] + {parts: ($parts[.id] // [])});
# Of --explain: groups with their causes, and causes with their culprits.
def groups: of_each("culprits"; "row") as $culprits |
	(table("causes") | to_entries | map(.value + {culprits: ($culprits[.key + 1 | tostring] // [])})) as $causes |
	table("groups") | map(.group as $group | . + {causes: [$causes[] | select(.group == $group)]});
