import type { Relation, Workflow } from '@hivemind/workflow'
import { X } from 'lucide-react'
import { inputClass } from '../../../ui/fields.tsx'
import { defaultRelation } from '../model/palette.ts'
import { useSession } from '../session.ts'
import { CheckField } from './controls.tsx'

/** Label of each relation, seen from its first or its second task. */
const kinds: Record<Relation['kind'], (isFirst: boolean) => string> = {
  parallel: () => 'runs together with',
  overlap: (isFirst) => (isFirst ? 'lets start early' : 'starts early, during'),
  serial: (isFirst) => (isFirst ? 'ends before' : 'starts after'),
}

/** The `Parallel`, `Overlap` and `Serial` relations between this task and others. */
export function RelationFields({ task, workflow }: { task: string; workflow: Workflow }) {
  const { document } = useSession()
  const own = workflow.relations.filter(({ a, b }) => a === task || b === task)
  const related = new Set(own.flatMap(({ a, b }) => [a, b]))
  const others = workflow.tasks.map(({ name }) => name).filter((name) => name !== task && !related.has(name))
  const set = (a: string, b: string, relation: Relation['kind'] | null, scope?: 'swarm'): void => {
    document.actions.edit(
      { kind: 'setRelation', a, b, relation, ...(scope ? { scope } : {}) },
      { label: relation ? `Relation of ${a} and ${b}` : `Remove the relation of ${a} and ${b}` },
    )
  }
  return (
    <>
      {own.map(({ a, b, kind, scope }) => {
        const other = a === task ? b : a
        return (
          <div key={`${a} ${b}`} className="flex flex-wrap items-center gap-2 text-[13px]">
            <select
              aria-label={`Relation to ${other}`}
              className={inputClass}
              value={kind}
              onChange={(event) => set(a, b, event.target.value as Relation['kind'])}
            >
              {Object.entries(kinds).map(([value, label]) => (
                <option key={value} value={value}>
                  {label(a === task)}
                </option>
              ))}
            </select>
            <span className="min-w-0 flex-1 truncate font-medium" title={other}>
              {other}
            </span>
            <button
              type="button"
              aria-label={`Remove the relation to ${other}`}
              onClick={() => set(a, b, null)}
              className="rounded p-1 text-muted hover:text-danger"
            >
              <X className="size-4" aria-hidden="true" />
            </button>
            {kind === 'serial' && (
              <CheckField
                label="In the whole swarm"
                hint="The two never run at the same time anywhere, not only on one device (scope='swarm')"
                checked={scope === 'swarm'}
                onChange={(on) => set(a, b, 'serial', on ? 'swarm' : undefined)}
              />
            )}
          </div>
        )
      })}
      {own.length === 0 && (
        <p className="text-[13px] text-muted">Nothing is said about how it runs beside other tasks.</p>
      )}
      {others.length > 0 && (
        <select
          aria-label="Relate it to another task"
          className={inputClass}
          value=""
          onChange={(event) => {
            if (event.target.value === '') return
            const { a, b, kind } = defaultRelation(workflow, task, event.target.value)
            set(a, b, kind)
          }}
        >
          <option value="">Relate it to …</option>
          {others.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </>
  )
}
