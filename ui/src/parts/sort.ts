// How tables are sorted is in the address: "sort=TABLE:COLUMN:up,TABLE:COLUMN:down"; and which long ones show all
// of their rows: "whole=TABLE,TABLE".
import { change, param } from "../state";

export interface Sort { key: string; up: boolean }

function all(): Map<string, Sort> {
	const sorts = new Map<string, Sort>();
	for (const one of (param("sort") ?? "").split(",")) {
		const [table, key, way] = one.split(":");
		if (key) sorts.set(table, { key, up: way === "up" });
	}
	return sorts;
}

/** A table's name in addresses: its own, or that of the command that prints it, and which of its tables it is. */
export function tableName(words: string[] | null, table?: string): string {
	const options = words?.findIndex((w) => w.startsWith("-")) ?? 0;
	return [...(words ?? []).slice(0, options < 0 ? undefined : options), ...(table ? [table] : [])].join("-");
}

export function sortOf(table: string): Sort | null {
	return all().get(table) ?? null;
}

/** A click on a heading: sorts by it, then the other way round, then as the command does. */
export function sortBy(table: string, key: string, startsUp: boolean) {
	const sorts = all(), now = sorts.get(table);
	if (now?.key !== key) sorts.set(table, { key, up: startsUp });
	else if (now.up === startsUp) sorts.set(table, { key, up: !startsUp });
	else sorts.delete(table);
	change({ sort: [...sorts].map(([name, s]) => `${name}:${s.key}:${s.up ? "up" : "down"}`).join(",") });
}

const wholeOnes = () => (param("whole") ?? "").split(",").filter(Boolean);

export const isWhole = (table: string) => wholeOnes().includes(table);

export function turnWhole(table: string) {
	const others = wholeOnes().filter((name) => name !== table);
	change({ whole: (isWhole(table) ? others : [...others, table]).join(",") });
}
