export function ClocksView() { return <div class="pad">clocks</div>; }
