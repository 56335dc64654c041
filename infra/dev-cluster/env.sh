# Names and places that every script of the cluster shares.
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
DIR=${HIVEMIND_CLUSTER_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/hivemind-dev-cluster}
BIN=$DIR/bin STATE=$DIR/state LOGS=$DIR/logs PIDS=$DIR/pids PKI=$DIR/state/pki IMAGES=$DIR/images
MANIFESTS=$DIR/manifests
NETNS=hmdev
LINK=hmdev0
# The node, and the machine as the node sees it.
NODE_IP=172.31.255.1
HOST_IP=172.31.255.254
# Addresses of the pods of that node.
POD_NETWORK=10.244.0.0/24
RUN=/run/$NETNS
SOCKET=$RUN/containerd.sock
# State of etcd is in memory: it need not survive anything.
ETCD=/dev/shm/$NETNS-etcd
mkdir -p "$BIN" "$STATE" "$LOGS" "$PIDS" "$PKI" "$IMAGES" "$MANIFESTS"
export DIR BIN IMAGES MANIFESTS
export PATH=$BIN:$PATH KUBECONFIG=$PKI/admin.conf

# "ip netns exec" would mount /sys anew, and hide the control groups.
inside() { nsenter --net="/run/netns/$NETNS" "$@"; }
ctr_() { ctr -a "$SOCKET" -n k8s.io "$@"; }
is_up() { kubectl get --raw /readyz > /dev/null 2>&1; }

# run NAME COMMAND...: in the namespace, in the background
run() {
  local name=$1
  shift
  setsid nsenter --net="/run/netns/$NETNS" "$@" > "$LOGS/$name.log" 2>&1 < /dev/null &
  echo $! > "$PIDS/$name"
}
start_kubelet() {
  run kubelet kubelet --config="$STATE/kubelet.yaml" --kubeconfig="$KUBECONFIG" --root-dir="$STATE/kubelet" \
    --hostname-override=node --node-ip=$NODE_IP
}

# retry SECONDS WHAT COMMAND...: until it succeeds, or says what did not.
retry() {
  local until=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" > /dev/null 2>&1; do
    if ((SECONDS > until)); then
      echo "$what: not within the time; see the logs in $LOGS." >&2
      return 1
    fi
    sleep 0.5
  done
}
