/** Small workflows for the tests. */
import { edgesOf, type Task, type Workflow } from '@hivemind/workflow'

export const task = (name: string, more: Partial<Task> = {}): Task => ({
  name,
  dataIn: [],
  dataOut: null,
  code: `tasks/${name}.mjs`,
  parents: [],
  children: [],
  args: {},
  directives: {},
  ...more,
})

export function workflowOf(tasks: Task[]): Workflow {
  return {
    schema: 'hivemind.workflow/1',
    tasks,
    data: tasks.flatMap(({ dataOut }) => (dataOut === null ? [] : [{ name: dataOut, declared: false }])),
    relations: [],
    constraints: [],
  }
}

/** Every code file of the workflow, as `synthesise` wants them. */
export const filesOf = ({ tasks }: Workflow) =>
  [...new Set(tasks.map(({ code }) => code))].map((path) => ({
    path,
    hash: '0'.repeat(64),
    bytes: 1,
    mentions: [],
  }))

/**
 * A workflow from edges between tasks: `[[0, 1], [0, 2]]`. Every task but those without children writes one data name,
 * after its own name with `Out`.
 */
export function fromEdges(count: number, edges: readonly (readonly [number, number])[]): Workflow {
  const name = (index: number) => `t${index}`
  const workflow = workflowOf(
    Array.from({ length: count }, (_, index) => {
      const parents = edges.filter(([, to]) => to === index).map(([from]) => from)
      const children = edges.filter(([from]) => from === index).map(([, to]) => to)
      return task(name(index), {
        parents: parents.map(name),
        children: children.map(name),
        dataIn: parents.map((parent) => `${name(parent)}Out`),
        dataOut: children.length > 0 ? `${name(index)}Out` : null,
      })
    }),
  )
  if (edgesOf(workflow).length !== edges.length)
    throw new Error('The edges of the fixture are not those asked for.')
  return workflow
}

/** Names that mean something to Thrift, C++, Python, JavaScript, our interface, or code that is generated of it. */
export const hostileNames = [
  ...['struct', 'service', 'binary', 'namespace', 'list', 'void', 'oneway', 'i32', 'optional'],
  ...['class', 'template', 'virtual', 'operator', 'new', 'int', 'nullptr', 'co_await', 'requires'],
  ...['errno', 'stdin', 'stdout', 'assert', 'linux', 'unix', 'NULL', 'EOF', 'std', 'apache', 'boost'],
  ...['lambda', 'nonlocal', 'None', 'True', 'self', 'print', 'exec', 'def', 'match', 'type'],
  ...['function', 'typeof', 'constructor', 'prototype', 'output', 'pClass', 'seqid', 'toString', 'undefined'],
  ...[
    'Value',
    'Delivery',
    'InvocationKey',
    'TaskFailure',
    'SpanRecord',
    'RunStart',
    'AgentInfo',
    'LogRecord',
  ],
  ...['info', 'startRun', 'endRun', 'registerAgent', 'heartbeat', 'taskDone', 'spans', 'logs', 'entryDone'],
  ...['frame', 'send_frame', 'recv_frame', 'frame_args', 'frame_result', 'frame_', 'process_frame'],
  ...['_iprot', '_oprot', '_seqid', '_reqs', '__init__', '_', 'x__', 'key', 'value', 'delivery', 'input1'],
  ...[
    'Client',
    'Processor',
    'Iface',
    'HostileAgent',
    'HostileGateway',
    'getInputProtocol',
    'iprot_',
    'sync_',
  ],
]
