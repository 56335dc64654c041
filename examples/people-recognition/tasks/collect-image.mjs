// The camera of a device: the recorded feeds are shared out among the devices, and each plays its own back in order.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export function* run({ outputRoute }, args, context) {
  const folder = context.path('data/frames')
  const feeds = readdirSync(folder).sort()
  const mine = feeds.filter((_, index) => index % context.devices.length === context.deviceIndex)
  context.log(`${context.device} plays back ${mine.join(', ') || 'no feed'}`)
  const { waypoints = [] } = outputRoute ?? {}
  let count = 0
  for (const feed of mine)
    for (const name of readdirSync(path.join(folder, feed)).sort()) {
      if (context.maxItems != null && count >= context.maxItems) return
      const at = waypoints[count % Math.max(1, waypoints.length)] ?? null
      yield {
        frame: `${feed}/${path.parse(name).name}`,
        resolution: args.resolution,
        position: at,
        image: new Uint8Array(readFileSync(path.join(folder, feed, name))),
      }
      count++
    }
}
