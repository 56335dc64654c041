export { buildModel, type ModelInput, withItems } from './build.ts'
export type { Channel, Model, ModelClass, ModelParent, ModelTask } from './model.ts'
export { simulate } from './simulate.ts'
