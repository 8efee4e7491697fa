export function RequestsView() { return <div class="pad">requests</div>; }
