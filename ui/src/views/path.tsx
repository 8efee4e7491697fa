export function PathView() { return <div class="pad">path</div>; }
