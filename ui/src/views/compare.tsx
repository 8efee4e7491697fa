export function CompareView() { return <div class="pad">compare</div>; }
