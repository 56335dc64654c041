import { DEPLOYABLE_HAND_OVERS } from '@hivemind/swarm'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { boardOption } from './boards.ts'

/** A reader of whole numbers for an option: `whole(1, 64)`. */
export function whole(low: number, high: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!Number.isInteger(value) || value < low || value > high)
      throw new InvalidArgumentError(`It must be a whole number from ${low} to ${high}.`)
    return value
  }
}

/** Collects `--input name=json` options. */
export function input(text: string, before: Record<string, unknown> = {}): Record<string, unknown> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must be NAME=JSON.')
  try {
    return { ...before, [text.slice(0, at)]: JSON.parse(text.slice(at + 1)) }
  } catch {
    throw new InvalidArgumentError(`What follows '${text.slice(0, at + 1)}' must be JSON.`)
  }
}

/** What is estimated, and on which fleet: the options of every command that estimates. */
export interface EstimateOptions {
  fleet: string
  devices?: number
  items?: number
  seed: number
  profile?: string
  handOver?: string
  board?: string[]
}

const handOverHelp =
  'how cloud functions hand data over, instead of the fleet’s own way: store, direct, co-placed or remote-memory (targets can do store and co-placed)'

/** `--hand-over` of commands that deploy. */
export const deployedHandOver = (): Option =>
  new Option(
    '--hand-over <kind>',
    'how cloud functions hand data over: co-placed puts one into the container of those before it where it can be there; through the store when absent',
  ).choices([...DEPLOYABLE_HAND_OVERS])

/** Adds the options for the fleet, the work, the seed and the profile of an estimate; `purpose` is what the fleet is for. */
export function addEstimate(command: Command, purpose: string): Command {
  return command
    .option('--fleet <name>', `${purpose}: its name, or a file (.json)`, 'paper-drones')
    .option('--devices <n>', 'number of devices instead of the fleet’s own', whole(1, 10_000))
    .option('--items <n>', 'items each sensor emits on a device', whole(1, 100_000))
    .option('--seed <n>', 'seed of the simulation', whole(0, 2 ** 31 - 1), 1)
    .option('--profile <file>', 'a profile instead of the project’s own')
    .option('--hand-over <kind>', handOverHelp)
    .addOption(boardOption())
}
