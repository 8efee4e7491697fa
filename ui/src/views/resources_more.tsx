// CPU use of the busiest processes and of one, sectors of disks over time, lives of processes with their page faults.
import { useMemo } from "preact/hooks";
import { useAnswer, useLoaded } from "../api";
import { Card, Cut, Loaded } from "../parts/card";
import { Chart, type Line } from "../parts/chart";
import { coloursOf, shadeOf } from "../parts/pairs";
import { count, percent } from "../numbers";
import { rangeWords, setRange, since, tabled, whole } from "../range";
import { change, go, params } from "../state";
import { GAPS, isUnknown } from "../unknown";
import { loadTasks, type TaskRow } from "../tasks";

const select = (begin: number, end: number) => change(setRange({ begin: begin * 1e9, end: end * 1e9 }), true);

/** A process by its threads, of which the first may have done nothing that was recorded. */
interface Process { id: string; host: string; pid: number; comm: string; key: string; begin: number; end: number }

function processes(rows: TaskRow[]): Process[] {
	const all = new Map<string, Process>(), names = new Map<string, string>();
	for (const t of rows) {
		if (t.isCpu) continue;
		const id = `${t.host}:${t.pid}`;
		if (t.tid === t.pid) names.set(id, t.comm);
		if (t.isKernel) continue;
		const known = all.get(id);
		if (!known) all.set(id, { id, host: t.host, pid: t.pid, comm: t.comm, key: t.key, begin: t.begin, end: t.end });
		else Object.assign(known, { begin: Math.min(known.begin, t.begin), end: Math.max(known.end, t.end), ...(t.tid === t.pid ? { key: t.key } : {}) });
	}
	return [...all.values()].map((p) => ({ ...p, comm: names.get(p.id) ?? p.comm })).sort((a, b) =>
		a.host === b.host ? a.comm.localeCompare(b.comm) : a.host.localeCompare(b.host));
}

const MOST_CURVES = 8;

/** The busiest ones over time, each with all of its threads. */
export function Processes() {
	const tasks = useLoaded("tasks", loadTasks), words = ["top", "cpu", "--bins", "150", ...rangeWords(tabled.value)], answer = useAnswer(words);
	const data = useMemo(() => {
		const rows = answer.data?.tables[0]?.rows ?? [], hosts = rows.filter((r: any) => r.of === "host"), isGap = isUnknown(rows);
		const names = new Map(processes(tasks.data?.rows ?? []).map((p) => [p.id, p.comm]));
		const x = [...new Set<bigint>(hosts.map((r: any) => BigInt(r.begin)))].sort((a, b) => (a < b ? -1 : 1)), at = new Map(x.map((b, i) => [b, i]));
		const gaps = new Set<string>(hosts.filter(isGap).map((r: any) => `${r.host} ${r.begin}`)), all = new Map<string, { host: string; ns: number; values: number[] }>();
		for (const r of rows) {
			const i = at.get(BigInt(r.begin));
			if (r.of !== "thread" || r.tid === null || i === undefined) continue;
			const id = `${r.host}:${r.pid ?? r.tid}`, name = `${r.host} ${names.get(id) ?? r.comm}/${r.pid ?? r.tid}`;
			const one = all.get(name) ?? { host: r.host, ns: 0, values: x.map(() => 0) };
			one.values[i] += Number(r.percent ?? 0);
			one.ns += Number(r.self_ns ?? 0);
			all.set(name, one);
		}
		const largest = [...all].sort((a, b) => b[1].ns - a[1].ns).slice(0, MOST_CURVES), colours = coloursOf(largest.map(([name]) => name));
		return { n: all.size, hasGaps: gaps.size > 0, x: x.map((b) => since(b) / 1e9), lines: largest.map(([name, p]): Line => ({ name, colour: colours.get(name)!,
			values: p.values.map((v, k) => gaps.has(`${p.host} ${x[k]}`) ? null : v) })) };
	}, [answer.data, tasks.data]);
	return (
		<Card title="CPU: the busiest processes, % of one CPU" words={words}>
			<Loaded of={answer}>{() => data.lines.length && data.x.length > 1
				? <><Chart x={data.x} lines={data.lines} format={percent} height={190} onSelect={select} range={tabled.value ?? whole.value} />
					<Cut shown={data.lines.length} all={data.n} which="busiest" things="processes" />
					{data.hasGaps && <div class="note">{GAPS}</div>}</>
				: <div class="note">None in this range.</div>}</Loaded>
		</Card>
	);
}

