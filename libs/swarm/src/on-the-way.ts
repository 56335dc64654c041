/** How far tasks on devices run ahead of the service, and sensors ahead of the tasks on their device. */

/**
 * A task on a device, also a sensor, goes on with its next item while fewer than so many items are on their way to the service: a
 * long way there then costs time, but not the rate of the items.
 */
export const MAX_ITEMS_ON_THE_WAY = 64
/** And while they have fewer than so many bytes together. */
export const MAX_BYTES_ON_THE_WAY = 2 ** 20
/** A larger value, in bytes, is handed to the store before its task goes on, one after the other. */
export const MAX_BYTES_IN_A_MESSAGE = 256 * 1024

/** A sensor waits with its next item while more invocations than these are ready on its device and wait for a core. */
export const MAX_READY_ON_DEVICE = 16

/** Items of so many bytes of one task on one device that are on their way at once at most; at least 1. */
export function itemsOnTheWay(bytes: number): number {
  if (bytes > MAX_BYTES_IN_A_MESSAGE) return 1
  return Math.max(1, Math.min(MAX_ITEMS_ON_THE_WAY, Math.ceil(MAX_BYTES_ON_THE_WAY / Math.max(1, bytes))))
}
