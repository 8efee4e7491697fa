// All tasks and CPUs, with their numbers in lanes. A key names one in addresses: "t:web:168" is the
// thread 168 of web ("t:web:168~40" the task 40, where several had that number), "c:web:0" a CPU.
import { parseJson } from "./json";
import { query } from "./api";
import { first } from "./queue";
import { get } from "./report";
import { since } from "./range";
import { isRecorded } from "./state";

export interface TaskRow {
	key: string;
	lane: string; // for api/lanes
	host: string;
	hostNumber: number;
	isCpu: boolean;
	number: number; // of the CPU or task
	tid: number;
	pid: number;
	comm: string;
	name: string; // nginx/158, CPU 0
	process: string | null; // where the thread has another name
	isKernel: boolean;
	isTracer: boolean; // of the tool that recorded
	begin: number;
	end: number;
}

export interface Tasks {
	states: string[];
	causes: (string | null)[];
	hosts: string[];
	rows: TaskRow[];
	byKey: Map<string, TaskRow>;
	/** by number, for what lanes say of CPUs */
	byNumber: Map<string, TaskRow>;
}

function ofCpu(host: string, h: number, cpu: number): TaskRow {
	return { key: `c:${host}:${cpu}`, lane: `c:${h}:${cpu}`, host, hostNumber: h, isCpu: true, number: cpu,
		tid: -1, pid: -1, comm: "", name: `CPU ${cpu}`, process: null, isKernel: false, isTracer: false, begin: 0, end: Infinity };
}

function ofTask(host: string, h: number, t: any, names: Map<number, string>): TaskRow {
	const tid = t.tid ?? -1, pid = t.pid ?? tid, comm = t.comm ?? "?";
	const leader = names.get(pid);
	return { key: `t:${host}:${tid}`, lane: `t:${h}:${t.task}`, host, hostNumber: h, isCpu: false,
		number: t.task, tid, pid, comm, name: `${comm}/${tid}`,
		process: leader && leader !== comm ? leader : null,
		isKernel: !!t.kernel, isTracer: !!t.tracer, begin: since(t.begin), end: since(t.end) };
}

function build(answer: any): Tasks {
	const all: Tasks = { states: answer.states, causes: answer.causes, hosts: [], rows: [],
		byKey: new Map(), byNumber: new Map() };
	answer.hosts.forEach((host: any, h: number) => {
		const names = new Map<number, string>();
		for (const t of host.tasks) if (t.tid === t.pid && t.comm) names.set(t.pid, t.comm);
		all.hosts.push(host.name);
		for (const cpu of host.cpus) all.rows.push(ofCpu(host.name, h, cpu));
		for (const t of host.tasks) {
			const row = ofTask(host.name, h, t, names);
			if (all.byKey.has(row.key)) row.key += `~${t.task}`;
			all.rows.push(row);
			all.byKey.set(row.key, row);
			all.byNumber.set(`${h}:${t.task}`, row);
		}
	});
	for (const row of all.rows) all.byKey.set(row.key, row);
	return all;
}

const loaded = new Map<boolean, Promise<Tasks>>();

export function loadTasks(): Promise<Tasks> {
	let answer = loaded.get(isRecorded.value);
	if (!answer) {
		answer = first(async () => build(parseJson(await (await get(query("api/tasks", []))).text())));
		answer.catch(() => loaded.delete(isRecorded.value));
		loaded.set(isRecorded.value, answer);
	}
	return answer;
}
