/** The statements of the language, their arguments and what they are for. One table serves checks, completion and help. */
import type { BoundedQuantity, ConstraintKey, Dimension } from '@hivemind/workflow'

/** What the value of a parameter is. */
export type ValueKind =
  | 'task'
  | 'tasks'
  | 'data'
  | 'dataList'
  | 'code'
  | 'choice'
  | 'quantity'
  | 'number'
  | 'text'
  | 'place'
  | 'count'
  | 'constraints'

/** A parameter of a statement. */
export interface Parameter {
  name: string
  /** Other spellings that are read. */
  aliases?: readonly string[]
  required?: true
  /** Only as `name=value`. */
  keywordOnly?: true
  value: ValueKind
  choices?: readonly string[]
  dimensions?: readonly Dimension[]
  /** The quantity whose range it must keep. */
  bounds?: BoundedQuantity
  help: string
}

/** A statement of the language. */
export interface StatementSpec {
  head: string
  parameters: readonly Parameter[]
  /** Whether any other keyword may be given, and what it means. */
  others?: string
  help: string
}

const TASK: Parameter = { name: 'task', required: true, value: 'task', help: 'The task it is about.' }
const pair = (help: string): readonly Parameter[] => [
  { name: 'a', required: true, value: 'task', help },
  { name: 'b', required: true, value: 'task', help },
]

const SPECS: readonly StatementSpec[] = [
  {
    head: 'TaskGraph',
    help: 'The tasks of the workflow, and what the whole job must meet. There is exactly one.',
    parameters: [
      {
        name: 'list',
        aliases: ['edgeList'],
        required: true,
        value: 'tasks',
        help: 'The names of all tasks, in the order they are shown.',
      },
      {
        name: 'constraint',
        aliases: ['constraints'],
        value: 'constraints',
        help: "What the job must meet, such as dict(execTime='10s', cost='0.40$/h').",
      },
    ],
  },
  {
    head: 'Task',
    help: 'One step of the workflow: what it reads, what it writes, and where its code is.',
    others: 'Handed to the code of the task as it is.',
    parameters: [
      { name: 'name', required: true, value: 'task', help: 'The name of the task, unique in the workflow.' },
      {
        name: 'dataIn',
        required: true,
        value: 'dataList',
        help: 'The data it reads: a name, a list of names, or None.',
      },
      { name: 'dataOut', required: true, value: 'data', help: 'The data it writes: a name, or None.' },
      {
        name: 'code',
        required: true,
        value: 'code',
        help: "The path of its code, relative to this file, or a network function such as 'nfu:average?window=8'.",
      },
      {
        name: 'parentTask',
        keywordOnly: true,
        value: 'tasks',
        help: 'The tasks that run before it: a list, or None.',
      },
      { name: 'childTask', keywordOnly: true, value: 'tasks', help: 'The tasks that run after it: a list.' },
      {
        name: 'sync',
        keywordOnly: true,
        value: 'count',
        choices: ['all', 'any'],
        help: 'A barrier before the task; the same as Synchronize.',
      },
    ],
  },
  {
    head: 'Data',
    help: 'Describes one piece of data that flows between tasks.',
    parameters: [
      { name: 'name', required: true, value: 'data', help: 'The name of the data.' },
      {
        name: 'kind',
        value: 'choice',
        choices: ['object', 'stream'],
        help: 'One object, or a stream of items.',
      },
      { name: 'type', value: 'text', help: "Its media type, such as 'image/jpeg'." },
      { name: 'size', value: 'quantity', dimensions: ['size'], help: "The size of one item, such as '2MB'." },
      {
        name: 'rate',
        value: 'quantity',
        dimensions: ['rate'],
        bounds: 'rate',
        help: "How often an item of the stream comes, such as '8/s'.",
      },
      {
        name: 'stays',
        value: 'choice',
        choices: ['device'],
        help: "'device': it does not leave the device that it is written on.",
      },
    ],
  },
  {
    head: 'Parallel',
    help: 'The two tasks run at the same time, each with a worker of its own while a core is free.',
    parameters: pair('A task that may run together with the other.'),
  },
  {
    head: 'Overlap',
    help: 'The second task starts with the first part of what the first one writes, before that has ended.',
    parameters: pair('The parent, then its child.'),
  },
  {
    head: 'Serial',
    help: 'The two tasks take turns: for one item the first ends before the second starts, and on one device they never run at the same time.',
    parameters: [
      ...pair('A task that may not overlap with the other.'),
      {
        name: 'scope',
        keywordOnly: true,
        value: 'choice',
        choices: ['swarm'],
        help: "'swarm': the two never run at the same time anywhere in the swarm, not only on one device.",
      },
    ],
  },
  {
    head: 'Synchronize',
    help: 'A barrier: the task waits for what its parents produce on all devices.',
    parameters: [
      TASK,
      {
        name: 'condition',
        required: true,
        value: 'count',
        choices: ['all', 'any'],
        help: "'all', 'any', or how many results to wait for, such as '3'.",
      },
    ],
  },
  {
    head: 'Schedule',
    help: 'How urgent a task is, and what happens when it is late.',
    parameters: [
      TASK,
      {
        name: 'priority',
        keywordOnly: true,
        value: 'number',
        help: 'Among work that is ready, the higher priority goes first.',
      },
      {
        name: 'deadline',
        keywordOnly: true,
        value: 'quantity',
        dimensions: ['time'],
        bounds: 'deadline',
        help: "The longest time from its inputs being complete to its end, such as '200ms'; missed ones are counted.",
      },
      {
        name: 'onMiss',
        keywordOnly: true,
        value: 'choice',
        choices: ['drop'],
        help: "'drop': work that has not started by its deadline is given up; it counts as lost.",
      },
    ],
  },
  {
    head: 'Isolate',
    help: 'The task gets a process and a core that it shares with nobody; on a cluster, a container with one CPU.',
    parameters: [TASK],
  },
  {
    head: 'Place',
    help: 'Pins the task to a tier.',
    parameters: [
      TASK,
      {
        name: 'where',
        required: true,
        value: 'place',
        choices: ['Cloud', 'Edge:all', 'Fabric'],
        help: "'Cloud', 'Edge:all', 'Edge:<class or device>' or 'Fabric'.",
      },
    ],
  },
  {
    head: 'Restore',
    help: 'What happens when a device or a function fails while it runs the task.',
    parameters: [
      TASK,
      {
        name: 'policy',
        required: true,
        value: 'choice',
        choices: ['respawn', 'repartition', 'checkpoint', 'ignore'],
        help: 'Start it again, share its work among others, go on from a checkpoint, or go on without it.',
      },
    ],
  },
  {
    head: 'Learn',
    help: "Online retraining of the task's model.",
    parameters: [
      TASK,
      {
        name: 'scope',
        required: true,
        value: 'choice',
        choices: ['Global', 'Device', 'Off'],
        help: 'With the decisions of the whole swarm, of the device alone, or not at all.',
      },
    ],
  },
  { head: 'Persist', help: 'The output of the task is kept after the run.', parameters: [TASK] },
]

