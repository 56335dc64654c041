/**
 * Counts the items of the whole field: sightings within `radius` metres of each other, over all photographs and
 * devices, are one item. The answer does not depend on which device saw what, nor in which order.
 */
export function run(inputs, args, context) {
  const sightings = inputs.detections
    .flatMap(({ device, value }) => value.items.map((item) => ({ ...item, frame: value.frame, device })))
    .sort((a, b) => a.x - b.x || a.y - b.y || (a.frame < b.frame ? -1 : 1))
  const groups = []
  for (const sighting of sightings) {
    const near = groups.filter((group) =>
      group.some((other) => metresBetween(other, sighting) <= args.radius),
    )
    const merged = [...near.flat(), sighting]
    for (const group of near) groups.splice(groups.indexOf(group), 1)
    groups.push(merged)
  }
  const items = groups.map((group) => ({
    x: mean(group.map(({ x }) => x)),
    y: mean(group.map(({ y }) => y)),
    frames: [...new Set(group.map(({ frame }) => frame))].sort(),
    devices: [...new Set(group.map(({ device }) => device))].sort(),
  }))
  const photographs = new Set(inputs.detections.map(({ value }) => value.frame)).size
  context.log(`${items.length} items from ${sightings.length} sightings on ${photographs} photographs`)
  return { items: items.length, photographs, sightings: sightings.length, found: items }
}

const metresBetween = (a, b) => Math.hypot(a.x - b.x, a.y - b.y)
const mean = (values) =>
  Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 1000) / 1000
