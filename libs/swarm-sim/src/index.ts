export { estimateClosedForm } from './closed-form/closed-form.ts'
export type { DeviceFailures } from './devices/failures.ts'
export type { Mobility } from './devices/mobility.ts'
export type { Outage } from './devices/outages.ts'
export type { Learning } from './engine/learning.ts'
export { type Conditions, checkConditions } from './faults.ts'
export type { Detail } from './figures/outcome.ts'
export type { Items } from './figures/statistics.ts'
export type { Series } from './figures/timeline.ts'
export type { ItemTrace, TraceSpan } from './figures/trace.ts'
export { buildModel, type ModelInput, modelBuilder, withItems } from './model/build.ts'
export {
  type Channel,
  isBackhaul,
  isOfNode,
  type Model,
  type ModelClass,
  type ModelParent,
  type ModelTask,
  nodeLinkOf,
  scatterLanes,
} from './model/model.ts'
export { streamOf, uniform } from './random.ts'
export { simulateScaled } from './scaled.ts'
export { simulate, simulateInDetail, traceItems } from './simulate.ts'
export { toEnd } from './steps.ts'
