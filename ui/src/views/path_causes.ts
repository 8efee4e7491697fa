// Where the time of a path went, by cause and by task, as 'meridian path' prints it: waits for the network are
// of four kinds, which say different things, and what packets were in flight is no task's (src/cli/path/path_text.c).

export interface CauseRow { cause: string; name: string; ns: number; percent: number }

const FLIGHT = "network, packets in flight", DELIVERY = "network, packet delivery";
const HELD = "network, packets held back for ARP", LOST = "network, sender not recorded";

function nameOf(segment: any): string {
	return segment.cause !== "network" ? segment.cause : segment.in_flight ? FLIGHT : segment.delivery ? DELIVERY : segment.held ? HELD : LOST;
}

/** "client to server" */
const between = (flight: any): string => flight.detail ?? flight.host ?? "";

/** Time by who it belongs to and by cause; of packets in flight, by the hosts between which they were. */
export interface SharedRow { host: string; tid: number | null; comm: string; isFlight: boolean; cause: string; name: string; ns: number; mostly: string }

export function sharedRows(path: any): SharedRow[] {
	const sums = new Map<string, SharedRow & { detail: Map<string, number> }>();
	for (const s of path.segments) {
		const name = nameOf(s), isFlight = !!s.in_flight, key = isFlight ? between(s) : `${s.host} ${s.tid} ${name}`;
		const row = sums.get(key) ?? { host: isFlight ? between(s) : s.host ?? "", tid: isFlight ? null : s.tid,
			comm: isFlight ? "" : s.tid === null ? "kernel" : s.comm ?? "", isFlight, cause: s.cause, name, ns: 0, mostly: "", detail: new Map() };
		const ns = Number(BigInt(s.end) - BigInt(s.begin));
		row.ns += ns;
		// Segments without a call count as well: most of the time may be none.
		const detail = isFlight ? "" : s.detail ?? (s.state === "user" ? "user mode" : "");
		row.detail.set(detail, (row.detail.get(detail) ?? 0) + ns);
		sums.set(key, row);
	}
	return [...sums.values()].map(({ detail, ...row }) => ({ ...row, mostly: [...detail].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "" }))
		.sort((a, b) => b.ns - a.ns);
}

/** As the program names them in sentences (src/cli/path/path_words.c). */
const IN_WORDS: Record<string, string> = {
	queued: "queued, server busy with others", stolen: "stolen", task: "another task, not followed", input: "user input", ipi: "another CPU", new: "being created",
	mpi: "MPI wait (spinning)", blocked: "wait, end not recorded", unknown: "unknown, events missing",
};

/** "disk, postgres on db": what took most of a path, by the cause and the program, as 'meridian path' has it first. */
export function mostly(path: any): { text: string; ns: number; percent: number }[] {
	const sums = new Map<string, number>(), total = Number(path.total_ns) || 1;
	for (const s of path.segments) {
		const cause = IN_WORDS[s.cause] ?? s.cause, who = s.comm === null ? "" : `${s.cause === "stolen" ? " from" : ","} ${s.comm} on ${s.host}`;
		const text = s.in_flight ? "packets in flight" : cause + who;
		sums.set(text, (sums.get(text) ?? 0) + Number(BigInt(s.end) - BigInt(s.begin)));
	}
	return [...sums].map(([text, ns]) => ({ text, ns, percent: (100 * ns) / total })).sort((a, b) => b.ns - a.ns)
		.filter((r, i) => i < 3 && (i === 0 || r.percent >= 5));
}

/** What is no wait of anybody's. */
const NO_WAIT = new Set(["running", "interrupted"]);

/** The longest stretch in which a task waited: what took longest at once, and where it is seen. */
export function slowestPart(path: any): { segment: any; ns: number } | null {
	let best: { segment: any; ns: number } | null = null;
	for (const segment of path.segments) {
		const ns = Number(BigInt(segment.end) - BigInt(segment.begin));
		if (!segment.in_flight && segment.tid !== null && segment.tid !== undefined && !NO_WAIT.has(segment.cause) && ns > (best?.ns ?? 0)) best = { segment, ns };
	}
	return best;
}

/** Rows of by_task or by_host with the time that is theirs. */
export function ownShares(rows: any[]) {
	const whole = rows.reduce((n, r) => n + Number(r.own_ns), 0) || 1;
	return rows.filter((r) => Number(r.own_ns)).sort((a, b) => Number(b.own_ns) - Number(a.own_ns))
		.map((r) => ({ ...r, comm: r.comm ?? "kernel", percent: (100 * Number(r.own_ns)) / whole }));
}

export function causesOf(path: any): CauseRow[] {
	const whole = Number(path.total_ns) || 1, flight = Number(path.in_flight_ns), held = Number(path.held_ns), lost = Number(path.unresolved_ns);
	return path.by_cause.flatMap((c: any): [string, string, number][] => {
		const ns = Number(c.total_ns);
		return c.cause !== "network" ? [[c.cause, c.cause, ns]] : [
			[c.cause, FLIGHT, flight], [c.cause, DELIVERY, ns - flight - held - lost], [c.cause, HELD, held], [c.cause, LOST, lost]];
	}).filter(([, , ns]: [string, string, number]) => ns > 0)
		.map(([cause, name, ns]: [string, string, number]) => ({ cause, name, ns, percent: (100 * ns) / whole }))
		.sort((a: CauseRow, b: CauseRow) => b.ns - a.ns);
}
