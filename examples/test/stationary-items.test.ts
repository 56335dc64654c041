import { describe, expect, it } from 'vitest'
import { only, readJson, runExample } from './harness.ts'

const EXAMPLE = 'stationary-items'
const truth = readJson(EXAMPLE, 'ground-truth.json') as { items: number; places: Place[] }
const field = (readJson(EXAMPLE, 'inputs.json') as { inputMap: Field }).inputMap

interface Place {
  x: number
  y: number
}
interface Field {
  width: number
  height: number
  rows: number
  columns: number
  obstacles: (Place & { radius: number })[]
}
interface Route {
  stops: (Place & { frame: string })[]
  legs: [number, number][][]
  metres: number
  skipped: string[]
}
interface ItemList {
  items: number
  photographs: number
  sightings: number
  found: (Place & { frames: string[]; devices: string[] })[]
}

const metres = (a: Place, b: Place) => Math.hypot(a.x - b.x, a.y - b.y)

async function itemsOf(devices: number, args?: Record<string, Record<string, unknown>>): Promise<ItemList> {
  const outputs = await runExample(EXAMPLE, args ? { devices, args } : { devices })
  return only<ItemList>(outputs, 'itemCount')
}

describe('stationary-items', () => {
  it('counts the balls within one of the truth, the same for any number of devices', async () => {
    const [alone, ...others] = [await itemsOf(1), await itemsOf(2), await itemsOf(5), await itemsOf(8)]
    expect(Math.abs((alone?.items ?? 0) - truth.items)).toBeLessThanOrEqual(1)
    for (const list of others) {
      expect(list.items).toBe(alone?.items)
      expect(list.found.map(({ x, y, frames }) => ({ x, y, frames }))).toEqual(
        alone?.found.map(({ x, y, frames }) => ({ x, y, frames })),
      )
    }
    expect(alone?.photographs).toBe(field.rows * field.columns)
  })

  it('finds the balls where they lie, and some of them on several photographs', async () => {
    const { found, sightings } = await itemsOf(3, { createRoute: { load_balancer: 'round robin' } })
    const right = found.filter((item) => truth.places.some((place) => metres(place, item) < 0.15))
    console.log(
      `precision ${right.length}/${found.length}, recall ${right.length}/${truth.items}, ${sightings} sightings`,
    )
    expect(right.length).toBeGreaterThanOrEqual(truth.items - 1)
    expect(found.length - right.length).toBeLessThanOrEqual(1)
    expect(found.filter(({ frames }) => frames.length > 1).length).toBeGreaterThanOrEqual(3)
    expect(found.some(({ devices }) => devices.length > 1)).toBe(true)
  })

  it('plans routes over the whole field that stay clear of the trees', async () => {
    for (const devices of [1, 3, 8]) {
      const routes = ((await runExample(EXAMPLE, { devices, maxItems: 1 })).get('createRoute') ?? []).map(
        ({ value }) => value as Route,
      )
      expect(routes).toHaveLength(devices)
      expect(routes.flatMap(({ skipped }) => skipped)).toEqual([])
      const stops = routes.flatMap((route) => route.stops.map(({ frame }) => frame))
      expect(new Set(stops).size).toBe(stops.length)
      expect(stops).toHaveLength(field.rows * field.columns)
      for (const leg of routes.flatMap(({ legs }) => legs))
        for (const [x, y] of alongLeg(leg))
          for (const tree of field.obstacles) expect(metres(tree, { x, y })).toBeGreaterThan(tree.radius)
    }
  })

  it('sees the trees on the photographs they are on, and no others', async () => {
    const outputs = await runExample(EXAMPLE, { devices: 1 })
    const { stops } = only<Route>(outputs, 'createRoute')
    const photo = { width: 3.2, height: 2.4 }
    let [seen, there, wrong] = [0, 0, 0]
    for (const { value } of outputs.get('obstacleAvoidance') ?? []) {
      const { frame, obstacles } = value as { frame: string; obstacles: Place[] }
      const stop = stops.find((candidate) => candidate.frame === frame)
      if (!stop) throw new Error(`no stop ${frame}`)
      const expected = field.obstacles.filter(
        (tree) => Math.abs(tree.x - stop.x) < photo.width / 2 && Math.abs(tree.y - stop.y) < photo.height / 2,
      )
      there += expected.length
      const near = (tree: Place & { radius: number }) =>
        obstacles.some((o) => metres({ x: stop.x + o.x, y: stop.y + o.y }, tree) < tree.radius)
      seen += expected.filter(near).length
      const reach = field.obstacles.map((tree) => ({ ...tree, x: tree.x - stop.x, y: tree.y - stop.y }))
      wrong += obstacles.filter((o) => !reach.some((tree) => metres(tree, o) < tree.radius + 0.3)).length
    }
    console.log(`trees: ${seen} of ${there} seen, ${wrong} false`)
    expect(seen).toBe(there)
    expect(wrong).toBe(0)
  })

  it('says what is wrong with an unknown policy or pace', async () => {
    const policy = runExample(EXAMPLE, { devices: 1, args: { createRoute: { load_balancer: 'any' } } })
    await expect(policy).rejects.toThrow(/contiguous/)
    const pace = runExample(EXAMPLE, { devices: 1, args: { collectImage: { pace: 'slow' } } })
    await expect(pace).rejects.toThrow(/fast/)
  })
})

/** Points every 5 cm along a leg. */
function* alongLeg(leg: [number, number][]): Generator<[number, number]> {
  for (const [index, to] of leg.entries()) {
    const from = leg[index - 1] ?? to
    const steps = Math.max(1, Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1]) / 0.05))
    for (let i = 0; i <= steps; i++)
      yield [from[0] + ((to[0] - from[0]) * i) / steps, from[1] + ((to[1] - from[1]) * i) / steps]
  }
}
