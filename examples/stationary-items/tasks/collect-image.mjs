import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * The camera of one device: the photograph at each stop of its route, in the order of the route.
 * `pace='real'` waits between two photographs as `rate` says; `'fast'` emits them as soon as they are wanted.
 */
export async function* run(inputs, args, context) {
  const { stops, photo } = inputs.outputRoute
  if (args.pace !== 'fast' && args.pace !== 'real')
    throw new Error(`pace must be 'fast' or 'real', not '${args.pace}'.`)
  const everyMs = args.pace === 'real' ? 1000 / Number.parseFloat(args.rate) : 0
  for (const { frame, x, y } of stops.slice(0, context.maxItems ?? undefined)) {
    if (everyMs > 0) await pause(everyMs)
    const image = new Uint8Array(readFileSync(context.path(`data/frames/${frame}.png`)))
    yield { frame, position: { x, y }, ground: photo, image }
  }
}
