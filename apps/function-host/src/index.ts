export type { Call } from './call.ts'
export { readConfig } from './config.ts'
export { FunctionServer, type HostEvents } from './server.ts'
