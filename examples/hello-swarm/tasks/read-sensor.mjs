import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * The weather sensor of one device: emits the readings of its station, one by one.
 * The stations of `data/readings.csv` are dealt out to the devices in turn, so two devices never read the same one.
 */
export async function* run(_inputs, args, context) {
  const rows = readFileSync(context.path('data/readings.csv'), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
  const stations = [...new Set(rows.map((row) => row[0]))]
  const mine = stations.filter((_, index) => index % context.devices.length === context.deviceIndex)
  context.log(
    mine.length > 0 ? `reading station ${mine.join(', ')}` : 'there is no station left for this device',
  )

  const everyMs = 1000 / Number.parseFloat(args.rate)
  const readings = rows.filter((row) => mine.includes(row[0])).slice(0, context.maxItems ?? undefined)
  for (const [station, minute, temperatureC, humidity] of readings) {
    await pause(everyMs)
    yield {
      station,
      minute: Number(minute),
      temperatureC: Number(temperatureC),
      humidity: Number(humidity),
    }
  }
}