/** Every statement by its head. */
export const STATEMENTS: ReadonlyMap<string, StatementSpec> = new Map(SPECS.map((spec) => [spec.head, spec]))
/** The heads of all statements. */
export const HEADS: ReadonlySet<string> = new Set(STATEMENTS.keys())

/** Keywords of a Task that the runner or the explorer reads too. */
export const KNOWN_TASK_ARGUMENTS: readonly Parameter[] = [
  {
    name: 'role',
    value: 'choice',
    choices: ['sensor', 'actuator', 'compute'],
    help: 'Whether it touches the physical world; sensors and actuators run on devices.',
  },
  {
    name: 'timeout',
    value: 'quantity',
    dimensions: ['time'],
    bounds: 'timeout',
    help: "The longest one call may take, such as '30s'.",
  },
  {
    name: 'memory',
    value: 'quantity',
    dimensions: ['size'],
    bounds: 'memory',
    help: "The most memory it may use, such as '512MB'.",
  },
  {
    name: 'state',
    value: 'text',
    choices: ['device'],
    help: "It keeps state between items (context.state): 'device' for one state on each device, or a field of its input for one state for each value of that field.",
  },
  {
    name: 'network',
    value: 'choice',
    choices: ['none', 'all'],
    help: "Whether its code may use the network: 'none' unless it says 'all'.",
  },
  { name: 'files', value: 'text', help: 'Files and folders beside the code that go with it.' },
]

/** A constraint that a TaskGraph can have. */
export interface ConstraintSpec {
  key: ConstraintKey
  dimensions: readonly Dimension[]
  example: string
  help: string
}

/** Every constraint, in the order in which they are offered. */
export const CONSTRAINTS: readonly ConstraintSpec[] = [
  { key: 'execTime', dimensions: ['time'], example: '10s', help: 'The longest time the whole job may take.' },
  {
    key: 'latency',
    dimensions: ['time'],
    example: '250ms',
    help: 'The longest time from an input to its result, for 99 in 100 of them.',
  },
  { key: 'throughput', dimensions: ['rate'], example: '8/s', help: 'The least number of results in a time.' },
  {
    key: 'cost',
    dimensions: ['costPerHour', 'costPerRun'],
    example: '0.40$/h',
    help: 'The most the cloud may cost, per hour or per run.',
  },
  {
    key: 'energy',
    dimensions: ['energy', 'share'],
    example: '20%',
    help: 'The most one device may use: energy, or a share of its battery.',
  },
  {
    key: 'power',
    dimensions: ['power'],
    example: '5W',
    help: 'The most power one device may draw, on average over the run.',
  },
]
