/** Functions in two places: on edge nodes that are machines of their own, and all others. */
import type { FunctionHosting } from './hosting.ts'
import { isInCloud } from './works.ts'

/** Divides the functions of a deployment between the place of its cloud and the machines of its edge nodes. */
export function dividedHosting(cloud: FunctionHosting, nodes: FunctionHosting): FunctionHosting {
  const both = [cloud, nodes]
  const onNodes = (name: string): boolean => nodes.statuses().some((each) => each.name === name)
  const of = (name: string): FunctionHosting => (onNodes(name) ? nodes : cloud)
  return {
    concurrency: cloud.concurrency,
    prepare: (work, signal) => (isInCloud(work) ? cloud : nodes).prepare(work, signal),
    attach: async (records) => {
      await cloud.attach(records.filter((record) => !isOnNode(record)))
      await nodes.attach(records.filter(isOnNode))
    },
    records: () => both.flatMap((each) => each.records()),
    endpoint: (name) => of(name).endpoint(name),
    wake: (name) => of(name).wake?.(name),
    statuses: () => both.flatMap((each) => each.statuses()),
    logs: (name, starting) => of(name).logs(name, starting),
    ...(cloud.preview && { preview: cloud.preview.bind(cloud) }),
    ...(cloud.refusals && { refusals: cloud.refusals.bind(cloud) }),
    stop: (name) => of(name).stop(name),
    stopAll: async () => void (await Promise.all(both.map((each) => each.stopAll()))),
    close: async () => void (await Promise.all(both.map((each) => each.close()))),
  }
}

/** Whether what was kept of a function is of one on a machine. */
const isOnNode = (record: Record<string, unknown>): boolean => 'device' in record
