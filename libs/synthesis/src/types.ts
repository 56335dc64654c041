/** The types of the Thrift interface, the same for every workflow. */
import type { IdlField, IdlStruct, IdlType } from '@hivemind/rpc/idl'

/** A field of a struct or a parameter of a call. */
export type FieldSpec = [name: string, type: IdlType, doc?: string]

/** Fields numbered from 1 in their order. */
export function fields(specs: FieldSpec[]): IdlField[] {
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

export const structs: IdlStruct[] = [
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

export const failure = struct('TaskFailure', 'Why an invocation failed.', [
  ['kind', 'string', 'exception, crash, timeout, memory, load, cancelled or value'],
  ['message', 'string'],
  ['detail', 'string', 'Stack trace, exit code, limits.'],
])

/** Names that no method may have, because in C++ they would hide the type. */
export const TYPE_NAMES = [...structs, failure].map(({ name }) => name)
