// A window above the page: Escape and a click beside it close it.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export function Dialog({ label, close, children }:
	{ label: string; close: () => void; children: ComponentChildren }) {
	const box = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		const before = document.activeElement as HTMLElement | null;
		(box.current!.querySelector("input") ?? box.current!).focus();
		return () => before?.focus?.();
	}, []);
	return (
		<div class="veil" onMouseDown={(e) => e.target === e.currentTarget && close()}
			onKeyDown={(e) => { e.stopPropagation(); if (e.key === "Escape") close(); }}>
			<div class="dialog" role="dialog" aria-modal="true" aria-label={label} tabIndex={-1} ref={box}>
				{children}
			</div>
		</div>
	);
}
