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
