// Instead of a table without rows: what the program says of it, such as which events were not recorded.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { useText } from "../api";
import { arrows } from "../numbers";

/** The command that prints what is inside of a card. */
export const Printed = createContext<string[] | null>(null);

/** From "No data: ..." or "No requests ..." on; what else it prints is of tables with rows. */
function reasonOf(text: string): string[] {
	const lines = text.split("\n").map((l) => l.trim()), from = lines.findIndex((l) => /^No [a-z]/.test(l));
	if (from < 0) return [];
	const end = lines.findIndex((l, i) => i > from && (!l || /^\(no room|^Left out/.test(l)));
	const said = lines.slice(from, end < 0 ? undefined : end), isCommand = (l: string) => /^(lttng|LD_PRELOAD)/.test(l);
	// Sentences are broken for a terminal; commands stand for themselves.
	return [said.filter((l) => !isCommand(l)).join(" "), ...said.filter(isCommand)];
}

export function Nothing() {
	const words = useContext(Printed), text = useText(words);
	if (words && text.busy) return <div class="note">reading …</div>;
	const [sentence, ...commands] = reasonOf(text.data ?? "");
	return (
		<div class="note nothing">{sentence ? arrows(sentence) : "None in this range."}
			{commands.map((c) => <div class="mono">{c}</div>)}</div>);
}
