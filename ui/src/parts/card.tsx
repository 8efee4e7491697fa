// A framed piece of a view: heading, the command that prints it, and what it shows or why not.
import type { ComponentChildren } from "preact";
import type { Answer } from "../api";
import { isReport } from "../report";
import { count } from "../numbers";
import { Command, Downloads } from "./command";
import { Printed } from "./nothing";

export function Card({ title, words, children, class: extra }:
	{ title: string; words?: string[]; children: ComponentChildren; class?: string }) {
	return (
		<section class={`card ${extra ?? ""}`}>
			<header><h2>{title}</h2>{words && <span class="of-card"><Downloads words={words} /><Command words={words} /></span>}</header>
			<Printed.Provider value={words ?? null}>{children}</Printed.Provider>
		</section>
	);
}

/** What an answer gives; until then, or instead, a line that says so. */
export function Loaded<T>({ of, children }: { of: Answer<T>; children: (data: T) => ComponentChildren }) {
	if (of.error && isReport) return <div class="note">{of.error}</div>;
	if (of.error) return <div class="error" role="alert">{of.error}</div>;
	if (of.data === null) return <div class="note">{of.busy ? "reading …" : "nothing to show"}</div>;
	return <div class={of.busy ? "busy" : ""}>{children(of.data)}</div>;
}

/** That something shows a part only; all: how many there are, if that is known. */
export function Cut({ shown, all, which, things }: { shown: number; all: number | null; which: string; things: string }) {
	if (all === null || all <= shown) return null;
	return <div class="note cut-note">The {which} {count(shown)} of {count(all)} {things} are shown.</div>;
}
