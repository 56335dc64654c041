/** Where a candidate stops or starts to meet the constraints, in sentences. */
import * as format from '../../reports/format.ts'
import type { Why } from '../whatif/work.ts'

const units: Record<Why['limits'][number]['knob'], (value: number) => string> = {
  devices: (value) => format.count(value, 'device'),
  bandwidth: (value) => `${format.number(value)} Mbit/s of link bandwidth`,
  price: (value) => `${format.cost(value)} per core and hour`,
}

/** `met`, or the names of the constraints missed, separated by commas. */
const stateText = (state: string): string =>
  state === 'met' ? 'it meets every constraint' : `it misses ${state.split(',').join(' and ')}`

export const limitSentences = (limits: Why['limits']): string[] =>
  limits.flatMap(({ knob, crossovers }) =>
    crossovers.map(
      ({ at, below, above }) =>
        `From ${units[knob](at)} on ${stateText(above)}; below that ${stateText(below)} (by formula).`,
    ),
  )
