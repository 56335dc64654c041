/** Devices that move over an area: the access point each uses, and its rate there. */
import type { Model } from '../model/model.ts'
import { laneOf, streamOf, uniform } from '../random.ts'

/** How devices move, and where the access points are. */
export interface Mobility {
  /** Width and height of the area, in m. */
  areaM: [number, number]
  /**
   * `sweep`, also without it: the area is divided into strips, one for each device, which it goes up and down in tracks and
   * then all the way back (paper sections 2.1 and 4.6). `waypoints`: from one random point of the area to the next.
   */
  route?: 'sweep' | 'waypoints'
  /** Between two tracks of a sweep, in m; 6.7 without it (what a frame covers, paper section 2.1). */
  trackM?: number
  /** Where each access point stands; without it, in the middles of equal columns. */
  accessPointsM?: [number, number][]
}

const TRACK_M = 6.7
const WAYPOINT = 10

/**
 * Up to so many metres a link has this share of its best rate. Rates are those of IEEE 802.11ac with two streams of 80 MHz
 * (MCS 9 to 0: 867 to 65 Mb/s); each needs the signal that the standard demands of a receiver (Table 22-25: -51 to -76
 * dBm), which 20 dBm at 5.25 GHz have at that distance in free space. Beyond the last, the lowest rate is kept.
 */
const RATES: readonly (readonly [upToM: number, share: number])[] = [
  [16, 1],
  [20, 0.9],
  [36, 0.75],
  [40, 0.675],
  [45, 0.6],
  [72, 0.45],
  [114, 0.3],
  [161, 0.225],
  [203, 0.15],
  [Number.POSITIVE_INFINITY, 0.075],
]

/**
 * Checks the movement of a model's devices.
 * @throws RangeError naming the field that is out of its range
 */
export function checkMobility({ areaM, trackM, accessPointsM }: Mobility, model: Model): void {
  if (!areaM.every((metres) => metres > 0 && Number.isFinite(metres)))
    throw new RangeError(`'mobility.areaM' must be two lengths above 0, not ${areaM.join(' and ')}.`)
  if (trackM !== undefined && !(trackM > 0))
    throw new RangeError(`'mobility.trackM' must be above 0, not ${trackM}.`)
  const { accessPoints } = model.link
  if (accessPointsM && accessPointsM.length !== accessPoints)
    throw new RangeError(
      `'mobility.accessPointsM' must have a place for each of the ${accessPoints} access points of the fleet, not ${accessPointsM.length}.`,
    )
}

interface Leg {
  number: number
  fromX: number
  fromY: number
  toX: number
  toY: number
  beganAt: number
  endsAt: number
}

/** The positions of the devices. Times must not decrease from one call to the next. */
export class Movement {
  readonly #mobility: Mobility
  readonly #speeds: Float64Array
  readonly #points: readonly (readonly [number, number])[]
  readonly #stream: number
  readonly #legs: (Leg | undefined)[] = []

  constructor(mobility: Mobility, model: Model, seed: number) {
    const [width, height] = mobility.areaM
    const { accessPoints } = model.link
    this.#mobility = mobility
    // m/s are m in 1,000 ms
    this.#speeds = Float64Array.from(model.classOf, (each) => (model.classes[each]?.speedMps ?? 0) / 1000)
    this.#points =
      mobility.accessPointsM ??
      Array.from(
        { length: accessPoints },
        (_, at) => [(width * (at + 0.5)) / accessPoints, height / 2] as const,
      )
    this.#stream = streamOf(seed, WAYPOINT)
  }

  /** The access point that a device is nearest to, and how many times longer than at its best a transfer takes there. */
  linkOf(device: number, now: number): { point: number; slowdown: number } {
    const [x, y] = this.positionOf(device, now)
    let point = 0
    let least = Number.POSITIVE_INFINITY
    for (const [at, [pointX, pointY]] of this.#points.entries()) {
      const square = (x - pointX) * (x - pointX) + (y - pointY) * (y - pointY)
      if (square >= least) continue
      least = square
      point = at
    }
    const metres = Math.sqrt(least)
    const [, share] = RATES.find(([upTo]) => metres <= upTo) as readonly [number, number]
    return { point, slowdown: 1 / share }
  }

  /** Where a device is, in m from a corner of the area. */
  positionOf(device: number, now: number): [number, number] {
    const speed = this.#speeds[device] as number
    if (this.#mobility.route === 'waypoints') return this.#onLeg(device, speed, now)
    return this.#onTrack(device, speed * now)
  }

  #onTrack(device: number, metres: number): [number, number] {
    const [width, height] = this.#mobility.areaM
    const strip = width / this.#speeds.length
    const tracks = Math.ceil(strip / (this.#mobility.trackM ?? TRACK_M))
    const between = strip / tracks
    const way = tracks * height + (tracks - 1) * between
    const round = metres - Math.floor(metres / (2 * way)) * 2 * way
    const gone = round <= way ? round : 2 * way - round
    const track = Math.min(tracks - 1, Math.floor(gone / (height + between)))
    const along = gone - track * (height + between)
    const up = Math.min(along, height)
    const x = strip * device + between * (track + 0.5) + (along - up)
    return [x, track % 2 === 0 ? up : height - up]
  }

  #onLeg(device: number, speed: number, now: number): [number, number] {
    let leg = this.#legs[device]
    if (!leg) {
      const [x, y] = this.#waypoint(device, 0)
      leg = { number: 0, fromX: x, fromY: y, toX: x, toY: y, beganAt: 0, endsAt: 0 }
    }
    while (speed > 0 && leg.endsAt <= now) {
      const number: number = leg.number + 1
      const [toX, toY] = this.#waypoint(device, number)
      const { toX: fromX, toY: fromY, endsAt: beganAt }: Leg = leg
      const metres = Math.sqrt((toX - fromX) * (toX - fromX) + (toY - fromY) * (toY - fromY))
      leg = { number, fromX, fromY, toX, toY, beganAt, endsAt: beganAt + metres / speed }
    }
    this.#legs[device] = leg
    const took = leg.endsAt - leg.beganAt
    const share = took > 0 ? (now - leg.beganAt) / took : 0
    return [leg.fromX + (leg.toX - leg.fromX) * share, leg.fromY + (leg.toY - leg.fromY) * share]
  }

  #waypoint(device: number, number: number): [number, number] {
    const [width, height] = this.#mobility.areaM
    const stream = laneOf(this.#stream, device)
    return [width * uniform(stream, 2 * number), height * uniform(stream, 2 * number + 1)]
  }
}
