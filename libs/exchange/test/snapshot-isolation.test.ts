/** The judge of snapshot isolation, with planted histories. */
import { describe, expect, it } from 'vitest'
import { findAnomalies, type Recorded, type Step } from './snapshot-isolation.ts'

const read = (object: string, ...seen: string[]): Step => ({ object, seen })
const append = (object: string, appended: string): Step => ({ object, appended })
/** Transactions at the same time, unless `at` says when. */
const transaction = (steps: Step[], rest: Partial<Recorded> = {}): Recorded => ({
  start: 0,
  end: 100,
  outcome: 'committed',
  steps,
  ...rest,
})
const later = (steps: Step[]): Recorded => transaction(steps, { start: 200, end: 300 })

describe('snapshot isolation is refused for', () => {
  it.each<[string, string, Recorded[]]>([
    [
      'a lost update',
      'lost update: 1, appended to x, is gone',
      [
        transaction([read('x'), append('x', '1')]),
        transaction([read('x'), append('x', '2')]),
        later([read('x', '2')]),
      ],
    ],
    [
      'two writers of one version',
      'form a cycle',
      [
        transaction([read('x'), append('x', '1')]),
        transaction([read('x'), append('x', '2')]),
        later([read('x', '1', '2')]),
      ],
    ],
    [
      'versions that contradict each other',
      'lost update: x was seen as [',
      [
        transaction([append('x', '1')]),
        transaction([append('x', '2')]),
        transaction([read('x', '1')]),
        later([read('x', '2')]),
      ],
    ],
    [
      'an aborted read',
      'G1a',
      [transaction([append('x', '1')], { outcome: 'aborted' }), transaction([read('x', '1')])],
    ],
    [
      'an intermediate read',
      'G1b',
      [
        transaction([append('x', '1'), append('x', '2')]),
        transaction([read('x', '1')]),
        later([read('x', '1', '2')]),
      ],
    ],
    [
      'a torn read',
      'fractured read',
      [
        transaction([append('x', '1'), append('y', '2')]),
        transaction([read('x', '1'), read('y')]),
        later([read('x', '1'), read('y', '2')]),
      ],
    ],
    [
      'a half of a transaction whose outcome is not known',
      'lost update: 2, appended to y',
      [
        transaction([append('x', '1'), append('y', '2')], {
          outcome: 'unknown',
          end: Number.POSITIVE_INFINITY,
        }),
        later([read('x', '1'), read('y')]),
      ],
    ],
    [
      'a snapshot that changes',
      'a snapshot that changes',
      [transaction([append('x', '1')]), transaction([read('x'), read('x', '1')])],
    ],
    [
      'a write that is not read back',
      'a snapshot that changes',
      [transaction([read('x'), append('x', '1'), read('x')]), later([read('x', '1')])],
    ],
    [
      'a write applied twice',
      'applied twice',
      [transaction([append('x', '1')]), later([read('x', '1', '1')])],
    ],
    ['a value from nowhere', 'from nowhere', [transaction([read('x', '1')])]],
    [
      'snapshots that see two writes in different orders (long fork)',
      'form a cycle',
      [
        transaction([append('x', '1')]),
        transaction([append('y', '2')]),
        transaction([read('x', '1'), read('y')]),
        transaction([read('x'), read('y', '2')]),
        later([read('x', '1'), read('y', '2')]),
      ],
    ],
    [
      'a snapshot from before an acknowledged commit',
      'form a cycle',
      [
        transaction([append('x', '1')]),
        later([read('x')]),
        transaction([read('x', '1')], { start: 400, end: 500 }),
      ],
    ],
  ])('%s', (_, anomaly, history) => {
    const found = findAnomalies(history)
    expect(found.join('\n')).toContain(anomaly)
  })
})

describe('snapshot isolation explains', () => {
  it.each<[string, Recorded[]]>([
    [
      'write skew',
      [
        transaction([read('x'), read('y'), append('x', '1')]),
        transaction([read('x'), read('y'), append('y', '2')]),
        later([read('x', '1'), read('y', '2')]),
      ],
    ],
    [
      'a snapshot from before a commit at the same time',
      [transaction([append('x', '1')]), transaction([read('x')]), later([read('x', '1')])],
    ],
    [
      'an aborted transaction that saw a snapshot, and one whose writes are not there',
      [
        transaction([read('x'), append('x', '1')]),
        transaction([read('x'), append('x', '2')], { outcome: 'aborted' }),
        transaction([read('x'), append('x', '3')], { outcome: 'unknown', end: Number.POSITIVE_INFINITY }),
        later([read('x', '1')]),
      ],
    ],
    [
      'a transaction without an answer that has committed',
      [
        transaction([read('x'), append('x', '1'), append('x', '2')], {
          outcome: 'unknown',
          end: Number.POSITIVE_INFINITY,
        }),
        later([read('x', '1', '2')]),
      ],
    ],
    [
      'updates one after another',
      [
        transaction([read('x'), append('x', '1'), read('x', '1')]),
        transaction([read('x', '1'), append('x', '2'), append('y', '3')]),
        later([read('x', '1', '2'), read('y', '3')]),
      ],
    ],
  ])('%s', (_, history) => {
    expect(findAnomalies(history)).toEqual([])
  })
})
