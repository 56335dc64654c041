/** What `hivemind nfu compare` says of places that answer rightly, wrongly, or not at all. */
import { describe, expect, it } from 'vitest'
import { measure } from '../src/nfu/compare.ts'
import { type FieldPlan, groupsOf } from '../src/nfu/field.ts'
import type { Subject } from '../src/nfu/subjects.ts'

const PLAN: FieldPlan = { code: 'nfu:average?window=3', sensors: 4, rounds: 5 }
const DUE = 2 * PLAN.sensors * PLAN.rounds

/** A place that answers as it must, but for what `spoil` makes of the n-th answer. */
function place(spoil: (answer: Buffer, n: number) => Buffer | undefined): Subject {
  const due = new Map<string, Buffer>()
  for (const { messages, expected } of groupsOf({ ...PLAN, rounds: 2 * PLAN.rounds }))
    due.set((messages.at(-1) as Buffer).toString('hex'), expected[0] as Buffer)
  let count = 0
  const subject: Subject = {
    name: 'a place',
    heard: () => {},
    close: async () => {},
    send: (_, message) => {
      const answer = due.get(message.toString('hex'))
      const made = answer && spoil(answer, count++)
      if (made) setImmediate(() => subject.heard(made))
    },
  }
  return subject
}

const of = (spoil: (answer: Buffer, n: number) => Buffer | undefined) =>
  measure(place(spoil), PLAN, new AbortController().signal)

describe('a place', () => {
  it('that answers as it must has all answers equal', async () => {
    const measured = await of((answer) => answer)
    expect(measured).toMatchObject({ equal: DUE, expected: DUE, wrong: 0, clock: 'this machine' })
    expect(measured.readingsPerSecond).toBeGreaterThan(0)
  })

  it.each([2, DUE - 2])('whose answer %i differs in one bit has a wrong one', async (at) => {
    const flipped = (answer: Buffer): Buffer =>
      Buffer.from(answer.map((byte, n) => (n === answer.length - 1 ? byte ^ 1 : byte)))
    expect(await of((answer, n) => (n === at ? flipped(answer) : answer))).toMatchObject({
      equal: DUE - 1,
      expected: DUE,
      wrong: 1,
    })
  })

  it.each([2, DUE - 2])(
    'that does not give answer %i lacks it, and is not waited for again',
    { timeout: 30_000 },
    async (at) => {
      const { equal, expected } = await of((answer, n) => (n === at ? undefined : answer))
      expect(equal).toBe(expected - 1)
      expect(expected).toBe(at === 2 ? 3 : DUE)
    },
  )
})
