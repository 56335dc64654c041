import { type HandOverKind, isDeployable } from '@hivemind/swarm'
import { Compass } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import type { FleetSummary, Project } from '../../api/types.ts'
import { useAction } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { ProblemNote } from '../../ui/feedback.tsx'
import { Field, inputClass, NumberField, wholeNumber } from '../../ui/fields.tsx'
import * as format from '../reports/format.ts'
import { handOverLabels } from './handOver.ts'
import type { ExplorationRequest } from './MeasureFirst.tsx'

const DEFAULT_FLEET = 'paper-drones'

/** Form to start an exploration of the newest saved version: fleet, devices, readings, data between functions, seed. */
export function ExploreForm({
  project,
  fleets,
  firstFleet,
  running,
  usualItems,
  onStart,
}: {
  project: Project
  fleets: readonly FleetSummary[]
  /** Name of the fleet that is chosen at first. */
  firstFleet: string | undefined
  running: boolean
  /** Default items per device, as the shown exploration used it; `undefined` until one is shown. */
  usualItems: number | undefined
  /** Starts the exploration; rejects with the problem. */
  onStart: (request: ExplorationRequest) => Promise<void>
}) {
  const usable = fleets.filter((one) => one.problem === undefined)
  const [fleet, setFleet] = useState(
    () => usable.find((one) => one.name === firstFleet)?.name ?? DEFAULT_FLEET,
  )
  const [devices, setDevices] = useState('')
  const [items, setItems] = useState('')
  const [seed, setSeed] = useState('1')
  const [chosenHandOver, setHandOver] = useState<HandOverKind>()
  const chosen = fleets.find((one) => one.name === fleet)
  const handOvers = chosen?.handOvers ?? []
  const handOver = handOvers.find((kind) => kind === chosenHandOver) ?? handOvers[0]
  const numbers = {
    devices: wholeNumber(devices, 1, 10_000),
    itemsPerDevice: wholeNumber(items, 1, 100_000),
    seed: wholeNumber(seed, 0, 2 ** 31 - 1),
  }
  const valid =
    (devices.trim() === '' || numbers.devices !== undefined) &&
    (items.trim() === '' || numbers.itemsPerDevice !== undefined) &&
    numbers.seed !== undefined

  const start = useAction(async () => {
    await onStart({
      version: project.headVersion,
      fleet,
      ...(numbers.devices === undefined ? {} : { devices: numbers.devices }),
      ...(numbers.itemsPerDevice === undefined ? {} : { itemsPerDevice: numbers.itemsPerDevice }),
      ...(handOver === undefined || handOver === handOvers[0] ? {} : { handOver }),
      seed: numbers.seed ?? 1,
    })
  })

  const fieldError = (name: string) =>
    start.problem?.fields.find((field) => field.field.endsWith(name))?.message

  if (project.headVersion < 1)
    return (
      <p className="text-sm">
        This project has no saved version. <Link to={`/projects/${project.id}`}>Save the workflow</Link> to
        explore its placements.
      </p>
    )
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (valid && !running) void start.run()
      }}
    >
      <div className="grid grid-cols-[repeat(auto-fit,minmax(8rem,1fr))] items-start gap-3 lg:grid-cols-[minmax(11rem,1.5fr)_repeat(4,minmax(6.5rem,1fr))_auto]">
        <Field
          label="Fleet"
          term="fleet"
          error={fieldError('fleet')}
          hint={
            <>
              {chosen && `${format.count(chosen.devices, 'device')}: ${chosen.classes.join(', ')}. `}
              <Link className="text-accent-strong underline" to={`../fleets?fleet=${fleet}`}>
                See and change fleets
              </Link>
            </>
          }
        >
          {(control) => (
            <select
              {...control}
              className={inputClass}
              value={fleet}
              onChange={(event) => setFleet(event.target.value)}
            >
              {usable.map((one) => (
                <option key={one.name} value={one.name}>
                  {one.own ? `${one.name}: ${one.label}` : one.label}
                </option>
              ))}
            </select>
          )}
        </Field>
        <NumberField
          label="Devices"
          hint="Empty: all of the fleet"
          error={fieldError('devices')}
          placeholder={chosen ? String(chosen.devices) : ''}
          value={devices}
          onChange={setDevices}
          min={1}
          max={10_000}
        />
        <NumberField
          label="Readings per device"
          term="readings"
          hint={`For each sensor. Empty: the ${project.example ? 'example' : 'profile'}’s number`}
          error={fieldError('itemsPerDevice')}
          placeholder={
            usualItems === undefined
              ? project.example
                ? "the example's"
                : "the profile's"
              : String(usualItems)
          }
          value={items}
          onChange={setItems}
          min={1}
          max={100_000}
        />
        <Field
          label="Data between functions"
          term="betweenFunctions"
          error={fieldError('handOver')}
          hint={
            handOver && !isDeployable(handOver)
              ? 'This way cannot be deployed yet'
              : 'How cloud functions pass data to each other'
          }
        >
          {(control) => (
            <select
              {...control}
              className={inputClass}
              value={handOver}
              onChange={(event) => setHandOver(event.target.value as HandOverKind)}
            >
              {handOvers.map((kind) => (
                <option key={kind} value={kind}>
                  {handOverLabels[kind]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <NumberField
          label="Random seed"
          term="seed"
          hint="The same seed gives the same result"
          error={fieldError('seed')}
          value={seed}
          onChange={setSeed}
          min={0}
          max={2 ** 31 - 1}
        />
        <div className="flex flex-col gap-1 pt-5">
          <Button
            type="submit"
            look="primary"
            data-testid="explore-start"
            busy={start.busy}
            disabled={!valid || running}
            title={running ? 'Another exploration is running. Wait for it, or cancel it.' : undefined}
          >
            {!start.busy && <Compass className="size-4" aria-hidden="true" />}
            Explore
          </Button>
          <span className="text-xs text-muted">Explores version {project.headVersion}</span>
        </div>
      </div>
      <ProblemNote problem={start.problem} />
    </form>
  )
}
