/** The ops behind `nfu:` and their parameters. Checks, completion, help and the runner all read this table. */

/** The ops of a network functional unit (InLocus paper, its function set). */
export type OpName = 'average' | 'counter' | 'min' | 'max' | 'filter' | 'forward'

/** One parameter of an op, as in `nfu:average?window=8`. */
export interface OpParameter {
  name: 'window' | 'count' | 'field' | 'above' | 'below'
  /** `count`: a whole number from 1. `number`: any number. `text`: any text that is not empty. */
  value: 'count' | 'number' | 'text'
  /** One sentence for people. */
  help: string
}

/** One op: what it does and which parameters it takes. */
export interface OpInfo {
  /** One sentence for people. */
  help: string
  /** Whether it looks back on earlier values, and so keeps state between items. */
  stateful: boolean
  parameters: readonly OpParameter[]
}

const WINDOW: OpParameter = {
  name: 'window',
  value: 'count',
  help: 'How many values make one summary. Without it, each value gives the summary of all so far.',
}
const COUNT: OpParameter = {
  name: 'count',
  value: 'count',
  help: 'How many values make one message; 1 without it.',
}
const FIELD: OpParameter = {
  name: 'field',
  value: 'text',
  help: 'The field of an object that holds the number; the value itself without it.',
}

/** Widest window, and largest count, of a network function in C or in the fabric, in readings. */
export const WIDEST_WINDOW = 65_535

/** Every op by its name, in the order in which they are offered. */
export const OPS: Readonly<Record<OpName, OpInfo>> = {
  average: { help: 'The mean of each window of values.', stateful: true, parameters: [WINDOW, FIELD] },
  counter: { help: 'How many values have come so far.', stateful: true, parameters: [COUNT, FIELD] },
  min: { help: 'The smallest of each window of values.', stateful: true, parameters: [WINDOW, FIELD] },
  max: { help: 'The largest of each window of values.', stateful: true, parameters: [WINDOW, FIELD] },
  filter: {
    help: 'Lets a value pass when its number is within the bounds.',
    stateful: false,
    parameters: [
      { name: 'above', value: 'number', help: 'The smallest number that passes.' },
      { name: 'below', value: 'number', help: 'The largest number that passes.' },
      FIELD,
    ],
  },
  forward: { help: 'Passes every value on unchanged.', stateful: false, parameters: [] },
}

/** The names of all ops. */
export const OP_NAMES = Object.keys(OPS) as readonly OpName[]

/** Whether `name` names an op. */
export const isOp = (name: string): name is OpName => Object.hasOwn(OPS, name)
