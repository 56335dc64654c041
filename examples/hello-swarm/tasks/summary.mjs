/** One report over the verdicts of all devices: `inputs.verdict` is a list of `{device, seq, value}`. */
export function run(inputs, _args, context) {
  const verdicts = inputs.verdict.map((arrived) => arrived.value)
  const stations = {}
  for (const { station, temperatureC, dewPointC, ground } of verdicts) {
    stations[station] ??= {
      readings: 0,
      coldestC: temperatureC,
      highestDewPointC: dewPointC,
      icy: 0,
      wet: 0,
      dry: 0,
    }
    const known = stations[station]
    known.readings += 1
    known.coldestC = Math.min(known.coldestC, temperatureC)
    known.highestDewPointC = Math.max(known.highestDewPointC, dewPointC)
    known[ground] += 1
  }
  const playable = Object.keys(stations).filter((station) => stations[station].icy === 0)
  context.log(
    `${verdicts.length} readings from ${new Set(inputs.verdict.map((arrived) => arrived.device)).size} devices`,
  )
  return { readings: verdicts.length, stations, playable: playable.sort() }
}
