import type { FabricBuild } from '../../api/types.ts'
import { InlineSelect } from '../../ui/fields.tsx'
import { buildLabel } from './fabric.ts'

/** A list of bitstreams to choose one from. */
export function BuildSelect({
  label,
  builds,
  value,
  onChange,
}: {
  label: string
  builds: readonly FabricBuild[]
  value: string
  onChange: (id: string) => void
}) {
  return (
    <InlineSelect
      label={label}
      value={value}
      options={builds.map((build) => ({ value: build.id, label: buildLabel(build) }))}
      onChange={onChange}
    />
  )
}
