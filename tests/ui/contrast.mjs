// Is every text read well enough on what is behind it (WCAG 2 AA: 4.5, large ones 3)?

export function lowContrast() {
	const parse = (text) => {
		const m = /rgba?\(([\d.]+)[, ]+([\d.]+)[, ]+([\d.]+)(?:[,/ ]+([\d.]+))?\)/.exec(text);
		return m ? { rgb: [m[1], m[2], m[3]].map(Number), a: m[4] === undefined ? 1 : Number(m[4]) } : { rgb: [0, 0, 0], a: 0 };
	};
	const over = (top, below) => top.rgb.map((v, i) => v * top.a + below[i] * (1 - top.a));
	const luminance = (rgb) => {
		const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const behind = (e) => {
		const layers = [];
		for (let x = e; x; x = x.parentElement) layers.push(parse(getComputedStyle(x).backgroundColor));
		return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
	};
	const found = new Set();
	for (const e of document.querySelectorAll("#app *")) {
		const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
		if (!own || !e.getClientRects().length || e.closest("svg, canvas, .tip, option")) continue;
		const style = getComputedStyle(e);
		if (Number(style.opacity) === 0 || e.closest(".downloads")) continue;
		const below = behind(e), text = over(parse(style.color), below);
		const [a, b] = [luminance(text), luminance(below)].sort((x, y) => y - x);
		const ratio = (a + 0.05) / (b + 0.05), size = parseFloat(style.fontSize);
		if (ratio < (size >= 24 ? 3 : 4.5)) found.add(`${e.tagName}.${e.className} '${e.textContent.trim().slice(0, 20)}' ${ratio.toFixed(2)}`);
	}
	return [...found];
}
