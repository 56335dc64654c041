/** The tables of a report. Tables of tasks are limited to those that take longest; the embedded data has all tasks. */
import { columnOf, PROFILE_COLUMNS, type Profile, type ProfileColumn, SENSOR_COLUMN } from '@hivemind/swarm'
import type { Breakdown, Candidate, Tier } from '../../../api/types.ts'
import { parts } from '../../reports/BreakdownBars.tsx'
import * as format from '../../reports/format.ts'
import { countTiers, MAX_SQUARES } from '../../reports/TierChip.tsx'
import { letterKey, tierLabel, tierLetter } from '../../reports/tiers.ts'
import { metrics, tableMetrics } from '../metrics.ts'

/** Most rows of a table of tasks. */
const MAX_TASKS = 60

const columnHeading: Record<ProfileColumn, string> = { cloud: 'Time in the cloud', edge: 'Time at the edge' }

const letterOf = (tier: Tier | undefined): string => (tier ? tierLetter[tier] : '?')

/** The tasks in the order of the workflow, or of the placement when that is not known. */
export const tasksOf = (candidate: Candidate, tasks: readonly string[]): readonly string[] =>
  tasks.length > 0 ? tasks : Object.keys(candidate.placement)

/** The tier of each task; for large workflows, the number of tasks on each tier. */
export const placementText = ({ placement }: Candidate, tasks: readonly string[]): string =>
  tasks.length > MAX_SQUARES
    ? countTiers(placement, tasks)
        .map(([tier, count]) => `${tierLabel[tier]} ${count.toLocaleString('en-GB')}`)
        .join(', ')
    : tasks.map((task) => `${task}: ${tierLabel[placement[task] ?? 'cloud']}`).join(', ')

const latencyOf = (breakdown: Breakdown | undefined): number =>
  parts.reduce((sum, part) => sum + (breakdown?.[part.key] ?? 0), 0)

/** The tasks, at most `MAX_TASKS`: those that take longest. */
const longestOf = (tasks: readonly string[], of: (task: string) => number): readonly string[] =>
  tasks.length <= MAX_TASKS ? tasks : [...tasks].sort((a, b) => of(b) - of(a)).slice(0, MAX_TASKS)

const limitNote = (listed: readonly string[], all: readonly string[]): string =>
  listed.length < all.length
    ? ` These are the ${listed.length} of ${all.length.toLocaleString('en-GB')} tasks that take longest. The data embedded in this file has all of them.`
    : ''

export function CandidatesTable({
  rows,
  selected,
  tasks,
}: {
  rows: readonly Candidate[]
  selected: string
  tasks: readonly string[]
}) {
  const few = tasks.length <= MAX_SQUARES
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Candidate</th>
          {tableMetrics.map((id) => (
            <th key={id} scope="col" className="number">
              {metrics[id].short}
            </th>
          ))}
          <th scope="col">Front</th>
          <th scope="col">Meets</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((candidate) => (
          <tr key={candidate.id} className={candidate.id === selected ? 'selected' : ''}>
            <th scope="row">
              {candidate.baseline ?? candidate.id}
              <span className="muted small">
                {' '}
                {few
                  ? tasks.map((task) => letterOf(candidate.placement[task])).join('')
                  : placementText(candidate, tasks)}
              </span>
            </th>
            {tableMetrics.map((id) => (
              <td key={id} className="number">
                {metrics[id].print(metrics[id].of(candidate.estimate))}
              </td>
            ))}
            <td>{candidate.pareto ? 'yes' : '–'}</td>
            <td>{candidate.meets ? 'yes' : 'no'}</td>
          </tr>
        ))}
      </tbody>
      {few && (
        <caption>
          Letters: the tier of {tasks.join(', ')}; {letterKey}.
        </caption>
      )}
    </table>
  )
}

export function TaskTable({ candidate, tasks }: { candidate: Candidate; tasks: readonly string[] }) {
  const { perTask, breakdown } = candidate.estimate
  const longest = longestOf(tasks, (task) => latencyOf(perTask[task]?.breakdown))
  const rows = [
    ...longest.flatMap((task) => {
      const own = perTask[task]
      return own ? [{ name: task, tier: tierLabel[own.tier], breakdown: own.breakdown }] : []
    }),
    { name: 'Whole workflow', tier: '', breakdown },
  ]
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Task</th>
          <th scope="col">Tier</th>
          {parts.map((part) => (
            <th key={part.key} scope="col" className="number">
              {part.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row">{row.name}</th>
            <td>{row.tier}</td>
            {parts.map((part) => (
              <td key={part.key} className="number">
                {format.time(row.breakdown[part.key])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      <caption>Mean latency of an item by part.{limitNote(longest, tasks)}</caption>
    </table>
  )
}

export function ProfileTable({ profile }: { profile: Profile }) {
  const tasks = Object.keys(profile.tasks)
  const longest = longestOf(tasks, (task) => {
    const known = profile.tasks[task]
    return (known && columnOf(known, PROFILE_COLUMNS[0]))?.serviceMs.mean ?? 0
  })
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Task</th>
          <th scope="col">Profile</th>
          {PROFILE_COLUMNS.map((column) => (
            <th key={column} scope="col" className="number">
              {columnHeading[column]}
            </th>
          ))}
          <th scope="col" className="number">
            Output
          </th>
        </tr>
      </thead>
      <tbody>
        {longest.map((task) => {
          const known = profile.tasks[task]
          return (
            known && (
              <tr key={task}>
                <th scope="row">{task}</th>
                <td>{known.origin}</td>
                {PROFILE_COLUMNS.map((column) => (
                  <td key={column} className="number">
                    {known[column] ? format.time(known[column].serviceMs.mean) : '–'}
                  </td>
                ))}
                <td className="number">
                  {format.bytes(columnOf(known, SENSOR_COLUMN)?.outputBytes.mean ?? Number.NaN)}
                </td>
              </tr>
            )
          )
        })}
      </tbody>
      <caption>Mean times of one invocation on the reference core.{limitNote(longest, tasks)}</caption>
    </table>
  )
}
