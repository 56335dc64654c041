import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useAction, useLoad } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Field, inputClass, NumberField, wholeNumber } from '../../ui/fields.tsx'
import { parameterProblem, settingsOf } from './fabric.ts'

const MAX_SEEDS = 16

/** Starts a build from the generator's own parameters. */
export function BuildDialog({ onStarted, onClose }: { onStarted: () => void; onClose: () => void }) {
  const schema = useLoad((signal) => api.listFabricParameters(signal), [])
  const [draft, setDraft] = useState<Record<string, string>>({})
  const [seeds, setSeeds] = useState('1')
  const seedCount = wholeNumber(seeds, 1, MAX_SEEDS)
  const isValid =
    seedCount !== undefined &&
    schema.data?.every((parameter) => !parameterProblem(parameter, draft[parameter.name] ?? ''))
  const start = useAction(async () => {
    await api.startFabricBuild({ parameters: settingsOf(draft), seeds: seedCount ?? 1 })
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
        {schema.data && (
          <div className="grid gap-3 sm:grid-cols-2">
            {schema.data.map((parameter) => {
              const { name, unit, limits, doc } = parameter
              const text = draft[name] ?? ''
              return (
                <Field
                  key={name}
                  label={unit ? `${name} (${unit})` : name}
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
                      onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
                    />
                  )}
                </Field>
              )
            })}
            <NumberField
              label="Seeds"
              hint="Place and route is tried with each; the best timing is packed."
              min={1}
              max={MAX_SEEDS}
              value={seeds}
              onChange={setSeeds}
            />
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
