// The drawing of relations as the program writes it for Graphviz (src/draw/graph_dot.c), read for the page: boxes in the
// frames of their hosts, and lines with their labels. So both draw the same.

export interface Box { id: string; host: string; lines: string[] }
export interface Link { from: string; to: string; label: string[]; more: string; width: number; colour: string; isAtFrom: boolean; isAtTo: boolean }
export interface Dot { hosts: string[]; boxes: Box[]; links: Link[]; legend: { name: string; colour: string }[] }

/** key=value and key="value", with \" and \\ inside. */
function attributes(text: string): Record<string, string> {
	const all: Record<string, string> = {};
	for (const [, key, quoted, plain] of text.matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^,\]\s;]+))/g)) all[key] = quoted ?? plain;
	return all;
}

/** Graphviz' \n and \l end lines; what else is behind a backslash is itself. */
function linesOf(text: string): string[] {
	const lines = [""];
	for (const [c] of text.matchAll(/\\.|[^\\]/gs)) {
		if (c === "\\n" || c === "\\l") lines.push("");
		else lines[lines.length - 1] += c.length > 1 ? c[1] : c;
	}
	return lines.filter((l, i) => l || i === 0);
}

export function readDot(text: string): Dot {
	const dot: Dot = { hosts: [], boxes: [], links: [], legend: [] };
	let isInHost = false;
	for (const line of text.split("\n").map((l) => l.trim())) {
		const link = /^(t\d+) -> (t\d+) \[(.*)\];$/.exec(line), box = /^(t\d+) \[(.*)\];$/.exec(line);
		if (/^subgraph \w+ \{$/.test(line)) isInHost = true;
		else if (line === "}") isInHost = false;
		else if (isInHost && line.startsWith("label=")) dot.hosts.push(linesOf(attributes(line).label).join(" "));
		else if (link) {
			const of = attributes(link[3]), dir = of.dir ?? "forward";
			dot.links.push({ from: link[1], to: link[2], label: linesOf(of.label ?? ""), more: linesOf(of.tooltip ?? "").join("\n"), width: Number(of.penwidth ?? 1),
				colour: of.color ?? "", isAtFrom: dir === "back" || dir === "both", isAtTo: dir === "forward" || dir === "both" });
		} else if (box) dot.boxes.push({ id: box[1], host: dot.hosts.at(-1) ?? "", lines: linesOf(attributes(box[2]).label ?? "") });
		else if (line.startsWith("label=<"))
			for (const [, colour, name] of line.matchAll(/<font color="(#\w+)"><b>([^<]*)<\/b>/g)) dot.legend.push({ name, colour });
	}
	return dot;
}
