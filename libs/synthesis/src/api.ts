/** The Thrift interface of a workflow: the calls that touch the edge (paper, sections 4.1 and 4.2). */
import { type IdlFunction, type IdlModel, type IdlType, isReservedName } from '@hivemind/rpc/idl'
import { edgeTasks, isEntered, leavesDevice, outsideData } from './edges.ts'
import type { Plan } from './plan.ts'
import { type FieldSpec, failure, fields, structs } from './types.ts'

/** Packages and namespaces that stubs in Python and C++ themselves need. */
const STUB_PACKAGES = ['thrift', 'sys', 'logging', 'std', 'apache']

function pascal(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  const joined = words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')
  return /^[A-Za-z]/.test(joined) ? joined : `Workflow${joined}`
}

function namespaceOf(workflow: string): string {
  const name = workflow.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=[0-9])/, '_')
  return isReservedName(name) || STUB_PACKAGES.includes(name) ? `${name}_` : name
}

/** Name of the service that each edge device serves. */
export const agentService = (plan: Plan): string => `${pascal(plan.workflow)}Agent`
/** Name of the service that the cloud side serves to the devices. */
export const gatewayService = (plan: Plan): string => `${pascal(plan.workflow)}Gateway`
/** Function of the agent that delivers an invocation of a task. */
export const taskFunction = (plan: Plan, task: string): string => plan.names.tasks[task] ?? task
/** Function of the gateway that takes an item of a data name. */
export const dataFunction = (plan: Plan, data: string): string => plan.names.data[data] ?? data

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
    namespace: namespaceOf(plan.workflow),
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
