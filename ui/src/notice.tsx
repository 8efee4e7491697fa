// What a click could not do: a line above the view, with the command that can, until something else is looked at.
import { effect, signal } from "@preact/signals";
import { Command } from "./parts/command";
import { params } from "./state";

const notice = signal<{ text: string; words: string[] } | null>(null);
effect(() => {
	params.value;
	notice.value = null;
});

export function tell(text: string, words: string[]) {
	notice.value = { text, words };
}

export function Notice() {
	const now = notice.value;
	if (!now) return null;
	return (
		<div class="notice" role="alert">
			<span>{now.text}</span>
			<Command words={now.words} />
			<button class="text" aria-label="close" onClick={() => { notice.value = null; }}>×</button>
		</div>
	);
}
