#!/bin/bash
# Installs the Debian packages that the cluster is compiled with and runs on, when some are missing.
set -euo pipefail
. "$(dirname "$0")/env.sh"

packages='containerd runc etcd-server containernetworking-plugins iptables conntrack ebtables ethtool socat ipset kmod jq
  openssl patch gcc libc6-dev python3 python3-pip'
# kubectl may be there from elsewhere, which excludes Debian's.
command -v kubectl > /dev/null || packages="$packages kubernetes-client"
missing=$(for each in $packages; do dpkg -s "$each" > /dev/null 2>&1 || echo "$each"; done)
[ -n "$missing" ] || exit 0
echo "· Installing $(echo $missing | tr '\n' ' ')"
{ apt-get update -q && apt-get install -y -q --no-install-recommends $missing; } > "$LOGS/apt.log" 2>&1 ||
  { tail -3 "$LOGS/apt.log" >&2; echo "Install these packages: $missing" >&2; exit 1; }
