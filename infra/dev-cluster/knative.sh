#!/bin/bash
# CoreDNS, Knative Serving and Kourier on the cluster; ends when all of them are available.
set -euo pipefail
. "$(dirname "$0")/env.sh"

echo '· Starting Knative'
node "$HERE/manifests.ts"
kubectl apply -f "$HERE/manifests/coredns.yaml" > /dev/null
kubectl apply --server-side --force-conflicts -f "$MANIFESTS/1-serving-crds.yaml" > /dev/null
kubectl wait --for=condition=Established crd --all --timeout=60s > /dev/null
for each in serving kourier; do kubectl apply --server-side --force-conflicts -f "$MANIFESTS/$each.yaml" > /dev/null; done
for each in kube-system/coredns kourier-system/3scale-kourier-gateway \
  knative-serving/{webhook,controller,autoscaler,activator,net-kourier-controller}; do
  kubectl -n "${each%/*}" rollout status "deploy/${each#*/}" --timeout=180s > /dev/null
done
# The admission webhook answers a moment after it is available.
admitted() {
  kubectl create --dry-run=server -f - << 'Y'
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: probe, namespace: default}
spec: {template: {spec: {containers: [{image: dev.local/none:1}]}}}
Y
}
retry 60 'The admission webhook of Knative does not answer' admitted
