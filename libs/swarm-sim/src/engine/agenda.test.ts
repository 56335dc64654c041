import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Agenda } from './agenda.ts'

/** Takes everything out, adding what `more` asks for in between; returns it as [time, kind, token]. */
function drain(agenda: Agenda, more: (time: number) => void = () => {}): number[][] {
  const taken: number[][] = []
  for (let token = agenda.next(); token >= 0; token = agenda.next()) {
    taken.push([agenda.now, agenda.kind, token])
    more(agenda.now)
  }
  return taken
}

const times = fc.array(
  fc.oneof(
    fc.double({ min: 0, max: 1e7, noNaN: true }),
    // many at the same time, and many close together
    fc.constantFrom(0, 1, 5, 1000),
    fc.double({ min: 10, max: 10.001, noNaN: true }),
  ),
  { maxLength: 3000, size: 'max' },
)

test('events come in order of time, and those of one time as they were added', () => {
  fc.assert(
    fc.property(times, (all) => {
      const agenda = new Agenda()
      for (const [token, time] of all.entries()) agenda.push(token % 7, time, token)
      const expected = all
        .map((time, token) => [time, token % 7, token])
        .sort((a, b) => (a[0] as number) - (b[0] as number) || (a[2] as number) - (b[2] as number))
      expect(drain(agenda)).toEqual(expected)
    }),
    { numRuns: 60 },
  )
})

test('events added while others are taken find their place', () => {
  fc.assert(
    fc.property(times, fc.infiniteStream(fc.double({ min: 0, max: 50, noNaN: true })), (first, delays) => {
      const agenda = new Agenda()
      let made = 0
      for (const time of first) agenda.push(0, time, made++)
      const most = 4 * first.length
      const taken = drain(agenda, (now) => {
        if (made < most) agenda.push(1, now + delays.next().value, made++)
      })
      expect(taken).toHaveLength(made)
      expect(taken.every(([time = 0], index) => index === 0 || time >= (taken[index - 1]?.[0] ?? 0))).toBe(
        true,
      )
      expect(new Set(taken.map(([, , token]) => token)).size).toBe(made)
    }),
    { numRuns: 30 },
  )
})

test('days become as long as they should be, whatever the times', () => {
  for (const scale of [1e-6, 1, 1e6]) {
    const agenda = new Agenda()
    let state = 1
    const next = () => {
      state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
      return (state / 0x7fffffff) * scale
    }
    for (let token = 0; token < 20_000; token++) agenda.push(0, next(), token)
    let last = 0
    let late = 0
    for (let turn = 0; turn < 200_000; turn++) {
      const token = agenda.next()
      if (agenda.now < last) late++
      last = agenda.now
      agenda.push(0, last + next(), token)
    }
    expect(late).toBe(0)
  }
})
