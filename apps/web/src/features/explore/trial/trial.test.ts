import { check } from '@hivemind/dsl'
import { completeProfile, fleetByName } from '@hivemind/swarm'
import { expect, test } from 'vitest'
import type { Scenario } from '../whatif/knobs.ts'
import { createHovered } from './hovered.ts'
import { flippable, flipped, samePlacement, trialOf } from './trial.ts'

const { workflow } = check(`TaskGraph(list=['sense', 'detect', 'act'])
Data(frames, kind='stream', size='1MB', rate='2/s')
Task(sense, None, frames, 'sense.js', childTask=['detect'])
Task(detect, frames, orders, 'detect.js', parentTask=['sense'], childTask=['act'])
Task(act, orders, None, 'act.js', role='actuator', parentTask=['detect'])
`)
const fleet = fleetByName('paper-drones')
if (!workflow || !fleet) throw new Error('There is no scenario.')
const scenario: Scenario = {
  workflow,
  fleet,
  profile: completeProfile(workflow),
  seed: 1,
  itemsPerDevice: 10,
}
const onDevices = { sense: 'edge', detect: 'edge', act: 'edge' } as const

test('only tasks that may run elsewhere can be flipped, there and back', () => {
  const tiers = flippable(workflow, fleet)
  expect([...tiers.keys()]).toEqual(['detect'])
  const there = flipped(onDevices, 'detect', tiers)
  expect(there).toEqual({ ...onDevices, detect: 'cloud' })
  expect(samePlacement(flipped(there, 'detect', tiers), onDevices)).toBe(true)
  expect(flipped(onDevices, 'sense', tiers)).toBe(onDevices)
  expect(samePlacement(there, onDevices)).toBe(false)
})

test('a trial says what a flip changes, and how many bytes each edge carries over the network', () => {
  const there = { ...onDevices, detect: 'cloud' } as const
  const { before, after, bytes } = trialOf(scenario, onDevices, there)
  expect(before.estimate.costPerHour).toBe(0)
  expect(after.estimate.costPerHour).toBeGreaterThan(0)
  // 1 MB, ten times, from each of 16 devices.
  expect(bytes['sense>detect']).toBe(160e6)
  expect(trialOf(scenario, onDevices, onDevices).bytes).toEqual({ 'sense>detect': 0, 'detect>act': 0 })
})

test('who listens hears of a change once', () => {
  const hovered = createHovered()
  const heard: (string | undefined)[] = []
  const stop = hovered.subscribe(() => heard.push(hovered.get()))
  for (const id of ['a', 'a', undefined, 'b']) hovered.set(id)
  stop()
  hovered.set('c')
  expect(heard).toEqual(['a', undefined, 'b'])
})
