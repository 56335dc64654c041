#!/bin/bash
# The command: up, down, status, can, packages, build, load ARCHIVE, memory QUANTITY.
set -euo pipefail
. "$(dirname "$0")/env.sh"

fail() {
  echo "$*" >&2
  exit 1
}

require() {
  [ "$(id -u)" = 0 ] || fail 'The cluster needs root: network namespaces, mounts and containers are made.'
  [ "$(uname -m)" = x86_64 ] || fail 'The cluster is only known to run on x86-64.'
}

# Whether this machine lets a cluster be started; changes nothing.
can() {
  require
  unshare --net --mount true 2> /dev/null || fail 'The cluster needs namespaces of its own, which this machine does not let it make.'
  [ -w /sys/fs/cgroup ] || fail 'The cluster needs control groups, which this machine does not let it make.'
  bash "$HERE/build.sh" --can
}

up() {
  require
  if ! is_up; then
    bash "$HERE/build.sh"
    node "$HERE/components.ts"
    bash "$HERE/certificates.sh"
    bash "$HERE/configuration.sh"
    bash "$HERE/start.sh"
  fi
  # Its components have changed what was applied; once it stands it is left alone.
  [ -f "$STATE/stands" ] || bash "$HERE/knative.sh"
  touch "$STATE/stands"
  echo "export KUBECONFIG=$KUBECONFIG"
  echo "export PATH=$BIN:\$PATH"
  echo "Services: http://$NODE_IP:31080/"
}

# The node is short of memory as soon as less than so much is available, and puts containers out.
memory() {
  sed -i "s/memory.available: \"[^\"]*\"/memory.available: \"$1\"/" "$STATE/kubelet.yaml"
  local pid
  pid=$(cat "$PIDS/kubelet")
  kill "$pid"
  retry 20 'kubelet does not end' bash -c "! kill -0 $pid"
  start_kubelet
}

case ${1:-} in
  up) up ;;
  down) require && bash "$HERE/stop.sh" ;;
  can) can ;;
  packages) require && bash "$HERE/packages.sh" ;;
  build) require && bash "$HERE/build.sh" ;;
  status) is_up && kubectl get nodes,ksvc -A || fail 'It is down.' ;;
  load) ctr_ images import "${2:?an archive of an image}" > /dev/null ;;
  memory) memory "${2:?how much memory, as 500Mi}" ;;
  *) fail 'Usage: npm run cluster -- up | down | status | can | packages | build | load ARCHIVE | memory QUANTITY' ;;
esac
