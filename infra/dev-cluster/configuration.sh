#!/bin/bash
# Settings of containerd, its network, kubelet and kube-proxy.
set -euo pipefail
. "$(dirname "$0")/env.sh"

mkdir -p "$STATE/cni"
cat > "$STATE/cni/10-bridge.conflist" << Y
{"cniVersion": "0.4.0", "name": "dev", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": true, "hairpinMode": true,
   "ipam": {"type": "host-local", "dataDir": "$STATE/ipam", "ranges": [[{"subnet": "10.244.0.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
Y

# Neither systemd nor a positive score for the out-of-memory killer is to be had in a container.
cat > "$STATE/containerd.toml" << Y
version = 2
root = "$STATE/containerd"
state = "$RUN/containerd"
oom_score = 0
[grpc]
  address = "$SOCKET"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "dev.local/pause:1"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$STATE/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
Y

echo 'nameserver 127.0.0.1' > "$STATE/resolv.conf"
cat > "$STATE/kubelet.yaml" << Y
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $NODE_IP
cgroupDriver: cgroupfs
failSwapOn: false
failCgroupV1: false
oomScoreAdj: 0
containerRuntimeEndpoint: unix://$SOCKET
clusterDNS: ["10.96.0.10"]
clusterDomain: cluster.local
resolvConf: $STATE/resolv.conf
podLogsDir: $STATE/podlogs
tlsCertFile: $PKI/kubelet.crt
tlsPrivateKeyFile: $PKI/kubelet.key
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $PKI/ca.crt}}
authorization: {mode: Webhook}
evictionHard: {memory.available: "100Mi", nodefs.available: "1%", imagefs.available: "1%"}
evictionPressureTransitionPeriod: 5s
imageGCHighThresholdPercent: 100
syncFrequency: 10s
nodeStatusUpdateFrequency: 5s
Y

# What kube-proxy would set of connection tracking is the whole machine's.
cat > "$STATE/kube-proxy.yaml" << Y
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: $PKI/admin.conf}
clusterCIDR: 10.244.0.0/16
hostnameOverride: node
mode: iptables
iptables: {minSyncPeriod: 0s, syncPeriod: 30s}
oomScoreAdj: 0
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
Y
