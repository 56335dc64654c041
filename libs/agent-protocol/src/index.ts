export { ProtocolError } from './check.ts'
export { type ClockEstimate, ClockEstimator, type RoundTrip } from './clock.ts'
export {
  decodeApplied,
  decodeBeat,
  decodeDesired,
  decodeDown,
  decodeEcho,
  decodeHello,
  decodePresence,
  decodeTelemetry,
  decodeUp,
  encode,
  MAX_PAYLOAD_BYTES,
  sizeOfMessage,
} from './codec.ts'
export {
  type Applied,
  type AppliedDeployment,
  type Beat,
  type BeatEcho,
  type Desired,
  type DesiredDeployment,
  type Down,
  type DownEnded,
  type DownItem,
  type FailureKind,
  type Hello,
  type LogLevel,
  type LogLine,
  PROTOCOL_VERSION,
  type Presence,
  type SpanRecord,
  type StartLane,
  type StopLane,
  type Telemetry,
  type Up,
  type UpDone,
  type UpFailed,
  type UpItem,
  type UpLog,
} from './messages.ts'
export { addSeq, countSeqs, hasSeq, type SeqRanges } from './ranges.ts'
export { type Frame, Session, SessionFull, type SessionOptions, SessionReset } from './session.ts'
export {
  type ChannelName,
  isName,
  mayPublish,
  maySubscribe,
  parseTopic,
  topicOf,
  topicOfAll,
} from './topics.ts'
