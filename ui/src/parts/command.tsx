// The command that prints what stands beside it. A click copies it as a whole.
import { useState } from "preact/hooks";
import { query } from "../api";
import { isReport } from "../report";
import { tsvOf } from "./tsv";
import { commandLine, commandShort } from "../commands";

export async function copy(text: string) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		// Without https on another host there is no clipboard: a selection can be copied anyway.
		const area = document.createElement("textarea");
		area.value = text;
		document.body.append(area);
		area.select();
		document.execCommand("copy");
		area.remove();
	}
}

function CopyIcon() {
	return (
		<svg width="10" height="11" viewBox="0 0 10 11" fill="none" stroke="currentColor" aria-hidden="true">
			<path d="M3.5 2.5h6v8h-6zM6.5 2.5v-2h-6v8h3" />
		</svg>
	);
}

export function Command({ words }: { words: string[] }) {
	const [isCopied, setCopied] = useState(false);
	const line = commandLine(words);
	const onClick = async () => {
		await copy(line);
		setCopied(true);
		setTimeout(() => setCopied(false), 1200);
	};
	return (
		<button class="cmd" title={`${line}\n\nclick: copy`} data-command={line} onClick={onClick}
			aria-label={`copy the command ${line}`}>
			<span>{commandShort(words)}</span>
			<em>{isCopied ? "copied" : <CopyIcon />}</em>
		</button>
	);
}

/** Tables of the card as they are shown, for a spreadsheet. */
function TsvButton() {
	const onClick = (e: MouseEvent) => {
		const card = (e.currentTarget as HTMLElement).closest(".card, .tables")!;
		void copy(tsvOf(card));
	};
	return <button class="text" title="copy what is shown, with tabs: numbers in the unit of the heading" onClick={onClick}>tsv</button>;
}

/** Whether the command draws a picture of what it prints, too. */
function isDrawn(words: string[]) {
	const isPlain = !words.some((w) => /^--(group-by|list|tree|explain|request|cost|table)\b/.test(w));
	const isOverTime = words.some((w) => /^--(bins|interval)\b/.test(w));
	switch (words[0]) {
		case "top": case "requests": return isPlain && isOverTime;
		case "latency": return true;
		default: return false;
	}
}

/** The same as files; the formats that all commands have. */
export function Downloads({ words }: { words: string[] }) {
	if (isReport) return null;
	// No command of api/run.
	if (words[0] === "query") return <span class="downloads"><TsvButton /></span>;
	const name = words.filter((w) => /^[a-z]/.test(w)).slice(0, 2).join("-");
	const link = (format: string, options: string) => (
		<a href={query("api/run", [...words, ...options.split(" ")].map((w) => ["w", w]))} download={`${name}.${format}`}
			title={`what the command prints with ${options}`}>{format}</a>);
	return (
		<span class="downloads">
			<TsvButton />{link("csv", "--format csv")}{link("json", "--format json")}
			{isDrawn(words) && link("svg", "--plot -")}
		</span>);
}
