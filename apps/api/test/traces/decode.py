"""Reads OTLP requests in JSON, one a line, by OpenTelemetry's own definitions, and prints their spans as JSON.

With a traceparent as argument it also starts a span of OpenTelemetry's SDK there, as task code may, and prints that one last.
"""

import base64
import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

# OTLP has these in hexadecimal, where JSON of protobuf has base64.
IDS = ('traceId', 'spanId', 'parentSpanId')


def as_protobuf(value):
    if isinstance(value, list):
        return [as_protobuf(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64encode(bytes.fromhex(each)).decode() if key in IDS else as_protobuf(each)
        for key, each in value.items()
    }


def values(attributes):
    return {each.key: getattr(each.value, each.value.WhichOneof('value')) for each in attributes}


spans = []
for line in sys.stdin:
    # An unknown field, or a value of another type, is an error.
    request = json_format.ParseDict(as_protobuf(json.loads(line)), ExportTraceServiceRequest())
    request = ExportTraceServiceRequest.FromString(request.SerializeToString())
    for resource_spans in request.resource_spans:
        for scope_spans in resource_spans.scope_spans:
            for span in scope_spans.spans:
                spans.append({
                    'trace': span.trace_id.hex(),
                    'id': span.span_id.hex(),
                    'parent': span.parent_span_id.hex(),
                    'name': span.name,
                    'kind': span.kind,
                    'start': span.start_time_unix_nano / 1e6,
                    'end': span.end_time_unix_nano / 1e6,
                    'status': span.status.code,
                    'message': span.status.message,
                    'events': [event.name for event in span.events],
                    'attributes': values(span.attributes),
                    'resource': values(resource_spans.resource.attributes),
                })

for traceparent in sys.argv[1:]:
    context = TraceContextTextMapPropagator().extract({'traceparent': traceparent})
    own = TracerProvider().get_tracer('task').start_span('own', context=context)
    trace, parent = own.get_span_context().trace_id, own.parent.span_id
    spans.append({'name': 'own', 'trace': f'{trace:032x}', 'parent': f'{parent:016x}'})

json.dump(spans, sys.stdout)
