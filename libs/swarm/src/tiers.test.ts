import type { Workflow } from '@hivemind/workflow'
import { describe, expect, test } from 'vitest'
import { completeProfile } from './assume.ts'
import { localFleet } from './fleets.ts'
import { PROFILE_COLUMNS } from './profile.ts'
import {
  canRun,
  estimatedTiers,
  isTier,
  TIER_IDS,
  TIERS,
  type Tier,
  TRANSPORTS,
  taskFacts,
  tierIds,
  tierRow,
  transportBetween,
} from './tiers.ts'

const workflow: Workflow = {
  schema: 'hivemind.workflow/1',
  tasks: [
    {
      name: 'sense',
      dataIn: [],
      dataOut: 'frames',
      code: 'tasks/sense.mjs',
      parents: [],
      children: ['count'],
      args: {},
      directives: {},
    },
    {
      name: 'count',
      dataIn: ['frames'],
      dataOut: 'counts',
      code: 'nfu:counter',
      parents: ['sense'],
      children: ['merge'],
      args: {},
      directives: {},
    },
    {
      name: 'merge',
      dataIn: ['counts'],
      dataOut: 'sum',
      code: 'tasks/merge.py',
      parents: ['count'],
      children: [],
      args: {},
      directives: { synchronize: { kind: 'all' } },
    },
  ],
  data: [{ name: 'frames', stays: 'device', declared: true }],
  relations: [],
  constraints: [],
}

describe('the table of tiers', () => {
  test('has a row for every id, with a letter, a colour and a chart position of its own', () => {
    expect(tierIds()).toEqual(TIER_IDS)
    for (const field of ['letter', 'colour', 'chartOrder', 'mark'] as const)
      expect(new Set(TIERS.map((row) => row[field])).size).toBe(TIERS.length)
  })

  test('says a transport between any two tiers, the same in both directions', () => {
    for (const a of TIERS)
      for (const b of TIERS) {
        const transport = transportBetween(a, b)
        expect(transportBetween(b, a)).toBe(transport)
        // what leaves a device is paid for by the device at the one end
        expect(TRANSPORTS[transport].energyPaidBy).toBe(a.perDevice === b.perDevice ? null : 'device')
      }
    // and it is bandwidth where the cloud, or a board on the way there, is at the other
    const near = new Set(['edge', 'edge-node'])
    for (const a of TIERS)
      for (const b of TIERS)
        expect(TRANSPORTS[transportBetween(a, b)].isBandwidth).toBe(near.has(a.id) !== near.has(b.id))
    expect(transportBetween(tierRow('cloud'), tierRow('cloud'))).toBe('handOver')
    expect(transportBetween(tierRow('edge'), tierRow('edge-node'))).toBe('radio')
    expect(transportBetween(tierRow('edge-node'), tierRow('edge-node'))).toBe('local')
    expect(transportBetween(tierRow('edge'), tierRow('edge'))).toBe('local')
  })

  test('a tier is estimated when it has hardware, and its profile column is one there is', () => {
    expect(tierIds(estimatedTiers())).toEqual(['cloud', 'edge', 'fabric', 'edge-node'])
    for (const { profile, hardware } of TIERS) {
      expect(profile === null).toBe(hardware === null)
      if (profile) expect(PROFILE_COLUMNS).toContain(profile.column)
    }
  })

  test('a missing column is derived from the column that the tier names', () => {
    const known = completeProfile(workflow).tasks.merge?.cloud
    if (!known) throw new Error('merge has no assumed profile')
    const only = { ...known, outputsPerInvocation: 7 }
    const profileWith = (column: 'cloud' | 'edge') =>
      completeProfile(workflow, {
        schema: 'hivemind.profile/1',
        note: '',
        tasks: { merge: { origin: 'measured', [column]: only } },
      }).tasks.merge
    expect(profileWith('cloud')).toEqual({ origin: 'measured', cloud: only, edge: only })
    expect(profileWith('edge')).toEqual({ origin: 'measured', cloud: only, edge: only })
  })

  test('each row says by which rule it refuses a task', () => {
    const fleet = localFleet(2)
    const refusals = taskFacts(workflow).map((facts) =>
      TIERS.map((row) => canRun(row, facts, fleet)?.rule ?? 'can run'),
    )
    expect(refusals).toEqual([
      ['sensor-not-in-cloud', 'can run', 'data-stays-on-device', 'data-stays-on-device'],
      ['data-stays-on-device', 'can run', 'data-stays-on-device', 'data-stays-on-device'],
      ['can run', 'swarm-barrier-not-on-edge', 'fabric-needs-nfu', 'edge-node-not-available'],
    ])
    const [, , merge] = taskFacts(workflow)
    if (!merge) throw new Error('merge is missing')
    expect(canRun(tierRow('edge'), merge, fleet)?.reason).toMatch(
      /'merge' runs once for the whole swarm \(it is a/,
    )
    expect(canRun(tierRow('fabric'), { ...merge, code: 'nfu:max' }, fleet)?.reason).toMatch(
      /fleet 'local' has none/,
    )
  })

  test('what is no tier is refused', () => {
    expect(isTier('edge')).toBe(true)
    expect(isTier('moon')).toBe(false)
    expect(() => tierRow('moon')).toThrow("'moon' is no tier; the tiers are: cloud, edge, fabric, edge-node.")
    const alone = { ...tierRow('fabric'), id: 'moon' as Tier, transport: {} }
    expect(() => transportBetween(alone, { ...alone, id: 'mars' as Tier })).toThrow(
      "No transport is known from tier 'moon' to tier 'mars'.",
    )
    // a new row says for itself how it is reached: the others need not name it
    const moon = { ...alone, transport: { edge: 'uplink' as const } }
    expect(transportBetween(tierRow('edge'), moon)).toBe('uplink')
  })
})
