import { setTimeout as pause } from 'node:timers/promises'

/** A temperature sensor in a field that is warmer to the east: a slow wave, and a little noise that a mean takes away. */
export async function* run(_inputs, args, context) {
  const count = Math.min(args.readings, context.maxItems ?? args.readings)
  let noise = context.deviceIndex + 1
  for (let n = 0; n < count; n++) {
    await pause(1000 / Number.parseFloat(args.rate))
    noise = (Math.imul(noise, 1664525) + 1013904223) >>> 0
    const value = 20 + context.deviceIndex / 8 + 5 * Math.sin(n / 50) + noise / 2 ** 31
    // what a sensor of 1/1024 of a degree reads
    yield Math.round(value * 1024) / 1024
  }
}
