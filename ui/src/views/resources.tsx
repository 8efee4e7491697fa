export function ResourcesView() { return <div class="pad">resources</div>; }
