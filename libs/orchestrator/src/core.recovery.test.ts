/** What becomes of work that a lost device had done, and another beginning does once more: the core alone, event by event. */
import type { Plan } from '@hivemind/synthesis'
import { expect, test } from 'vitest'
import { planOf } from '../test/plans.ts'
import type { CoreEffect, CoreEvent } from './core/events.ts'
import { compileForService } from './core/plan.ts'
import { newRunState } from './core/state.ts'
import { step } from './core/step.ts'

type Told = CoreEvent extends infer Event ? (Event extends CoreEvent ? Omit<Event, 'at'> : never) : never

/** A core in the service, told about tasks by name. */
function core(plan: Plan, names: string[], options = {}) {
  const compiled = compileForService(
    plan,
    names.map((name) => ({ name, class: 'drone' })),
  )
  const state = newRunState(compiled, options)
  const effects: CoreEffect[] = []
  let at = 0
  const tell = (event: Told): CoreEffect[] => {
    const from = effects.length
    at += 1
    step(state, { ...event, at } as CoreEvent, effects)
    return effects.slice(from)
  }
  const id = (task: string): number => compiled.taskByName.get(task) as number
  const end = () => effects.find((effect) => effect.type === 'end')
  const losses = (): string[] =>
    effects.flatMap((effect) => (effect.type === 'note' && effect.loss ? [effect.text] : []))
  return { state, tell, id, end, losses }
}

test('an object that does not come again takes with it what waits for it below', () => {
  const plan = planOf({
    cam: { on: 'edge', sensor: true },
    once: { on: 'edge' },
    see: { on: 'edge', after: ['cam', 'once'] },
  })
  const { tell, id, end, losses } = core(plan, ['d1'])
  const of = (task: string) => ({ task: id(task), device: 0, seq: 0 })
  tell({ type: 'start' })
  tell({ type: 'item', ...of('once'), ref: null })
  tell({ type: 'done', ...of('once'), items: 1 })
  tell({ type: 'item', ...of('cam'), ref: null })
  tell({ type: 'done', ...of('cam'), items: 1 })
  tell({ type: 'deviceLost', device: 0, returns: true, message: 'Gone.' })
  tell({ type: 'deviceUp', device: 0, message: 'Back.' })
  tell({ type: 'failed', ...of('once'), kind: 'deadline', message: 'Late.', detail: '', items: 0 })
  expect(end()).toMatchObject({ state: 'succeeded' })
  expect(losses()).toEqual([
    "'once' on d1, item 0 failed when begun anew: Late.",
    "'see' on d1, item 0 was given up: its input did not come again after the device was lost.",
  ])
})
