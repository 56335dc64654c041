import { check } from '@hivemind/dsl'
import { useMemo, useState } from 'react'
import { api } from '../../../api/client.ts'
import type { Layout } from '../../../api/types.ts'
import { useLoad } from '../../../api/useLoad.ts'
import { type Change, changeLooks } from '../../reports/change.ts'
import { TaskGraph } from '../../reports/TaskGraph.tsx'
import { VersionFigures } from './VersionFigures.tsx'
import { diffOf, summaryOf } from './versionDiff.ts'

/** A version to compare; `number` is absent for the text on the screen. */
export interface ComparedVersion {
  name: string
  text: string
  number: number | undefined
  layout: Layout | undefined
}

/** Two versions on one canvas: what was added, removed and changed, and what that does to the figures. */
export function VersionCanvas({
  project,
  before,
  after,
}: {
  project: string
  before: ComparedVersion
  after: ComparedVersion
}) {
  const first = useMemo(() => check(before.text).workflow, [before.text])
  const second = useMemo(() => check(after.text).workflow, [after.text])
  const [from, to] = [before.number, after.number]
  const files = useLoad(
    async (signal) => {
      const changed =
        from !== undefined && to !== undefined
          ? (await api.compareVersions(project, to, from, signal)).files
          : []
      return new Set(changed.map(({ path }) => path))
    },
    [project, from, to],
  )
  const diff = useMemo(
    () => first && second && diffOf(first, second, files.data ?? new Set()),
    [first, second, files.data],
  )
  const changes = useMemo(
    () => diff && new Map([...diff.tasks].map(([task, { change }]) => [task, change])),
    [diff],
  )
  const [chosen, setChosen] = useState<string>()
  if (!diff || !first || !second || !changes)
    return (
      <p className="text-sm text-danger">
        The text of {first ? after.name : before.name} does not parse, so it cannot be drawn. Its text is
        compared under “Text”.
      </p>
    )
  const own = chosen === undefined ? undefined : diff.tasks.get(chosen)
  return (
    <div className="flex flex-col gap-2" data-testid="version-canvas">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-sm">
        <p data-testid="version-summary">
          From {before.name} to {after.name}: {summaryOf(diff)}
        </p>
        <Legend />
      </div>
      <div className="h-72 overflow-hidden rounded-md border border-line bg-canvas">
        <TaskGraph
          workflow={diff.union}
          layout={after.layout}
          changes={changes}
          edgeChanges={diff.edges}
          chosen={chosen}
          onChoose={(task) => setChosen(task === chosen ? undefined : task)}
          label="Both versions on one canvas"
        />
      </div>
      {chosen !== undefined && (
        <p className="text-sm" role="status" data-testid="version-task">
          <span className="font-medium">{chosen}</span>:{' '}
          {own === undefined
            ? 'the same in both'
            : own.change === 'changed'
              ? `changed: ${own.what.join(', ')}`
              : own.change}
          .
        </p>
      )}
      <VersionFigures
        project={project}
        before={first}
        after={second}
        beforeName={before.name}
        afterName={after.name}
      />
    </div>
  )
}

function Legend() {
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted">
      {(Object.keys(changeLooks) as Change[]).map((change) => {
        const { label, mark, colour } = changeLooks[change]
        return (
          <li key={change} className="flex items-center gap-1.5">
            <span
              className="inline-grid size-4 place-items-center rounded-full text-xs leading-none font-bold text-surface"
              style={{ background: colour }}
              aria-hidden="true"
            >
              {mark}
            </span>
            {label}
          </li>
        )
      })}
    </ul>
  )
}
