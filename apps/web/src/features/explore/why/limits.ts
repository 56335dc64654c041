/** Sentences that say from which settings on a candidate meets or misses the constraints. */
import * as format from '../../reports/format.ts'
import type { Why } from '../whatif/work.ts'

const units: Record<Why['limits'][number]['knob'], (value: number) => string> = {
  devices: (value) => format.count(value, 'device'),
  bandwidth: (value) => `${format.number(value)} Mbit/s of link bandwidth`,
  price: (value) => `${format.cost(value)} per core and hour`,
}

/** `state` is `met`, or the names of the missed constraints, separated by commas. */
const stateText = (state: string): string =>
  state === 'met' ? 'it meets every constraint' : `it misses ${state.split(',').join(' and ')}`

export const limitSentences = (limits: Why['limits']): string[] =>
  limits.flatMap(({ knob, crossovers }) =>
    crossovers.map(
      ({ at, below, above }) =>
        `From ${units[knob](at)} up ${stateText(above)}; below that ${stateText(below)} (quick estimate).`,
    ),
  )
