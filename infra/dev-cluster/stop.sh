#!/bin/bash
# Stops what start.sh started, and removes what it made.
set -uo pipefail
. "$(dirname "$0")/env.sh"

stop() {
  for each in "$@"; do [ -f "$PIDS/$each" ] && kill "$(cat "$PIDS/$each")" 2> /dev/null && rm "$PIDS/$each"; done
}
ids() { ctr_ "$1" ls -q 2> /dev/null; }

stop kubelet kube-proxy kube-scheduler kube-controller-manager
sleep 1
for id in $(ids tasks); do ctr_ tasks kill -s 9 "$id"; done > /dev/null 2>&1
sleep 1
for id in $(ids tasks); do ctr_ tasks rm -f "$id"; done > /dev/null 2>&1
for id in $(ids containers); do ctr_ containers rm "$id"; done > /dev/null 2>&1
stop kube-apiserver
sleep 1
stop etcd containerd
sleep 2
awk '{print $2}' /proc/mounts | grep -E "^($STATE|$RUN)/" | sort -r | while read -r mount; do umount -l "$mount"; done
ip netns | awk '/^cni-/ {print $1}' | while read -r each; do ip netns del "$each"; done
ip netns del "$NETNS" 2> /dev/null
ip link del "$LINK" 2> /dev/null
# kubelet sets these for the whole machine.
[ -f "$STATE/sysctl" ] && sysctl -q -p "$STATE/sysctl" 2> /dev/null
rm -rf "$STATE" "$ETCD" "$RUN"
for each in /sys/fs/cgroup/{,*/}kubepods; do
  [ -d "$each" ] && find "$each" -depth -type d -exec rmdir {} \; 2> /dev/null
done
exit 0
