/** The cloud side of the calls that touch the edge: takes what agents tell and hands it on as edge events. */
import { type EdgeEvent, type FailureKind, type InvocationKey } from '@hivemind/orchestrator'
import { createServer, type RpcHandler, type RpcServer } from '@hivemind/rpc'
import {
  dataFunction,
  edgeApi,
  edgeTasks,
  gatewayService,
  leavesDevice,
  type Plan,
} from '@hivemind/synthesis'
import type { FrameTimes } from './frameTimes.ts'
import type { ItemSent } from './types.ts'
import { decodeValue } from './values.ts'

export interface AgentInfo {
  device: string
  pid: number
  port: number
  version: string
}

export interface GatewayOptions {
  plan: Plan
  onAgent: (agent: AgentInfo) => void
  onHeartbeat: (device: string) => void
  /** `run` is empty for what belongs to no run. */
  onEdge: (run: string, event: EdgeEvent) => void
  /** When the frames that come left their senders, where a shaped link lies between. */
  frames?: FrameTimes
  onItem?: (run: string, item: ItemSent) => void
}

interface WireKey extends InvocationKey {
  run: string
}

interface SpanRecord {
  key: WireKey
  worker: string
  queuedAt: number
  startedAt: number
  endedAt: number
  network: number
  management: number
  dataExchange: number
  execution: number
  bytesIn: number
  bytesOut: number
  items: number
  ok: boolean
  error: string
  attempt: number
}

interface LogRecord {
  at: number
  level: string
  source: string
  device: string
  text: string
}

const failureKinds: readonly string[] = [
  'exception',
  'crash',
  'timeout',
  'memory',
  'load',
  'cancelled',
  'value',
] satisfies FailureKind[]

/** A kind as an agent sends it; an unknown one is a crash. */
export function failureKind(text: string): FailureKind {
  return failureKinds.includes(text) ? (text as FailureKind) : 'crash'
}

/** Serves the gateway of a plan on a free loopback port. */
export function startGateway(options: GatewayOptions): Promise<RpcServer> {
  const { plan, onAgent, onHeartbeat, onEdge, frames, onItem } = options
  /** When the frame that is being handled left its sender. */
  let sentAt: number | undefined
  const keyed = (args: Record<string, unknown>): { run: string; key: InvocationKey } => {
    const { run, task, device, seq } = args.key as WireKey
    return { run, key: { task, device, seq } }
  }
  const handlers: Record<string, RpcHandler> = {
    registerAgent: (args) => onAgent(args.agent as AgentInfo),
    heartbeat: (args) => onHeartbeat(args.device as string),
    taskDone: (args) => {
      const { run, key } = keyed(args)
      onEdge(run, { type: 'taskDone', key, items: args.items as number })
    },
    taskFailed: (args) => {
      const { run, key } = keyed(args)
      onEdge(run, {
        type: 'taskFailed',
        key,
        kind: failureKind(args.kind as string),
        message: args.message as string,
        detail: args.detail as string,
      })
    },
    entryDone: (args) => {
      const { run, key } = keyed(args)
      onEdge(run, { type: 'entryDone', key, epoch: args.epoch as number })
    },
    spans: (args) => {
      for (const record of args.spans as SpanRecord[]) {
        const { run, task, device, seq } = record.key
        const { network, management, dataExchange, execution, ok, error, key: _, ...rest } = record
        onEdge(run, {
          type: 'span',
          span: {
            task,
            device,
            seq,
            tier: 'edge',
            ...rest,
            breakdown: { network, management, dataExchange, execution },
            status: ok ? 'ok' : 'failed',
            ...(error === '' ? {} : { error }),
          },
        })
      }
    },
    logs: (args) => {
      for (const { level, device, ...line } of args.lines as LogRecord[])
        onEdge('', {
          type: 'log',
          line: {
            ...line,
            level: level === 'debug' || level === 'warn' || level === 'error' ? level : 'info',
            ...(device === '' ? {} : { device }),
          },
        })
    },
  }
  for (const task of edgeTasks(plan)) {
    const { dataOut } = task
    if (dataOut === null || !leavesDevice(plan, task)) continue
    handlers[dataFunction(plan, dataOut)] = (args) => {
      const { run, key } = keyed(args)
      const { payload } = args.value as { payload: Uint8Array }
      if (sentAt !== undefined) onItem?.(run, { key, sentAt })
      onEdge(run, { type: 'output', key, value: decodeValue(payload) })
    }
  }
  if (frames)
    for (const [name, handler] of Object.entries(handlers))
      handlers[name] = (args, call) => {
        sentAt = frames.next(call.peer)
        return handler(args, call)
      }
  return createServer(edgeApi(plan), gatewayService(plan), handlers)
}
