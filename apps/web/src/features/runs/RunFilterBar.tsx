import { useEffect, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Field, InlineSelect, inputClass, wholeNumber } from '../../ui/fields.tsx'
import { MAX_TEXT_LENGTH, MAX_VERSION, RUN_STATES, type RunFilter } from './filter.ts'

/** Time without a key press after which typed text filters, in ms. */
const TYPING_PAUSE_MS = 250

/** The controls that filter the list of runs. An empty value filters nothing. */
export function RunFilterBar({
  filter,
  onFilter,
  onClear,
}: {
  filter: RunFilter
  onFilter: (field: keyof RunFilter, value: string) => void
  onClear: () => void
}) {
  return (
    <search className="flex flex-wrap items-start gap-3" aria-label="Filter runs">
      <Typed
        label="Text"
        value={filter.text ?? ''}
        placeholder="Message, target or id"
        className="w-56"
        maxLength={MAX_TEXT_LENGTH}
        onCommit={(text) => onFilter('text', text)}
      />
      <Typed
        label="Version"
        value={filter.version === undefined ? '' : String(filter.version)}
        placeholder="any"
        className="w-28"
        isValid={(text) => wholeNumber(text, 1, MAX_VERSION) !== undefined}
        error="Enter a whole number from 1."
        onCommit={(version) => onFilter('version', version)}
      />
      <span className="pt-5">
        <InlineSelect
          label="State"
          testId="runs-state"
          className="w-auto!"
          value={filter.state ?? ''}
          options={[
            { value: '', label: 'any' },
            ...RUN_STATES.map((state) => ({ value: state, label: state })),
          ]}
          onChange={(state) => onFilter('state', state)}
        />
      </span>
      {Object.keys(filter).length > 0 && (
        <Button className="mt-5" onClick={onClear}>
          Clear the filter
        </Button>
      )}
    </search>
  )
}

/** A text field that takes effect when the typing pauses. */
function Typed({
  label,
  value,
  placeholder,
  className,
  maxLength,
  isValid = () => true,
  error,
  onCommit,
}: {
  label: string
  value: string
  placeholder: string
  className: string
  maxLength?: number
  isValid?: (text: string) => boolean
  /** Shown while the text is not valid. */
  error?: string
  onCommit: (value: string) => void
}) {
  const [draft, setDraft] = useState(value)
  const text = draft.trim()
  const valid = text === '' || isValid(text)
  useEffect(() => setDraft(value), [value])
  useEffect(() => {
    if (text === value || !valid) return
    const timer = setTimeout(() => onCommit(text), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, value, valid, onCommit])
  return (
    <Field label={label} className={className} {...(!valid && error !== undefined && { error })}>
      {(control) => (
        <input
          {...control}
          type="search"
          className={inputClass}
          autoComplete="off"
          maxLength={maxLength}
          placeholder={placeholder}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
        />
      )}
    </Field>
  )
}
