export function TimelineView() { return <div class="pad">timeline</div>; }
