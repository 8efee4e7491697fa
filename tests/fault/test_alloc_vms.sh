#!/usr/bin/env bash
# Memory fails (alloc.sh): in what is found out of virtual CPUs, from a hypervisor and its guests.
. "$SRC/tests/fault/alloc.sh"
"$CTFGEN" -o "$dir/vcpu" "$SRC/tests/cli/tables/vm.scn" || exit 1
try vcpu "top vm -j1 --table all"
"$KERNELWORLD" -o "$dir/vms" --cpus 1 --tasks 1 --duration 20ms --vms 2 --statedump >/dev/null || exit 1
"$MERIDIAN" sync --save "$dir/vms.sync" "$dir/vms" >/dev/null 2>&1 || exit 1
for args in "top vm -j1 --table all --sync $dir/vms.sync" "path -j1 --host g0 --tid 301 --sync $dir/vms.sync"; do
	try vms "$args"
done
finish
