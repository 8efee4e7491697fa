// Tables as they are shown, with tabs, for a spreadsheet: numbers without units, which stand in the heading.

const STEPS: [string, Record<string, number>][] = [
	["ns", { ns: 1, "µs": 1e3, ms: 1e6, s: 1e9 }],
	["B", { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 }],
	["%", { "%": 1 }],
];
const NUMBER = /^([+−-]?[\d,]*\d(?:\.\d+)?)(?: (\S+))?$/;

function textOf(cell: Element): string {
	return (cell as HTMLElement).innerText.trim().replace(/\s+/g, " ");
}

/** "518 ms" as 518000000: of tables that know no exact value of their cells. */
function numberOf(text: string, steps: Record<string, number> | null): string | null {
	const found = NUMBER.exec(text);
	if (!found || (steps ? !(found[2] in steps) : found[2] !== undefined)) return null;
	const value = Number(found[1].replaceAll(",", "").replace("−", "-"));
	return String(steps ? +(value * steps[found[2]]).toPrecision(12) : value);
}

/** The unit in which all of a column are numbers; null: they are texts, "": numbers without one. */
function unitOf(texts: string[]): [string, Record<string, number> | null] | null {
	const there = texts.filter((t) => t !== "" && t !== "-");
	if (!there.length) return null;
	if (there.every((t) => numberOf(t, null) !== null)) return ["", null];
	return STEPS.find(([, steps]) => there.every((t) => numberOf(t, steps) !== null)) ?? null;
}

function ofTable(table: HTMLTableElement): string[] {
	const heads = [...table.querySelectorAll("thead th")], rows = [...table.querySelectorAll("tbody tr")].map((tr) => [...tr.children] as HTMLElement[]);
	const width = Math.max(heads.length, ...rows.map((r) => r.length));
	const columns = Array.from({ length: width }, (_, i) => {
		const cells = rows.map((r) => r[i]), name = heads[i] ? textOf(heads[i]).replace(/ [↑↓]$/, "") : "", isRaw = cells.some((c) => c?.dataset.value !== undefined);
		const texts = cells.map((c) => c ? textOf(c) : ""), unit = isRaw ? null : unitOf(texts);
		const label = isRaw ? (heads[i] as HTMLElement | undefined)?.dataset.unit : unit?.[0];
		return [label ? `${name} (${label})` : name, ...texts.map((text, k) => isRaw ? cells[k]?.dataset.value ?? ""
			: unit && text !== "" && text !== "-" ? numberOf(text, unit[1])! : text === "-" ? "" : text)];
	});
	return Array.from({ length: rows.length + 1 }, (_, k) => columns.map((c) => c[k]).join("\t")).slice(heads.length ? 0 : 1);
}

export function tsvOf(root: Element): string {
	return [...root.querySelectorAll("table")].filter((t) => !t.closest(".uplot")).map((t) => ofTable(t).join("\n")).join("\n\n");
}
