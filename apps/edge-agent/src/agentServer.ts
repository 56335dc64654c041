/** The Thrift service of the device: runs begin and end, invocations are accepted. */
import { createServer, type IdlModel, RpcException, type RpcHandler, type RpcServer } from '@hivemind/rpc'
import { agentService, edgeTasks, isEntered, outsideData, type Plan, taskFunction } from '@hivemind/synthesis'
import type { Device } from './device.ts'
import type { WireKey } from './reporter.ts'
import { fromWire, type WireValue } from './values.ts'

export interface AgentInfo {
  device: string
  pid: number
  port: number
  version: string
}

interface RunStart {
  run: string
  devices: string[]
  maxItems: number
}

interface WireDelivery {
  epoch: number
  attempt: number
  shape: string
  readyAt: number
  sentAt?: number
}

/** Serves the agent on a free loopback port; `info` gives what it says of itself. */
export function serveAgent(
  model: IdlModel,
  plan: Plan,
  device: Device,
  info: () => AgentInfo,
): Promise<RpcServer> {
  const handlers: Record<string, RpcHandler> = {
    info,
    startRun: ({ start }) => {
      const { run, devices, maxItems } = start as RunStart
      device.startRun(run, devices, maxItems < 0 ? undefined : maxItems)
    },
    endRun: ({ run }) => device.endRun(run as string),
  }
  for (const task of edgeTasks(plan).filter((each) => isEntered(plan, each))) {
    const names = outsideData(plan, task)
    handlers[taskFunction(plan, task.name)] = (args) => {
      const { shape, readyAt, sentAt, ...delivery } = args.delivery as WireDelivery
      const head = {
        ...delivery,
        readyAt,
        sentAt: sentAt || readyAt,
        shape: shape === 'object' || shape === 'stream' ? shape : undefined,
      } as const
      try {
        const inputs = Object.fromEntries(
          names.map((name, index) => [name, fromWire(args[`input${index + 1}`] as WireValue)]),
        )
        device.accept(args.key as WireKey, head, inputs)
      } catch (error) {
        throw new RpcException('TaskFailure', { kind: 'load', message: (error as Error).message, detail: '' })
      }
    }
  }
  return createServer(model, agentService(plan), handlers)
}
