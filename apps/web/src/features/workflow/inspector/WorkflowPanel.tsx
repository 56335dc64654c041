import { type ConstraintKey, type Dimension, parseQuantity, unitsOf, type Workflow } from '@hivemind/workflow'
import { useFirst } from '../../../ui/useFirst.tsx'
import type { WordId } from '../../../words/words.ts'
import { useSession } from '../session.ts'
import { Section, TextField } from './controls.tsx'

const constraintFields: readonly {
  key: ConstraintKey
  label: string
  term?: WordId
  example: string
  dimensions: readonly Dimension[]
}[] = [
  { key: 'execTime', term: 'runTime', label: 'Execution time', example: '10s', dimensions: ['time'] },
  { key: 'latency', term: 'p99', label: 'Latency (p99)', example: '250ms', dimensions: ['time'] },
  { key: 'throughput', label: 'Throughput', example: '8/s', dimensions: ['rate'] },
  { key: 'cost', label: 'Cloud cost', example: '0.40$/h', dimensions: ['costPerHour', 'costPerRun'] },
  {
    key: 'energy',
    term: 'energy',
    label: 'Energy per device',
    example: '500J or 20%',
    dimensions: ['energy', 'share'],
  },
  { key: 'power', label: 'Mean power per device', example: '5W', dimensions: ['power'] },
]

/** Rows of a list that are shown at first. */
const FIRST = 50

/** Constraints, data and relations of the workflow. */
export function WorkflowPanel({ workflow }: { workflow: Workflow }) {
  const { document } = useSession()
  const { actions } = document
  const data = useFirst(workflow.data, FIRST)
  const relations = useFirst(workflow.relations, FIRST)
  return (
    <>
      <Section title="Constraints">
        <div className="grid grid-cols-2 gap-2.5">
          {constraintFields.map(({ key, label, term, example, dimensions }) => (
            <TextField
              key={key}
              label={label}
              term={term}
              testId={`constraint-${key}`}
              value={workflow.constraints.find((one) => one.key === key)?.limit.text ?? ''}
              placeholder={`None, or ${example}`}
              fault={(text) =>
                text === '' || parseQuantity(text, dimensions)
                  ? undefined
                  : `A number with its unit: ${dimensions.flatMap(unitsOf).join(', ')}.`
              }
              onCommit={(text) =>
                actions.edit(
                  { kind: 'setConstraint', key, value: text === '' ? null : text },
                  { label: `Constraint ${key}` },
                )
              }
            />
          ))}
        </div>
      </Section>
      <Section title={`Data (${workflow.data.length})`}>
        {workflow.data.length === 0 && (
          <p className="text-[13px] text-muted">No task reads or writes data yet.</p>
        )}
        <ul className="flex flex-col">
          {data.first.map((item) => (
            <li key={item.name}>
              <button
                type="button"
                onClick={() => actions.select({ tasks: [], edges: [], data: item.name })}
                className="flex min-h-6 w-full items-baseline gap-2 rounded px-1 py-0.5 text-left text-[13px] hover:bg-sunken"
              >
                <span className="font-medium">{item.name}</span>
                <span className="truncate text-muted">
                  {[item.kind, item.type, item.size?.text, item.rate?.text].filter(Boolean).join(' · ') ||
                    'not described'}
                </span>
              </button>
            </li>
          ))}
        </ul>
        {data.more}
      </Section>
      {workflow.relations.length > 0 && (
        <Section title={`Relations (${workflow.relations.length})`}>
          <ul className="text-[13px]">
            {relations.first.map(({ a, b, kind, scope }) => (
              <li key={`${a} ${b} ${kind}`}>
                <span className="text-muted">{kind}</span> {a}, {b}
                {scope && <span className="text-muted"> in the whole swarm</span>}
              </li>
            ))}
          </ul>
          {relations.more}
        </Section>
      )}
    </>
  )
}
