// The critical path that is drawn over the rows: of a request, or of a task in the range.
import { computed } from "@preact/signals";
import { type Answer, useAnswer } from "../api";
import { rangeWords, since, tabled, whole } from "../range";
import { isRecorded, params } from "../state";
import { type Path, pathOf } from "../views/path_answer";

export interface Piece { begin: number; end: number; row: string; cause: string; detail: string | null; isInFlight: boolean }

/** The command whose answer is the path; null: none is selected. */
export const pathWords = computed<string[] | null>(() => {
	const p = params.value;
	if (p.req) return isRecorded.value ? null : ["path", "--request", p.req];
	const task = /^t:(.+):(\d+)(?:~\d+)?$/.exec(p.path ?? "");
	if (!task) return null;
	return ["path", "--tid", task[2], "--host", task[1], ...rangeWords(tabled.value ?? whole.value)];
});

export function usePath(): Answer<Path> {
	const answer = useAnswer(pathWords.value);
	return { ...answer, data: answer.data && pathOf(answer.data) };
}

/** Pieces in the order of time; what has no task stays in the row before. */
export function piecesOf(path: Path | null): Piece[] {
	const pieces: Piece[] = [];
	for (const s of path?.segments ?? []) {
		const row = s.tid !== null && s.tid !== undefined && s.host ? `t:${s.host}:${s.tid}` : pieces.at(-1)?.row;
		if (!row) continue;
		pieces.push({ begin: since(s.begin), end: since(s.end), row, cause: s.cause, detail: s.detail,
			isInFlight: !!s.in_flight });
	}
	return pieces;
}
