export function RelationsView() { return <div class="pad">relations</div>; }
