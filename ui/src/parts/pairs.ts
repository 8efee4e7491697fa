// Colours that 36 pairs can be told apart by: hues around the circle, in three lightnesses.

export const PAIR_COLOURS = Array.from({ length: 36 }, (_, i) => {
	const hue = (i * 137.5) % 360, light = [46, 60, 34][i % 3];
	return `hsl(${Math.round(hue)} 62% ${light}%)`;
});
