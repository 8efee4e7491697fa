// From a request to the timeline that shows it, with its path.
import { ask } from "../api";
import { setRange, setSelected, since, whole } from "../range";
import { go } from "../state";

export async function openRequest(id: string) {
	const path = await ask(["path", "--request", id]);
	const begin = since(path.begin), end = since(path.end);
	const room = Math.max(1e5, 0.06 * (end - begin));
	const view = { begin: Math.max(0, begin - room), end: Math.min(whole.value.end, end + room) };
	go({ v: "timeline", ...setRange(view), ...setSelected({ begin, end }), req: id, path: null, only: "1",
		row: `t:${path.task.host}:${path.task.tid}`, at: null, q: null, tab: null });
}
