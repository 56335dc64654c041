/** The latest mean of each sensor, and the warmest and coldest of the field: `inputs.mean` is a list of `{device, seq, value}`. */
export function run(inputs, _args, context) {
  const latest = new Map()
  for (const { device, seq, value } of inputs.mean)
    if (seq >= (latest.get(device)?.seq ?? 0)) latest.set(device, { seq, value })
  const sensors = [...latest]
    .map(([device, { value }]) => ({ device, mean: value }))
    .sort((a, b) => a.mean - b.mean)
  context.log(`${inputs.mean.length} means of ${sensors.length} sensors`)
  return { means: inputs.mean.length, coldest: sensors[0] ?? null, warmest: sensors.at(-1) ?? null, sensors }
}
