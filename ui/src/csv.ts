// CSV of the program, where JSON of the same would be many times as large.
import type { Column } from "./parts/table";

function cellsOf(line: string): string[] {
	const cells: string[] = [];
	for (const match of line.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g)) {
		cells.push(match[1] !== undefined ? match[1].replaceAll('""', '"') : match[2]);
		if (match.index + match[0].length >= line.length && !match[0].endsWith(",")) break;
	}
	return cells;
}

function valueOf(text: string | undefined, type: string): string | number | bigint | null {
	if (text === undefined || text === "") return null;
	if (type === "text") return text;
	return type === "time" ? BigInt(text) : Number(text);
}

export function parseCsv(text: string, columns: Column[]): Record<string, any>[] {
	const lines = text.split("\n").filter(Boolean);
	const head = cellsOf(lines[0] ?? "");
	const types = new Map(columns.map((c) => [c.key, c.type]));
	return lines.slice(1).map((line) => {
		const cells = cellsOf(line);
		return Object.fromEntries(head.map((key, i) => [key, valueOf(cells[i], types.get(key) ?? "text")]));
	});
}
