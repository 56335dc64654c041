export { executionTraceparent, formatTraceparent, parseTraceparent, runContext } from './ids.ts'
export { type ExportTraceRequest, exportRequest, type ResourceSpan } from './otlp.ts'
export { keyValueList, type TraceResource, traceResource } from './resource.ts'
export { runTrace, type TracedRun } from './run-trace.ts'
