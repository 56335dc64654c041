{{/* The name of everything in the release. */}}
{{- define "hivemind.name" -}}
{{- if contains "hivemind" .Release.Name -}}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{- else -}}{{ printf "%s-hivemind" .Release.Name | trunc 52 | trimSuffix "-" }}{{- end -}}
{{- end }}

{{- define "hivemind.selector" -}}
app.kubernetes.io/name: hivemind
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "hivemind.labels" -}}
{{ include "hivemind.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "hivemind.passwordSecret" -}}
{{ .Values.password.existingSecret | default (include "hivemind.name" .) }}
{{- end }}

{{- define "hivemind.claim" -}}
{{ .Values.persistence.existingClaim | default (include "hivemind.name" .) }}
{{- end }}

{{/* The chart's own Redis Cluster. */}}
{{- define "hivemind.redis" -}}
{{ include "hivemind.name" . }}-redis
{{- end }}

{{- define "hivemind.redisSelector" -}}
app.kubernetes.io/name: hivemind-redis
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "hivemind.redisLabels" -}}
{{ include "hivemind.redisSelector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "hivemind.redisImage" -}}
{{ required "images.redis is the image of the store's Redis Cluster: see docs/helm.md" .Values.images.redis }}
{{- end }}

{{- define "hivemind.redisTls" -}}
{{ .Values.store.cluster.tlsSecret | default (printf "%s-tls" (include "hivemind.redis" .)) }}
{{- end }}

{{/* Variables with which redis-member.sh reaches a member. */}}
{{- define "hivemind.redisEnv" -}}
- name: REDISCLI_AUTH
  valueFrom: { secretKeyRef: { name: {{ .Values.store.cluster.passwordSecret | default (include "hivemind.redis" .) }}, key: password } }
- name: TLS
  value: /tls
{{- end }}
