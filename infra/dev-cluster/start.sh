#!/bin/bash
# Starts the cluster in a network namespace of its own; its node gets ready, and has the images.
set -euo pipefail
. "$(dirname "$0")/env.sh"

rm -f "$STATE/stands"
mkdir -p "$RUN" "$STATE"/{kubelet,podlogs,ipam}
if [ ! -e "/run/netns/$NETNS" ]; then
  ip netns add "$NETNS"
  ip link add "$LINK" type veth peer name eth0 netns "$NETNS"
  ip addr add "$HOST_IP/24" dev "$LINK"
  ip link set "$LINK" up
  inside ip link set lo up
  inside ip addr add "$NODE_IP/24" dev eth0
  inside ip link set eth0 up
  inside ip route add default via "$HOST_IP"
  inside sysctl -qw net.ipv4.ip_forward=1
fi

# What kubelet changes of the whole machine, to be put back.
sysctl kernel.panic kernel.panic_on_oops vm.overcommit_memory > "$STATE/sysctl"

echo '· Starting Kubernetes'
rm -rf "$ETCD"
run etcd etcd --data-dir "$ETCD" --log-level warn \
  --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380
run containerd containerd -c "$STATE/containerd.toml"
run kube-apiserver kube-apiserver --etcd-servers=http://127.0.0.1:2379 \
  --bind-address=0.0.0.0 --advertise-address=$NODE_IP --secure-port=6443 \
  --service-cluster-ip-range=10.96.0.0/16 --service-node-port-range=30000-32767 \
  --authorization-mode=Node,RBAC --allow-privileged=true --client-ca-file="$PKI/ca.crt" \
  --tls-cert-file="$PKI/apiserver.crt" --tls-private-key-file="$PKI/apiserver.key" \
  --kubelet-client-certificate="$PKI/admin.crt" --kubelet-client-key="$PKI/admin.key" --kubelet-preferred-address-types=InternalIP \
  --service-account-issuer=https://kubernetes.default.svc.cluster.local \
  --service-account-key-file="$PKI/accounts.pub" --service-account-signing-key-file="$PKI/accounts.key" \
  --requestheader-client-ca-file="$PKI/ca.crt" --requestheader-allowed-names=aggregator \
  --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group \
  --requestheader-extra-headers-prefix=X-Remote-Extra- \
  --proxy-client-cert-file="$PKI/aggregator.crt" --proxy-client-key-file="$PKI/aggregator.key"
retry 120 'The API server does not answer' is_up
run kube-controller-manager kube-controller-manager --kubeconfig="$KUBECONFIG" --leader-elect=false \
  --cluster-cidr=10.244.0.0/16 --allocate-node-cidrs=true --use-service-account-credentials=true \
  --service-account-private-key-file="$PKI/accounts.key" --root-ca-file="$PKI/ca.crt" \
  --cluster-signing-cert-file="$PKI/ca.crt" --cluster-signing-key-file="$PKI/ca.key"
run kube-scheduler kube-scheduler --kubeconfig="$KUBECONFIG" --leader-elect=false
start_kubelet
run kube-proxy kube-proxy --config="$STATE/kube-proxy.yaml"
retry 30 'containerd does not answer' ctr_ version
for archive in "$IMAGES"/*.tar; do ctr_ images import "$archive" > /dev/null; done
node_ready() { kubectl get node node | grep -q ' Ready'; }
retry 120 'The node does not get ready' node_ready
# Pods at their own addresses, as from a machine of the cluster.
ip route replace "$POD_NETWORK" via "$NODE_IP" dev "$LINK"
