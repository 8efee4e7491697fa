export function EventsView() { return <div class="pad">events</div>; }
