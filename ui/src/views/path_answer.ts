// A path as the page uses it: what the tables of its answer say, each segment with all that is known of it.
import { rowsOf } from "../api";

export interface Path {
	begin: any; end: any; total_ns: any; in_flight_ns: any; held_ns: any; unresolved_ns: any;
	task: any; segments: any[]; links: any[]; by_cause: any[]; by_task: any[]; by_host: any[]; held_up_by: any[];
}

const known = new WeakMap<object, Path>();

/** With the CPU of a segment, and whether the packet was held back. */
function segmentsOf(answer: any): any[] {
	const all = rowsOf(answer, "segments").map((s) => ({ ...s }));
	for (const table of ["segment_cpus", "segment_packets"])
		for (const { row, ...more } of rowsOf(answer, table)) Object.assign(all[Number(row) - 1] ?? {}, more);
	return all;
}

/** Once for each answer. */
export function pathOf(answer: any): Path {
	const path = known.get(answer) ?? { begin: answer.begin, end: answer.end, ...rowsOf(answer, "path")[0], task: rowsOf(answer, "task")[0],
		segments: segmentsOf(answer), links: rowsOf(answer, "links"), by_cause: rowsOf(answer, "by_cause"),
		by_task: rowsOf(answer, "by_task"), by_host: rowsOf(answer, "by_host"), held_up_by: rowsOf(answer, "held_up_by") };
	known.set(answer, path);
	return path;
}
