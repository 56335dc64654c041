import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { FabricBoard } from '../../api/types.ts'
import { useAction, useEvery, useLoad } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Field, inputClass } from '../../ui/fields.tsx'
import * as format from '../reports/format.ts'
import { fieldsOf, keyOf, settingProblem, settingsOf } from './fabric.ts'

const POLL_INTERVAL_MS = 2_000
const heading = 'text-xs font-semibold text-muted'

/** The registers of a board: soft settings to change, what all others read, and the changes so far. */
export function BoardRegisters({ board }: { board: FabricBoard }) {
  const registers = useLoad((signal) => api.getFabricRegisters(board.id, signal), [board.id, board.build])
  const [draft, setDraft] = useState<Record<string, string>>({})
  // Not while they are read: on a busy machine that takes longer than the interval.
  useEvery(POLL_INTERVAL_MS, !registers.loading, registers.reload)
  const { soft, read } = registers.data ? fieldsOf(registers.data) : { soft: [], read: [] }
  const settings = settingsOf(draft)
  const isValid =
    Object.keys(settings).length > 0 &&
    soft.every((field) => !settingProblem(field, draft[keyOf(field)] ?? ''))
  const apply = useAction(async () => {
    registers.set(await api.setFabricRegisters(board.id, settings))
    setDraft({})
  })
  if (!registers.data)
    return registers.problem ? (
      <ProblemNote problem={registers.problem} retry={registers.reload} />
    ) : (
      <Waiting what="Reading the registers" />
    )
  return (
    <section className="flex flex-col gap-3" data-testid="board-registers">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (isValid) void apply.run()
        }}
      >
        <h4 className={heading}>Soft registers: they take effect together, while readings go through</h4>
        <div className="grid gap-3 sm:grid-cols-3 lg:grid-cols-4">
          {soft.map((field) => {
            const key = keyOf(field)
            const text = draft[key] ?? ''
            return (
              <Field
                key={key}
                label={key}
                hint={`Is ${field.value}. ${field.doc}`}
                error={settingProblem(field, text)}
              >
                {(control) => (
                  <input
                    {...control}
                    className={inputClass}
                    inputMode="numeric"
                    autoComplete="off"
                    placeholder={String(field.value)}
                    value={text}
                    onChange={(event) => setDraft({ ...draft, [key]: event.target.value })}
                  />
                )}
              </Field>
            )
          })}
        </div>
        <ProblemNote problem={apply.problem ?? registers.problem} />
        <div>
          <Button type="submit" look="primary" busy={apply.busy} disabled={!isValid}>
            Apply
          </Button>
        </div>
      </form>
      <div>
        <h4 className={heading}>Changes</h4>
        {registers.data.changes.length === 0 ? (
          <p className="text-sm text-muted">None yet.</p>
        ) : (
          <ul className="text-sm">
            {registers.data.changes.map(({ at, settings }) => (
              <li key={at}>
                {format.instant(at)}:{' '}
                {Object.entries(settings)
                  .map(([name, value]) => `${name} = ${value}`)
                  .join(', ')}
              </li>
            ))}
          </ul>
        )}
      </div>
      <div>
        <h4 className={heading}>Read only</h4>
        <dl className="grid gap-x-4 text-sm sm:grid-cols-2 lg:grid-cols-3">
          {read.map(({ engine, name, value, doc }) => (
            <div
              key={keyOf({ engine, name })}
              className="flex justify-between gap-2 border-b border-line py-0.5"
              title={doc}
            >
              <dt className="text-muted">{keyOf({ engine, name })}</dt>
              <dd className="tabular-nums">{format.whole(value)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  )
}
