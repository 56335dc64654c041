/** What the robots did together: `arrival` is a list of `{device, seq, value}`. */
export function run({ arrival }) {
  const robots = Object.fromEntries(arrival.map(({ device, value }) => [device, value]))
  const distances = arrival.map(({ value }) => value.distanceM)
  return {
    robots,
    targets: arrival.map(({ value }) => value.target).sort(),
    totalM: distances.reduce((sum, one) => sum + one, 0),
    lastArrivalS: Math.max(0, ...arrival.map(({ value }) => value.seconds)),
  }
}
