/** The Thrift interface of a workflow: the calls that touch the edge (paper, sections 4.1 and 4.2). */
import type { IdlField, IdlFunction, IdlModel, IdlStruct, IdlType } from '@hivemind/rpc/idl'
import { edgeTasks, isEntered, leavesDevice, outsideData } from './edges.ts'
import type { Plan } from './plan.ts'

function pascal(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const joined = words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')
  return /^[A-Za-z]/.test(joined) ? joined : `Workflow${joined}`
}

/** Name of the service that each edge device serves. */
export const agentService = (plan: Plan): string => `${pascal(plan.workflow)}Agent`
/** Name of the service that the cloud side serves to the devices. */
export const gatewayService = (plan: Plan): string => `${pascal(plan.workflow)}Gateway`
/** Function of the agent that delivers an invocation of a task. */
export const taskFunction = (plan: Plan, task: string): string => plan.names.tasks[task] ?? task
/** Function of the gateway that takes an item of a data name. */
export const dataFunction = (plan: Plan, data: string): string => plan.names.data[data] ?? data

type FieldSpec = [name: string, type: IdlType, doc?: string]

function fields(specs: FieldSpec[]): IdlField[] {
  return specs.map(([name, type, doc], index) => ({
    id: index + 1,
    name,
    type,
    ...(doc === undefined ? {} : { doc }),
  }))
}

const struct = (name: string, doc: string, specs: FieldSpec[]): IdlStruct => ({
  name,
  doc,
  fields: fields(specs),
})

const structs: IdlStruct[] = [
  struct('InvocationKey', 'Identity of an invocation; repeated ones count once.', [
    ['run', 'string'],
    ['task', 'string'],
    ['device', 'string', 'The lane: the device whose work it is, whichever agent does it.'],
    ['seq', 'i32', 'Item of the stream, from 0.'],
  ]),
  struct('Delivery', 'How an invocation is delivered.', [
    ['epoch', 'i32', 'Grows with every delivery; entryDone repeats it.'],
    ['attempt', 'i32', 'From 1.'],
    ['shape', 'string', "'object', 'stream', or empty while it is not known."],
    ['readyAt', 'double', 'When its inputs were complete, ms since 1970.'],
    ['sentAt', 'double', 'When it was sent, ms since 1970.'],
  ]),
  struct('Value', 'A value on its way.', [
    ['name', 'string', 'Name of the data.'],
    ['contentType', 'string', 'application/cbor'],
    ['payload', 'binary'],
  ]),
  struct('AgentInfo', 'An agent and where it listens.', [
    ['device', 'string'],
    ['pid', 'i32'],
    ['port', 'i32'],
    ['version', 'string'],
  ]),
  struct('RunStart', 'A run begins for one lane of an agent.', [
    ['run', 'string'],
    ['device', 'string'],
    ['deviceIndex', 'i32'],
    ['devices', { list: 'string' }],
    ['maxItems', 'i32', 'Most items a sensor may emit; -1 when unlimited.'],
  ]),
  struct(
    'SpanRecord',
    'How one invocation went. Instants in ms since 1970, durations in ms, sizes in bytes.',
    [
      ['key', { struct: 'InvocationKey' }],
      ['worker', 'string'],
      ['queuedAt', 'double'],
      ['startedAt', 'double'],
      ['endedAt', 'double'],
      ['network', 'double'],
      ['management', 'double'],
      ['dataExchange', 'double'],
      ['execution', 'double'],
      ['bytesIn', 'i64'],
      ['bytesOut', 'i64'],
      ['items', 'i32'],
      ['ok', 'bool'],
      ['error', 'string'],
      ['attempt', 'i32'],
    ],
  ),
  struct('LogRecord', 'One line for the Run screen.', [
    ['at', 'double'],
    ['level', 'string'],
    ['source', 'string'],
    ['device', 'string'],
    ['text', 'string'],
  ]),
]

const failure = struct('TaskFailure', 'Why an invocation failed.', [
  ['kind', 'string', 'exception, crash, timeout, memory, load, cancelled or value'],
  ['message', 'string'],
  ['detail', 'string', 'Stack trace, exit code, limits.'],
])

function call(
  name: string,
  doc: string,
  params: FieldSpec[],
  returns: IdlType | null = null,
  throws = false,
): IdlFunction {
  return {
    name,
    doc,
    params: fields(params),
    returns,
    throws: throws ? fields([['failure', { struct: 'TaskFailure' }]]) : [],
  }
}

const key: FieldSpec = ['key', { struct: 'InvocationKey' }]

/** The interface of a plan: what each edge device serves, and what the cloud side serves to the devices. */
export function edgeApi(plan: Plan): IdlModel {
  const entered = edgeTasks(plan).filter((task) => isEntered(plan, task))
  const leaving = [
    ...new Set(edgeTasks(plan).flatMap((task) => (leavesDevice(plan, task) ? (task.dataOut ?? []) : []))),
  ]
  return {
    namespace: plan.workflow.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=[0-9])/, '_'),
    doc: `Calls of the workflow '${plan.workflow}' that touch the edge.`,
    structs,
    exceptions: [failure],
    services: [
      {
        name: agentService(plan),
        doc: 'Served by each edge device.',
        functions: [
          call('info', 'Who it is.', [], { struct: 'AgentInfo' }),
          call('startRun', 'A run begins for a lane.', [['start', { struct: 'RunStart' }]]),
          call('endRun', 'A run has ended: whatever still works for it is stopped.', [['run', 'string']]),
          ...entered.map((task) =>
            call(
              taskFunction(plan, task.name),
              `Accepts an invocation of ${task.name}; what becomes of it is told to the gateway.`,
              [
                key,
                ['delivery', { struct: 'Delivery' }],
                ...outsideData(plan, task).map(
                  (data, index): FieldSpec => [`input${index + 1}`, { struct: 'Value' }, data],
                ),
              ],
              null,
              true,
            ),
          ),
        ],
      },
      {
        name: gatewayService(plan),
        doc: 'Served by the cloud side to the devices.',
        functions: [
          call('registerAgent', 'An agent is ready.', [['agent', { struct: 'AgentInfo' }]]),
          call('heartbeat', 'Once a second.', [
            ['device', 'string'],
            ['at', 'double'],
          ]),
          ...leaving.map((data) =>
            call(dataFunction(plan, data), `One item of ${data}.`, [key, ['value', { struct: 'Value' }]]),
          ),
          call('taskDone', 'An invocation has ended; its items were sent before.', [key, ['items', 'i32']]),
          call('taskFailed', 'An invocation has failed.', [
            key,
            ['kind', 'string'],
            ['message', 'string'],
            ['detail', 'string'],
          ]),
          call('entryDone', 'A delivered invocation and all that ran below it on the device have ended.', [
            key,
            ['epoch', 'i32'],
          ]),
          call('spans', 'How invocations went.', [['spans', { list: { struct: 'SpanRecord' } }]]),
          call('logs', 'Lines for the Run screen.', [['lines', { list: { struct: 'LogRecord' } }]]),
        ],
      },
    ],
  }
}
