// Two tasks of a host: on which parts of their critical paths they differ, and by how much.
import { useAnswer } from "../api";
import { Card, Loaded } from "../parts/card";
import { rangeWords, tabled } from "../range";
import { change, params } from "../state";
import { Difference } from "./compare_paths";

const BUSIEST = ["top", "cpu", "--table", "top", "--limit", "500"];

interface Task { host: string; tid: number; comm: string }

/** Which two: those of the address, or the busiest of its host and the next one. */
function choose(all: Task[]): { host: string; of: Task[]; a: number; b: number } | null {
	const host = params.value.dh ?? all[0]?.host, of = all.filter((t) => t.host === host);
	const given = (key: string) => params.value[key] ? Number(params.value[key]) : null;
	const a = given("ta") ?? of[0]?.tid, b = given("tb") ?? of.find((t) => t.tid !== a)?.tid;
	return a === undefined || b === undefined ? null : { host, of, a, b };
}

function Select({ name, value, all, onChange }: { name: string; value: string; all: [string, string][]; onChange: (v: string) => void }) {
	return (
		<label>{name} <select aria-label={name} value={value} onChange={(e) => onChange(e.currentTarget.value)}>
			{(all.some(([v]) => v === value) ? all : [[value, value] as [string, string], ...all]).map(([v, text]) =>
				<option value={v} key={v}>{text}</option>)}</select></label>
	);
}

function Two({ all }: { all: Task[] }) {
	const two = choose(all);
	if (!two) return <div class="note">There are no two tasks that used CPU time.</div>;
	const { host, of, a, b } = two, words = ["diff", "--tid", String(a), "--tid-b", String(b), "--host", host, ...rangeWords(tabled.value)];
	const names = of.map((t): [string, string] => [String(t.tid), `${t.comm}/${t.tid}`]);
	return <>
		<div class="view-head">
			<Select name="host" value={host} all={[...new Set(all.map((t) => t.host))].map((h) => [h, h])}
				onChange={(h) => change({ dh: h, ta: null, tb: null }, true)} />
			<Select name="A" value={String(a)} all={names} onChange={(t) => change({ dh: host, ta: t, tb: b }, true)} />
			<Select name="B" value={String(b)} all={names} onChange={(t) => change({ dh: host, ta: a, tb: t }, true)} />
			<button class="chip" onClick={() => change({ dh: host, ta: b, tb: a }, true)}>swap</button>
		</div>
		<Compared words={words} />
	</>;
}

function Compared({ words }: { words: string[] }) {
	const answer = useAnswer(words);
	return <Card title="Why one took longer than the other" words={words}><Loaded of={answer}>{(d) => <Difference answer={d} />}</Loaded></Card>;
}

export function CompareTasks() {
	const busiest = useAnswer(BUSIEST);
	return <Loaded of={busiest}>{(d) => <Two all={d.tables[0].rows.map((r: any) => ({ host: r.host, tid: Number(r.tid), comm: r.comm }))} />}</Loaded>;
}
