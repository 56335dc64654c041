export { type Board, framesAt, registersAt } from './board.ts'
export { type BuildRequest, buildFabric } from './build.ts'
export { type Build, FabricCache, verifyFiles } from './cache.ts'
export { BoardControl } from './control.ts'
export { FabricError, type FabricErrorCode } from './error.ts'
export type { FabricEvent, FabricStage } from './events.ts'
export { FrameLine, readingFrame } from './frames.ts'
export { type GenerateOptions, generateFabric, readSchema } from './generate.ts'
export {
  checkBeforeLoad,
  type Loaded,
  type LoadOptions,
  loadBuild,
  readFields,
  writeAndTest,
  writeSettings,
} from './load.ts'
export type {
  ClockTiming,
  CriticalPath,
  Manifest,
  SeedResult,
  Utilisation,
} from './manifest.ts'
export type { HardParameter, Parameters } from './parameters.ts'
export { type Field, type Register, type RegisterBus, readRegisterMap } from './registers.ts'
export { type BoardReport, type BoardServer, loadOnServer, serveBoard } from './server.ts'
export { compileModel, SimulatedBoard } from './simulated-board.ts'
export { Toolchain } from './tools.ts'
export { ReadingTraffic, type Received } from './traffic.ts'
