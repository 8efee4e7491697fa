// Events with their fields as the command prints them: JSON has numbers in decimal only, the text of the same command
// pointers in hexadecimal and modes in octal, as the trace declares them.
import { useMemo } from "preact/hooks";
import { type Answer, useAnswer, useText } from "../api";

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The same number in the line's base, if it is there under this name. */
function inLine(line: string, key: string, value: number | bigint): string | null {
	const found = new RegExp(`[{,] ${escaped(key)} = (0x[0-9A-Fa-f]+|0[0-7]+)(?=[, ]|$)`).exec(line)?.[1];
	if (!found) return null;
	const number = BigInt(/^0[0-7]/.test(found) ? `0o${found.slice(1)}` : found);
	return number === BigInt.asUintN(64, BigInt(value)) ? found : null;
}

function withBases(event: any, line: string): any {
	const payload = Object.fromEntries(Object.entries(event.payload ?? {}).map(([key, v]) =>
		[key, typeof v === "bigint" || Number.isInteger(v) ? inLine(line, key, v as number) ?? v : v]));
	return { ...event, payload };
}

export function useEvents(words: string[]): Answer<any> {
	const answer = useAnswer(words), text = useText(words);
	const data = useMemo(() => {
		const lines = text.data?.split("\n") ?? [];
		// While one of both is of the question before, numbers are as they are.
		return answer.data && { ...answer.data, events: answer.data.events.map((e: any, i: number) => lines[i] ? withBases(e, lines[i]) : e) };
	}, [answer.data, text.data]);
	return { ...answer, data };
}
