/** Pins: the tier, class or device that a `Place` directive names. */
import type { Pin } from './workflow.ts'

/** The text of a pin in the language: `Cloud`, `Fabric`, `Edge:all`, `Edge:rover` or `Edge:device-2`. */
export function placeText(pin: Pin): string {
  const tier = pin.tier.charAt(0).toUpperCase() + pin.tier.slice(1)
  return 'target' in pin ? `${tier}:${pin.target}` : tier
}

/** Whether a pin puts its task on devices: on all of them, on those of one class, or on a single one. */
export function pinsToDevices(pin: Pin | undefined): pin is Extract<Pin, { target: string }> {
  return pin !== undefined && 'target' in pin
}
