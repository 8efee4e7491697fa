// From a request to the timeline that shows it, with its path.
import { ask } from "../api";
import { tell } from "../notice";
import { setRange, setSelected, since, whole } from "../range";
import { isReport } from "../report";
import { go } from "../state";
import { type Path, pathOf } from "./path_answer";

export async function openRequest(id: string) {
	const words = ["path", "--request", id];
	let path: Path;
	try {
		path = pathOf(await ask(words));
	} catch (e) {
		// A report has the paths of some requests only.
		return tell(isReport ? `The path of request ${id} is not in this report. The command prints it, where the traces are.` : (e as Error).message, words);
	}
	const begin = since(path.begin), end = since(path.end);
	const room = Math.max(1e5, 0.06 * (end - begin));
	const view = { begin: Math.max(0, begin - room), end: Math.min(whole.value.end, end + room) };
	go({ v: "timeline", ...setRange(view), ...setSelected({ begin, end }), req: id, path: null, only: "1",
		row: `t:${path.task.host}:${path.task.tid}`, at: null, q: null, tab: null });
}
