/** Figures of the Devices table. */
import type { Device } from '../../api/types.ts'

/** Charge of the battery from 0 to 1; `undefined` when the device reports no battery. */
export function batteryShare({ telemetry }: Pick<Device, 'telemetry'>): number | undefined {
  const { batteryWh, capacityWh } = telemetry ?? {}
  if (batteryWh === undefined || capacityWh === undefined || capacityWh <= 0) return undefined
  return Math.min(1, Math.max(0, batteryWh / capacityWh))
}

/** Whether the agent of a device of another machine is not the one that the service gives. */
export const isOtherVersion = (
  { enrolled, state, version }: Pick<Device, 'enrolled' | 'state' | 'version'>,
  ofService: string | undefined,
): boolean => enrolled && state === 'online' && ofService !== undefined && version !== ofService

/** What is wrong with the id of a new device; `undefined` for a good one, and for none yet. */
export const deviceIdProblem = (id: string): string | undefined =>
  id === '' || /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(id)
    ? undefined
    : "Use letters, digits, '_' and '-', at most 64, and begin with a letter or digit."

/** Online devices first, then by class and id, with numbers in ids in numeric order. */
export const sortedDevices = (devices: readonly Device[]): Device[] =>
  devices.toSorted(
    (a, b) =>
      Number(a.state === 'gone') - Number(b.state === 'gone') ||
      a.class.localeCompare(b.class, 'en') ||
      a.id.localeCompare(b.id, 'en', { numeric: true }),
  )
