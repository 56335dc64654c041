/** The boards that `--board` names: what they are estimated by, and which task each runs. */
import { FabricCache, measureDistil } from '@hivemind/fabric'
import { type Fleet, withBoards } from '@hivemind/swarm'
import { fabricTasks, type Plan } from '@hivemind/synthesis'
import { Option } from 'commander'
import { faults } from './fabric-work.ts'
import { usageFault } from './failure.ts'

/** Adds `--board` to a command that estimates or deploys. */
export const boardOption = (): Option =>
  new Option(
    '--board <folder>',
    'a simulated board (hivemind fabric sim) as the fabric of the fleet: it runs one network function; may be repeated',
  ).argParser((folder: string, before: string[] = []) => [...before, folder])

/** A fleet with boards as its fabric, by what is measured on them now. */
export async function fleetWithBoards(fleet: Fleet, folders: readonly string[] = []): Promise<Fleet> {
  const figures = []
  for (const folder of folders) figures.push(await faults(() => measureDistil(folder, new FabricCache())))
  return withBoards(fleet, figures)
}

/** The boards of a plan's tasks on the fabric, in the order of both. Throws a usage fault when there are too few. */
export function boardsOf(plan: Plan, folders: readonly string[] = []): Record<string, string> {
  const tasks = fabricTasks(plan)
  if (tasks.length > folders.length)
    throw usageFault(
      `${tasks.map(({ name }) => `'${name}'`).join(', ')} ${tasks.length === 1 ? 'is' : 'are'} placed on the fabric, which needs as many boards: give --board FOLDER for each.`,
    )
  return Object.fromEntries(tasks.map(({ name }, index) => [name, folders[index] as string]))
}