export function OneProcess() {
	const tasks = useLoaded("tasks", loadTasks), chosen = params.value.proc;
	const [host, pid] = chosen ? [chosen.slice(0, chosen.lastIndexOf(":")), chosen.slice(chosen.lastIndexOf(":") + 1)] : [null, null];
	const words = host && pid ? ["top", "cpu", "--bins", "150", "--pid", pid, "--host", host, ...rangeWords(tabled.value)] : null;
	const answer = useAnswer(words), all = useAnswer(words && host ? ["top", "cpu", "--bins", "150", "--host", host, ...rangeWords(tabled.value)] : null);
	const listed = useMemo(() => processes(tasks.data?.rows ?? []), [tasks.data]);
	const ownName = `${host} ${listed.find((p) => p.id === chosen)?.comm ?? ""}/${pid}`;
	const data = useMemo(() => {
		const hosts = (all.data?.tables[0]?.rows ?? []).filter((r: any) => r.of === "host");
		const sums = new Map<bigint, number>(hosts.map((r: any) => [BigInt(r.begin), 0]));
		let isThere = false;
		for (const r of answer.data?.tables[0]?.rows ?? []) {
			if (r.tid === null) continue;
			sums.set(BigInt(r.begin), (sums.get(BigInt(r.begin)) ?? 0) + Number(r.percent ?? 0));
			isThere = true;
		}
		const isGap = isUnknown(all.data?.tables[0]?.rows ?? []), gaps = new Set<bigint>(hosts.filter(isGap).map((r: any) => BigInt(r.begin)));
		const x = [...sums.keys()].sort((a, b) => (a < b ? -1 : 1));
		const busy = new Map<bigint, number>(hosts.map((r: any) =>
			[BigInt(r.begin), (100 * Number(r.busy_ns ?? 0)) / Number(BigInt(r.end) - BigInt(r.begin))]));
		return { isThere, hasGaps: gaps.size > 0, x: x.map((b) => since(b) / 1e9), lines: [{ name: `all of ${host}`, colour: "sys", fill: "hover", values: x.map((b) => gaps.has(b) ? null : busy.get(b) ?? null) },
			{ name: ownName, colour: coloursOf([ownName]).get(ownName)!, values: x.map((b) => gaps.has(b) ? null : sums.get(b)!) }] as Line[] };
	}, [answer.data, all.data, ownName]);
	return (
		<Card title="CPU: one process and all of its host, % of one CPU" words={words ?? undefined}>
			<select aria-label="process" value={chosen ?? ""} onChange={(e) => change({ proc: e.currentTarget.value }, true)}>
				<option value="">choose a process …</option>
				{/* An address may name one that is not in the list. */}
				{chosen && !listed.some((t) => t.id === chosen) && <option value={chosen}>{host}: {pid}</option>}
				{listed.map((t) => <option key={t.id} value={t.id}>{t.host}: {t.comm}/{t.pid}</option>)}
			</select>
			{words && <Loaded of={answer}>{() => data.isThere && data.x.length > 1
				? <><Chart x={data.x} lines={data.lines} format={percent} height={150} onSelect={select} range={tabled.value ?? whole.value} />
					{data.hasGaps && <div class="note">{GAPS}</div>}</>
				: <div class="note">It used no CPU in this range.</div>}</Loaded>}
		</Card>
	);
}

const MOST_REQUESTS = 5000;

/** Of "HOST DISK disk write" and the like: the disk's colour, as its curves have it, in a shade for each kind. */
export function useDiskColours(isWanted: boolean): ((name: string) => string | undefined) | undefined {
	const answer = useAnswer(isWanted ? ["top", "disk", "--bins", "150", ...rangeWords(tabled.value)] : null);
	return useMemo(() => {
		if (!answer.data) return undefined;
		const colours = coloursOf(answer.data.tables[0].rows.map((r: any) => `${r.host} ${r.disk}`));
		return (name) => {
			const disk = [...colours.keys()].find((d) => name.startsWith(`${d} `)), kind = disk && name.slice(disk.length + 1);
			return disk && shadeOf(colours.get(disk)!, Math.max(0, KINDS.indexOf(kind!)));
		};
	}, [answer.data]);
}
const KINDS = ["disk write", "disk read", "disk flush"];

export function Sectors() {
	const words = ["log", "disk", "--limit", String(MOST_REQUESTS), ...rangeWords(tabled.value)];
	const answer = useAnswer(words), colourOf = useDiskColours(true);
	const data = useMemo(() => {
		const rows = answer.data?.tables[0]?.rows ?? [], own = coloursOf(rows.map((r: any) => `${r.host} ${r.disk} ${r.name}`)), nameOf = (r: any) => `${r.host} ${r.disk} ${r.name}`;
		const names = [...new Set<string>(rows.map(nameOf))].sort();
		return { x: rows.map((r: any) => since(r.begin) / 1e9), lines: names.map((name): Line => ({ name, isPoints: true, colour: colourOf?.(name) ?? own.get(name)!,
			values: rows.map((r: any) => nameOf(r) === name && r.sector !== null ? Number(r.sector) : null) })) };
	}, [answer.data, colourOf]);
	return (
		<Card title="Disks: sectors of requests over time" words={words}>
			<Loaded of={answer}>{() => data.x.length
				? <><Chart x={data.x} lines={data.lines} format={(v) => count(Math.round(v))} height={170} onSelect={select} range={tabled.value ?? whole.value} />
					{data.x.length >= MOST_REQUESTS && <div class="note">The first {count(MOST_REQUESTS)} requests of this range are shown: select a shorter one to see others.</div>}</>
				: <div class="note">No disk requests in this range.</div>}</Loaded>
		</Card>
	);
}

