/** Functions as processes of this machine, for those who supervise them. */
export {
  type FunctionSpec,
  LocalFunctions,
  type LocalFunctionsOptions,
  type PreparedProcess,
  type ProcessStatus,
} from './local.ts'
export { type FunctionLogLine, LogFile } from './log-file.ts'
export { FunctionProcess, type FunctionRecord, type ProcessEndpoint } from './process.ts'
