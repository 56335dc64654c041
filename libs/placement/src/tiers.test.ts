import { localFleet, TIERS, type Tier, type TierRow, tierRow, transportBetween } from '@hivemind/swarm'
import { type Model, modelBuilder } from '@hivemind/swarm-sim'
import { describe, expect, test } from 'vitest'
import { scenarioB } from '../test/workflows.ts'
import { allChoices, baselineOf, idOf, placementOf, spaceOf } from './candidates.ts'
import { contentionFree } from './contention-free.ts'
import { evaluate, explore } from './explore.ts'
import { checkPlacement, countPlacements, dilemmas, tiersOf } from './rules.ts'

/** A fourth tier: servers beside the access points, for whole images only. */
const SITE = 'site' as Tier
const site: TierRow = {
  ...tierRow('cloud'),
  id: SITE,
  label: 'Site',
  letter: 'S',
  colour: 'site',
  chartOrder: 3,
  rules: [
    ...tierRow('cloud').rules,
    {
      name: 'site-takes-images',
      refuse: ({ name }) => (name.includes('Recognition') ? null : `Task '${name}' works with no images.`),
    },
  ],
  transport: {
    [SITE]: 'handOver',
    cloud: 'handOver',
    edge: 'uplink',
    fabric: 'handOver',
    'edge-node': 'backhaul',
  },
}
const tiers = [...TIERS, site]

describe('one more row in the table of tiers', () => {
  const fleet = localFleet(2)
  const workflow = scenarioB()

  test('makes candidates on it, and counts what its rules remove', () => {
    const before = tiersOf(workflow, fleet)
    const allowed = tiersOf(workflow, fleet, tiers)
    expect(allowed).toEqual({ ...before, faceRecognition: [...(before.faceRecognition ?? []), SITE] })
    const space = spaceOf(allowed)
    const placements = [...allChoices(space)].map((choice) => placementOf(space, choice))
    const counted = countPlacements(workflow, fleet, tiers)
    expect(counted.product).toBe(4n ** 5n)
    expect(counted.legal).toBe(BigInt(placements.length))
    expect(counted.byRule['site-takes-images']).toBeGreaterThan(0n)
    const removed = Object.values(counted.byRule).reduce((sum, count) => sum + count, 0n)
    expect(removed).toBe(counted.product - counted.legal)
    const onSite = placements.filter((placement) => placement.faceRecognition === SITE)
    expect(onSite.length).toBe(placements.length / 3)
    for (const placement of placements) expect(checkPlacement(workflow, placement, fleet, tiers)).toEqual([])
    expect(new Set(placements.map(idOf)).size).toBe(placements.length)
    expect(placementOf(space, baselineOf(space, SITE)).faceRecognition).toBe(SITE)
  })

  test('is judged by its own rules, by the shared ones and by pins', () => {
    const [placement] = [...allChoices(spaceOf(tiersOf(workflow, fleet)))].map((choice) =>
      placementOf(spaceOf(tiersOf(workflow, fleet)), choice),
    )
    const onSite = (task: string) =>
      checkPlacement(workflow, { ...placement, [task]: SITE }, fleet, tiers).join(' ')
    expect(onSite('faceRecognition')).toBe('')
    expect(onSite('createRoute')).toBe("Task 'createRoute' works with no images.")
    expect(onSite('collectImage')).toMatch(/'collectImage' collects sensor data/)
    expect(checkPlacement(workflow, { ...placement, faceRecognition: SITE }, fleet).join(' ')).toMatch(
      /'site' is no tier; task 'faceRecognition' may run on: cloud, edge, fabric, edge-node\./,
    )
    const pinned = structuredClone(workflow)
    for (const task of pinned.tasks)
      if (task.name === 'faceRecognition') task.directives.place = { tier: 'edge', target: 'all' }
    expect(checkPlacement(pinned, { ...placement, faceRecognition: SITE }, fleet, tiers).join(' ')).toBe(
      "Place(faceRecognition, 'Edge:all') does not allow tier 'site'.",
    )
    expect(dilemmas(workflow, fleet, [site]).length).toBe(4)
  })

  test('reaches every tier, and every tier reaches it', () => {
    expect(tiers.map((row) => transportBetween(site, row))).toEqual([
      'handOver',
      'uplink',
      'handOver',
      'backhaul',
      'handOver',
    ])
    expect(tiers.map((row) => transportBetween(row, site))).toEqual([
      'handOver',
      'uplink',
      'handOver',
      'backhaul',
      'handOver',
    ])
  })

  test('is estimated by its hardware, its profile column and its transports', async () => {
    const { candidates, pruned } = await explore({ workflow, fleet, seed: 1, itemsPerDevice: 5, tiers })
    const counted = countPlacements(workflow, fleet, tiers)
    expect(candidates.length).toBe(Number(counted.legal))
    expect(pruned.byRule['site-takes-images']).toBe(Number(counted.byRule['site-takes-images']))
    expect(candidates.flatMap(({ baseline }) => baseline ?? []).sort()).toEqual([
      'all-cloud',
      'all-edge',
      'all-site',
    ])
    // the site's servers are like the cloud's, and so are its links: the figures of each candidate are those of its twin
    const byPlacement = new Map(candidates.map((each) => [idOf(each.placement), each]))
    const onSite = candidates.filter(({ placement }) => placement.faceRecognition === SITE)
    expect(onSite.length).toBe(candidates.length / 3)
    for (const { placement, estimate } of onSite) {
      const twin = byPlacement.get(idOf({ ...placement, faceRecognition: 'cloud' }))
      expect(estimate.perTask.faceRecognition?.tier).toBe(SITE)
      expect({ ...estimate, perTask: {} }).toEqual({ ...twin?.estimate, perTask: {} })
    }
    const own = onSite[0]?.placement
    if (!own) throw new Error('no candidate is on the site')
    expect(evaluate({ workflow, fleet, seed: 1, itemsPerDevice: 5, tiers, placement: own }).perTask).toEqual(
      onSite[0]?.estimate.perTask,
    )
  })

  test('costs what its row says', () => {
    const space = spaceOf(tiersOf(workflow, fleet, tiers))
    const free = (row: TierRow) => {
      const table = [...TIERS, row]
      const build = modelBuilder({ workflow, fleet, itemsPerDevice: 5, tiers: table })
      const models = ['cloud', 'edge', SITE].map((tier) =>
        build(placementOf(space, baselineOf(space, tier as Tier))),
      )
      return contentionFree(space, models as [Model, ...Model[]], table).problem
    }
    const total = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0)
    const paid = free(site)
    const unpaid = free({ ...site, costs: { energy: false, money: false } })
    expect(total(unpaid.own)).toBeLessThan(total(paid.own))
    expect(unpaid.time).toEqual(paid.time)
    // beside the devices: what they send to it crosses no uplink
    const beside = free({ ...site, transport: { ...site.transport, edge: 'local' } })
    expect(total(Float64Array.from(beside.crosses))).toBeLessThan(total(Float64Array.from(paid.crosses)))
    expect(total(beside.edgeTime)).toBeLessThan(total(paid.edgeTime))
  })
})
