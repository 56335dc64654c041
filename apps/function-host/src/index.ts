export type { Call } from './call.ts'
export { type FunctionConfig, readConfig } from './config.ts'
export { FunctionServer, type HostEvents } from './server.ts'
