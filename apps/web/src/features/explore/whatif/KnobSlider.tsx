import { RotateCcw } from 'lucide-react'
import { type KeyboardEvent, memo, type SyntheticEvent, useId, useState } from 'react'
import { inputClass } from '../../../ui/fields.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import * as format from '../../reports/format.ts'
import { type Knob, type KnobId, POSITIONS, parsed, positionOf, stepped, valueAt } from './knobs.ts'

/** Slider steps of each key. 12 steps double a value. */
const keys: Record<string, number> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 12,
  PageDown: -12,
}

const plain = (value: number): string => String(Number(value.toPrecision(6)))

/** One setting of a scenario: a slider, a field for the exact value, and a reset button. */
export const KnobSlider = memo(function KnobSlider({
  knob,
  value,
  onChange,
  onReset,
}: {
  knob: Knob
  value: number
  /** `at`: time of the input event, in ms on the clock of `performance.now()`. */
  onChange: (id: KnobId, value: number, at: number) => void
  onReset: (id: KnobId, at: number) => void
}) {
  const id = useId()
  const [typed, setTyped] = useState<string>()
  const invalid = typed !== undefined && parsed(knob, typed) === undefined
  const turn = (next: number, event: SyntheticEvent) => {
    setTyped(undefined)
    onChange(knob.id, next, event.timeStamp)
  }
  const onKey = (event: KeyboardEvent) => {
    const steps = keys[event.key]
    if (steps === undefined) return
    event.preventDefault()
    turn(stepped(knob, value, steps), event)
  }
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <label htmlFor={id} className="min-w-0 flex-1 truncate text-xs font-medium text-muted">
          {knob.label}
        </label>
        <input
          className={`${inputClass} h-7! w-24! text-right tabular-nums`}
          inputMode="decimal"
          autoComplete="off"
          aria-label={`${knob.label}, exact${knob.unit ? `, in ${knob.unit}` : ''}`}
          aria-invalid={invalid}
          data-testid={`knob-${knob.id}-value`}
          value={typed ?? plain(value)}
          onChange={(event) => {
            setTyped(event.target.value)
            const next = parsed(knob, event.target.value)
            if (next !== undefined) onChange(knob.id, next, event.timeStamp)
          }}
          onKeyDown={(event) => event.key === 'Escape' && setTyped(undefined)}
          onBlur={() => !invalid && setTyped(undefined)}
        />
        <span className="w-14 text-xs text-muted">{knob.unit}</span>
        <IconButton
          label={`Reset ${knob.label.toLowerCase()} to ${knob.print(knob.base)}`}
          data-testid={`knob-${knob.id}-reset`}
          disabled={value === knob.base && typed === undefined}
          onClick={(event) => {
            setTyped(undefined)
            onReset(knob.id, event.timeStamp)
          }}
        >
          <RotateCcw className="size-3.5" aria-hidden="true" />
        </IconButton>
      </div>
      <input
        id={id}
        type="range"
        data-testid={`knob-${knob.id}`}
        className="w-full accent-accent"
        min={0}
        max={POSITIONS}
        step={1}
        value={positionOf(knob, value)}
        aria-valuetext={knob.print(value)}
        onChange={(event) => turn(valueAt(knob, Number(event.target.value)), event)}
        onKeyDown={onKey}
      />
      {invalid ? (
        <p className="text-xs text-danger" role="alert">
          Enter {knob.whole ? 'a whole number' : 'a number'} from {format.number(knob.min)} to{' '}
          {format.number(knob.max)}.
        </p>
      ) : (
        value !== knob.base && (
          <p className="text-xs text-muted">
            {format.number(value / knob.base)} × the explored {knob.print(knob.base)}
          </p>
        )
      )}
    </div>
  )
})
