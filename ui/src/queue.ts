// In which order questions are put: what is drawn at once; commands while nothing is being drawn and nobody
// moves, few at a time, so that what is out of date can still be given up.

import { signal } from "@preact/signals";

/** Commands are on their way, or wait for their turn. */
export const isAsking = signal(false);

interface Waiting { priority: number; order: number; start: () => void }

const MOST_AT_ONCE = 2, QUIET_MS = 300, NEXT_MS = 100;
const waiting: Waiting[] = [];
let running = 0, drawn = 0, quietAt = 0, timer = 0, order = 0;

function startSome() {
	clearTimeout(timer);
	timer = 0;
	isAsking.value = running > 0 || waiting.length > 0;
	const wait = quietAt - performance.now();
	if (wait > 0 && waiting.length) {
		timer = window.setTimeout(startSome, wait);
		return;
	}
	while (!drawn && running < MOST_AT_ONCE && waiting.length) {
		waiting.sort((a, b) => b.priority - a.priority || a.order - b.order);
		running++;
		waiting.shift()!.start();
	}
}

/** Somebody moves: commands wait until that has rested. */
export function hush() {
	quietAt = performance.now() + QUIET_MS;
	startSome();
}

/** What is drawn: commands wait for it. */
export async function first<T>(work: () => Promise<T>): Promise<T> {
	drawn++;
	try {
		return await work();
	} finally {
		drawn--;
		// What was drawn may show what is to be drawn next.
		quietAt = Math.max(quietAt, performance.now() + NEXT_MS);
		startSome();
	}
}

const given = () => new DOMException("nobody waits for it any more", "AbortError");

/** In its turn; not at all when signal says so before. */
export function inTurn<T>(priority: number, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
	return new Promise((done, failed) => {
		const one: Waiting = { priority, order: order++, start: () => {
			work().then(done, failed).finally(() => { running--; startSome(); });
		} };
		signal?.addEventListener("abort", () => {
			const at = waiting.indexOf(one);
			if (at >= 0) waiting.splice(at, 1);
			failed(given());
			startSome();
		});
		waiting.push(one);
		startSome();
	});
}