const LINE = 16, AXIS = 18, MOST_LIVES = 60, NAMES = 200, WIDTH = 1100, LETTER = 6;

/** Round times in a range, about so many. */
function timesIn(range: { begin: number; end: number }, n: number): number[] {
	const least = (range.end - range.begin) / n, ten = 10 ** Math.floor(Math.log10(least));
	const step = [1, 2, 5, 10].map((k) => k * ten).find((s) => s >= least)!;
	const all: number[] = [];
	for (let t = Math.ceil(range.begin / step) * step; t <= range.end; t += step) all.push(t);
	return all;
}

function Axis({ range, x, height }: { range: { begin: number; end: number }; x: (t: number) => number; height: number }) {
	return <g id="lives-axis">{timesIn(range, 8).map((t) => {
		const label = `${+(t / 1e9).toFixed(6)} s`;
		return <>
			<rect x={x(t)} y={AXIS - 4} width="1" height={height - AXIS + 4} fill="var(--line)" />
			<text x={Math.min(x(t), WIDTH - LETTER * label.length)} y={AXIS - 6} font-size="11" fill="var(--muted)">{label}</text>
		</>;
	})}</g>;
}

/** All faults, as one bin for each pixel has them: of a million none is left out. */
export function Lives() {
	const tasks = useLoaded("tasks", loadTasks), words = ["top", "faults", "--bins", String(WIDTH - NAMES), "--limit", "0", ...rangeWords(tabled.value)];
	const faults = useAnswer(words), end = whole.value.end;
	const range = tabled.value ?? { begin: 0, end };
	const x = (t: number) => NAMES + ((WIDTH - NAMES) * (Math.min(Math.max(t, range.begin), range.end) - range.begin)) / (range.end - range.begin);
	const all = processes(tasks.data?.rows ?? []).filter((t) => t.begin < range.end && t.end > range.begin)
		.sort((a, b) => a.begin - b.begin || b.end - a.end);
	// Those that began or ended in the range say more than those that were there all the time.
	const inOrder = [...all.filter((t) => t.begin > 0 || t.end < end), ...all.filter((t) => t.begin <= 0 && t.end >= end)];
	const seen = params.value.lives === "all" ? inOrder : inOrder.slice(0, MOST_LIVES), height = AXIS + seen.length * LINE + 4;
	const at = new Map(seen.map((t, i) => [t.id, i]));
	// Threads of a process add up.
	const ticks = new Map<string, { i: number; t: number; minor: number; major: number }>();
	for (const f of faults.data?.tables[0]?.rows ?? []) {
		const i = f.tid === null ? undefined : at.get(`${f.host}:${f.pid}`), t = Math.floor(x(since(f.begin)));
		if (i === undefined) continue;
		const key = `${i} ${t}`, tick = ticks.get(key) ?? ticks.set(key, { i, t, minor: 0, major: 0 }).get(key)!;
		tick.minor += Number(f.minor) + Number(f.kernel);
		tick.major += Number(f.major);
	}
	return (
		<Card title="Lives of processes, with their page faults" words={words}>
			<div class="lives">
				<svg class="fall" viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label="lives of processes">
					<Axis range={range} x={x} height={height} />
					{seen.map((t, i) => (
						<g class="link life" onClick={() => go({ v: "timeline", row: t.key })}>
							<text x="0" y={AXIS + i * LINE + 12} font-size="11">{`${t.comm}/${t.pid} `}<tspan class="dim" fill="var(--muted)">{t.host}</tspan></text>
							<rect x={x(t.begin)} y={AXIS + i * LINE + 4} width={Math.max(1, x(t.end) - x(t.begin))} height="9" rx="2" fill="var(--timer)" />
						</g>))}
					{[...ticks.values()].map(({ i, t, minor, major }) => (
						<rect class="faults" data-n={minor + major} x={t} y={AXIS + i * LINE + 3} width="1" height="11" fill={`var(--${major ? "disk" : "sys"})`}>
							<title>{`${count(minor)} minor, ${count(major)} major`}</title></rect>))}
				</svg>
			</div>
			{ticks.size > 0 && <div class="legend"><span><i style={{ background: "var(--sys)" }} />minor page faults</span>
				<span><i style={{ background: "var(--disk)" }} />major page faults among them</span></div>}
			{all.length > MOST_LIVES && <div class="note">{all.length > seen.length && `${count(seen.length)} of ${count(all.length)} processes. `}
				<button class="chip" id="all-lives" onClick={() => change({ lives: all.length > seen.length ? "all" : null }, true)}>
					{all.length > seen.length ? "show all" : `show ${MOST_LIVES}`}</button></div>}
		</Card>
	);
}
