#!/bin/bash
# Keys and certificates of the cluster, and the kubeconfig of its administrator.
set -euo pipefail
. "$(dirname "$0")/env.sh"
cd "$PKI"

openssl_() { openssl "$@" 2> /dev/null; }
openssl_ ecparam -name prime256v1 -genkey -noout -out ca.key
openssl_ req -x509 -new -key ca.key -subj /CN=dev-cluster -days 3650 -out ca.crt
openssl_ genrsa -out accounts.key 2048
openssl_ rsa -in accounts.key -pubout -out accounts.pub

# certificate NAME SUBJECT [ADDRESSES]
certificate() {
  openssl_ ecparam -name prime256v1 -genkey -noout -out "$1.key"
  openssl_ req -new -key "$1.key" -subj "$2" -out "$1.csr"
  printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\n' "${3:-DNS:$1}" > "$1.ext"
  openssl_ x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 3650 -extfile "$1.ext" -out "$1.crt"
  rm "$1.csr" "$1.ext"
}
names=DNS:localhost,DNS:kubernetes
for suffix in default default.svc default.svc.cluster.local; do names=$names,DNS:kubernetes.$suffix; done
certificate apiserver /CN=kube-apiserver "IP:$NODE_IP,IP:127.0.0.1,IP:10.96.0.1,$names"
certificate admin /O=system:masters/CN=admin
certificate kubelet /CN=node "DNS:node,IP:$NODE_IP"
certificate aggregator /CN=aggregator

encoded() { base64 -w0 "$1"; }
cat > admin.conf << Y
apiVersion: v1
kind: Config
current-context: dev
clusters:
- name: dev
  cluster: {server: "https://$NODE_IP:6443", certificate-authority-data: $(encoded ca.crt)}
users:
- name: admin
  user: {client-certificate-data: $(encoded admin.crt), client-key-data: $(encoded admin.key)}
contexts:
- name: dev
  context: {cluster: dev, user: admin}
Y
chmod 600 ./*.key admin.conf
