import { expect, test } from 'vitest'
import { Agenda } from './agenda.ts'
import { Host } from './host.ts'

/** Runs jobs `[begins, work]` on so many cores; returns when each of them ends. */
function endsOf(cores: number, jobs: readonly (readonly [number, number])[]): number[] {
  const agenda = new Agenda()
  const host = new Host(agenda, 1, cores)
  for (const [job, [at]] of jobs.entries()) agenda.push(0, at, job)
  const ends = jobs.map(() => Number.NaN)
  let events = 0
  for (let token = agenda.next(); token >= 0; token = agenda.next()) {
    events++
    if (agenda.kind === 0) {
      host.begin(token, jobs[token]?.[1] ?? 0)
      continue
    }
    const job = host.ended()
    if (job >= 0) ends[job] = agenda.now
  }
  // an arrival causes at most one event, and so does an event that ends a job or is put off
  expect(events).toBeLessThanOrEqual(4 * jobs.length)
  return ends
}

/** The same by going through all jobs at every step. */
function slowly(cores: number, jobs: readonly (readonly [number, number])[]): number[] {
  const ends = jobs.map(() => Number.NaN)
  const left = jobs.map(([, work]) => work)
  const inside = new Set<number>()
  const comers = jobs.map((_, job) => job).sort((a, b) => (jobs[a]?.[0] ?? 0) - (jobs[b]?.[0] ?? 0))
  let now = 0
  while (inside.size > 0 || comers.length > 0) {
    const rate = Math.min(1, cores / inside.size)
    const nextEnd = now + Math.min(...[...inside].map((job) => left[job] as number)) / rate
    const nextCome = jobs[comers[0] ?? -1]?.[0] ?? Number.POSITIVE_INFINITY
    const next = Math.min(nextEnd, nextCome)
    for (const job of inside) left[job] = (left[job] as number) - (next - now) * rate
    now = next
    if (nextCome <= nextEnd) inside.add(comers.shift() as number)
    else
      for (const job of inside)
        if ((left[job] as number) < 1e-9) {
          ends[job] = now
          inside.delete(job)
        }
  }
  return ends
}

test('one core: two jobs get half each while both are there', () => {
  // the first works 10 alone, both get 10 of the next 20, the second has 20 left
  expect(
    endsOf(1, [
      [0, 20],
      [10, 30],
    ]),
  ).toEqual([30, 50])
})

test('as long as there is a core for each, none is slowed down', () => {
  expect(
    endsOf(3, [
      [0, 20],
      [5, 5],
      [6, 1],
    ]),
  ).toEqual([20, 10, 7])
})

test('equal jobs end together, nothing takes no time, and the cores rest in between', () => {
  expect(
    endsOf(2, [
      [0, 10],
      [0, 10],
      [0, 10],
      [0, 10],
      [3, 0],
      [100, 7],
    ]),
  ).toEqual([20, 20, 20, 20, 3, 107])
})

test('the same as going through all jobs at each step', () => {
  let seed = 1
  const random = () => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
    return seed / 2 ** 32
  }
  for (const cores of [1, 2, 5]) {
    const jobs = Array.from({ length: 400 }, () => [random() * 4000, random() * 20 * cores] as const)
    const fast = endsOf(cores, jobs)
    for (const [job, end] of slowly(cores, jobs).entries()) expect(fast[job]).toBeCloseTo(end, 6)
  }
})
