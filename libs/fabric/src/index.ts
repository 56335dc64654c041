export { AttachedBoard, BOARD_NAMES, OpenFpgaLoader, type Programmer } from './attached-board.ts'
export { type Board, framesAt, loadedBuild, registersAt } from './board.ts'
export { type BuildRequest, buildFabric } from './build.ts'
export { type Build, FabricCache, verifyFiles } from './cache.ts'
export { BoardBridge } from './calls/bridge.ts'
export {
  FabricCaller,
  type FabricFunction,
  FabricWorker,
  type HostAddress,
  SlowPathError,
  type WorkerOptions,
} from './calls/client.ts'
export { FabricHost, type HostOptions } from './calls/host.ts'
export { HOST_PORT } from './calls/protocol.ts'
export { BoardControl } from './control.ts'
export { datagramFrame, datagramOf, FABRIC_PORTS, type UdpPeer } from './datagrams.ts'
export { type DispatchMessage, decodeMessage, encodeMessage, MessageKind } from './dispatch.ts'
export {
  configureDistil,
  type DistilAnswer,
  type DistilFigures,
  type DistilFunction,
  DistilUnit,
  distilFigures,
  holdsReading,
  measureDistil,
} from './distil.ts'
export { FabricError, type FabricErrorCode } from './error.ts'
export type { FabricEvent, FabricStage } from './events.ts'
export { FrameLine, readingFrame } from './frames.ts'
export { type FabricRequest, type GenerateOptions, generateFabric, readSchema } from './generate.ts'
export { checkBeforeLoad, type Loaded, type LoadOptions, loadBuild } from './load.ts'
export type {
  ClockTiming,
  CriticalPath,
  Manifest,
  SeedResult,
  Utilisation,
} from './manifest.ts'
export { enginesOf, type HardParameter, type Parameters, type Schema, SHELL } from './parameters.ts'
export { defaultJobs } from './place-and-route.ts'
export { type Field, fieldKey, type Register, type RegisterBus, readRegisterMap } from './registers.ts'
export {
  decodeResponse,
  encodeRequest,
  insertObject,
  type PlacedObject,
  type RmemRequest,
  type RmemResponse,
  RmemStatus,
} from './rmem.ts'
export { type BoardReport, type BoardServer, loadOnServer, serveBoard } from './server.ts'
export { readFields, writeSettings } from './settings.ts'
export { checkSignature, type Signer, signBuild, signerOfBuild, trustedKeys } from './signature.ts'
export { compileModel, SimulatedBoard } from './simulated-board.ts'
export { CYCLE_NS, type FrameTime, FrameTimes } from './times.ts'
export { Toolchain } from './tools.ts'
export { ReadingTraffic, type Received } from './traffic.ts'
export { readVerdict, type Verdict, writeVerdict } from './verdict.ts'
