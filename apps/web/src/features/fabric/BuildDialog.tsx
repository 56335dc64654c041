import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useAction, useLoad } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Field, inputClass, NumberField, wholeNumber } from '../../ui/fields.tsx'
import { ENGINES, type Engine, keyOf, parameterProblem, parametersOf, settingsOf } from './fabric.ts'

const MAX_SEEDS = 16

/** Starts a build from the generator's own parameters. */
export function BuildDialog({ onStarted, onClose }: { onStarted: () => void; onClose: () => void }) {
  const schema = useLoad((signal) => api.listFabricParameters(signal), [])
  const [engines, setEngines] = useState<Engine[]>(['distil'])
  const [draft, setDraft] = useState<Record<string, string>>({})
  const [seeds, setSeeds] = useState('5')
  const [sweep, setSweep] = useState(false)
  const seedCount = wholeNumber(seeds, 1, MAX_SEEDS)
  const parameters = schema.data && parametersOf(schema.data, engines)
  const isValid =
    seedCount !== undefined &&
    engines.length > 0 &&
    parameters?.every((parameter) => !parameterProblem(parameter, draft[keyOf(parameter)] ?? ''))
  const start = useAction(async () => {
    // what was typed for an engine that is not chosen any more does not count
    const chosen = new Set(parameters?.map(keyOf))
    const texts = Object.fromEntries(Object.entries(draft).filter(([key]) => chosen.has(key)))
    await api.startFabricBuild({ engines, parameters: settingsOf(texts), seeds: seedCount ?? 1, sweep })
    onStarted()
    onClose()
  })
  return (
    <Dialog title="Build a bitstream" wide onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        data-testid="build-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (isValid) void start.run()
        }}
      >
        <ProblemNote problem={schema.problem} retry={schema.reload} />
        {schema.loading && !schema.data && (
          <Waiting what="Asking the generator for its parameters; the first time takes a minute" />
        )}
        <fieldset className="flex flex-wrap gap-x-6 gap-y-2 text-sm">
          <legend className="mb-1 text-xs font-semibold text-muted">Engines</legend>
          {(Object.keys(ENGINES) as Engine[]).map((engine) => (
            <label key={engine} className="flex items-center gap-2">
              <input
                type="checkbox"
                checked={engines.includes(engine)}
                onChange={({ target }) =>
                  setEngines(
                    target.checked ? [...engines, engine] : engines.filter((each) => each !== engine),
                  )
                }
              />
              {engine}: {ENGINES[engine]}
            </label>
          ))}
        </fieldset>
        {engines.length === 0 && (
          <p className="text-sm text-danger" role="alert">
            A fabric has at least one engine.
          </p>
        )}
        {parameters && (
          <div className="grid gap-3 sm:grid-cols-2">
            {parameters.map((parameter) => {
              const { unit, limits, doc } = parameter
              const key = keyOf(parameter)
              const text = draft[key] ?? ''
              return (
                <Field
                  key={key}
                  label={unit ? `${key} (${unit})` : key}
                  hint={`${doc ? `${doc}: ` : ''}${limits}.`}
                  error={parameterProblem(parameter, text)}
                >
                  {(control) => (
                    <input
                      {...control}
                      className={inputClass}
                      inputMode="numeric"
                      autoComplete="off"
                      placeholder={String(parameter.default)}
                      value={text}
                      onChange={(event) => setDraft({ ...draft, [key]: event.target.value })}
                    />
                  )}
                </Field>
              )
            })}
            <NumberField
              label="Seeds"
              hint="Place and route tries them until one meets the timing; if none does, the best is packed."
              min={1}
              max={MAX_SEEDS}
              value={seeds}
              onChange={setSeeds}
            />
            <label className="flex items-center gap-2 text-sm">
              <input type="checkbox" checked={sweep} onChange={({ target }) => setSweep(target.checked)} />
              Try all seeds, and pack the best
            </label>
          </div>
        )}
        <ProblemNote problem={start.problem} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={start.busy} disabled={!isValid}>
            Build
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
