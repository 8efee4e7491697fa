// The system call that a task was in at a moment, with its arguments as they were recorded.
import { ask } from "../api";
import { rangeWords, since } from "../range";
import type { TaskRow } from "../tasks";

export interface Call { name: string; ns: number | null; returned: string | null; arguments: string }

/** How long before a wait its call may have begun, mostly: it is looked for in more and more. */
const REACHES = [1e6, 1e8, 1e10];
const MOST_CALLS = 2000, MOST_LETTERS = 300;

function textOf(v: any): string {
	if (v === null || typeof v !== "object") return String(v);
	if (Array.isArray(v)) return `[${v.map(textOf).join(", ")}]`;
	return `{${Object.entries(v).map(([k, x]) => `${k}=${textOf(x)}`).join(", ")}}`;
}

export async function callAt(t: TaskRow, at: number): Promise<Call | null> {
	const who = ["--tid", String(t.tid), "--host", t.host];
	for (const reach of REACHES) {
		const answer = await ask(["log", "syscall", "--all", "--limit", String(MOST_CALLS), ...who, ...rangeWords({ begin: at - reach, end: at + 1 })]);
		const rows: any[] = answer.tables[0]?.rows ?? [], r = rows.at(-1);
		if (!r && at > reach) continue;
		if (!r || rows.length >= MOST_CALLS) return null;
		const begin = since(r.begin), ns = r.duration_ns === null ? null : Number(r.duration_ns);
		if (ns !== null && begin + ns < at) return null;
		// By its time: calls do not say whose they are. Where another CPU made the same one just then, it is not known which.
		const entries = (await ask(["events", "--limit", "2", "--host", t.host, "--filter", `name == "*_${r.name}" && name != "*exit_*"`,
			...rangeWords({ begin, end: begin + 1 })])).events;
		const entry = entries.length === 1 ? entries[0] : null;
		return { name: r.name, ns, returned: r.ret, arguments: Object.entries(entry?.payload ?? {}).map(([k, v]) => `${k}=${textOf(v)}`)
			.join(", ").slice(0, MOST_LETTERS) };
	}
	return null;
}
