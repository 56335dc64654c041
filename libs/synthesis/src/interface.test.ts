/** What of a workflow is in its Thrift interface, for any workflow and placement. */
import { checkIdl } from '@hivemind/rpc/idl'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { filesOf, fromEdges, hostileNames, task, workflowOf } from '../test/fixtures.ts'
import { agentService, dataFunction, edgeApi, gatewayService, synthesise, taskFunction } from './index.ts'

const RUNS = process.env.HIVEMIND_SOAK === '1' ? 5_000 : 300

/** A DAG of up to eight tasks and a tier for each. */
const placed = fc
  .integer({ min: 1, max: 8 })
  .chain((count) =>
    fc.record({
      count: fc.constant(count),
      present: fc.array(fc.boolean(), { minLength: count * count, maxLength: count * count }),
      tiers: fc.array(fc.constantFrom('edge' as const, 'cloud' as const), {
        minLength: count,
        maxLength: count,
      }),
    }),
  )
  .map(({ count, present, tiers }) => {
    const indices = Array.from({ length: count }, (_, index) => index)
    const edges = indices.flatMap((from) =>
      indices.filter((to) => from < to && present[from * count + to]).map((to) => [from, to] as const),
    )
    const workflow = fromEdges(count, edges)
    const placement = Object.fromEntries(
      workflow.tasks.map(({ name }, index) => [name, tiers[index] ?? 'cloud']),
    )
    return { name: 'any', workflow, placement, files: filesOf(workflow) }
  })

it('has a method for each edge between edge and cloud, none for others, and each method has a reason', () => {
  fc.assert(
    fc.property(placed, (request) => {
      const { plan } = synthesise(request)
      const { workflow, placement } = request
      const model = edgeApi(plan)
      expect(checkIdl(model)).toEqual([])
      const methods = (service: string) =>
        model.services.find(({ name }) => name === service)?.functions.map(({ name }) => name) ?? []
      const agent = methods(agentService(plan)).slice(3)
      const gateway = methods(gatewayService(plan)).filter((name) => name.endsWith('Out'))

      const entered = new Set<string>()
      const leaving = new Set<string>()
      for (const { name, dataOut, parents, children } of workflow.tasks) {
        if (placement[name] !== 'edge') continue
        // Tasks without parents are started from outside, and results go outside.
        if (parents.length === 0 || parents.some((parent) => placement[parent] === 'cloud')) entered.add(name)
        if (dataOut !== null && children.some((child) => placement[child] === 'cloud')) leaving.add(dataOut)
      }
      expect(new Set(agent)).toEqual(new Set([...entered].map((name) => taskFunction(plan, name))))
      expect(new Set(gateway)).toEqual(new Set([...leaving].map((data) => dataFunction(plan, data))))
      for (const { from, to, transport } of plan.links) {
        const tiers = [placement[from], placement[to]]
        expect(transport).toBe(
          tiers[0] !== tiers[1] ? 'thrift' : tiers[0] === 'edge' ? 'wire' : 'cloudevents',
        )
      }
      // What an edge task is handed from outside is what its parents in the cloud write.
      for (const { name, parents } of workflow.tasks.filter((one) => entered.has(one.name))) {
        const method = model.services[0]?.functions.find((one) => one.name === taskFunction(plan, name))
        expect(method?.params.slice(2).map(({ doc }) => doc)).toEqual(
          parents.filter((parent) => placement[parent] === 'cloud').map((parent) => `${parent}Out`),
        )
      }
    }),
    { numRuns: RUNS },
  )
})

it('is empty of tasks and data when everything is in the cloud', () => {
  const workflow = fromEdges(3, [
    [0, 1],
    [1, 2],
  ])
  const placement = { t0: 'cloud', t1: 'cloud', t2: 'cloud' } as const
  const { thrift, flow } = synthesise({ name: 'all', workflow, placement, files: filesOf(workflow) })
  expect(thrift).not.toMatch(/t[012]/)
  expect(flow.map(({ type }) => type)).toEqual(['tab'])
})

it('gives the same bytes whatever the order of files and placement', () => {
  fc.assert(
    fc.property(placed, fc.infiniteStream(fc.nat()), (request, order) => {
      const shuffled = <T>(list: T[]): T[] =>
        list
          .map((item) => ({ item, at: order.next().value ?? 0 }))
          .sort((a, b) => a.at - b.at)
          .map(({ item }) => item)
      const again = synthesise({
        ...structuredClone(request),
        files: shuffled([...request.files]),
        placement: Object.fromEntries(shuffled(Object.entries(request.placement))),
      })
      const { plan, ...rest } = synthesise(request)
      expect(JSON.stringify(again.bundles)).toBe(JSON.stringify(rest.bundles))
      expect(again.artefacts).toEqual([...rest.artefacts])
      expect(again.plan).toEqual(plan)
    }),
    { numRuns: RUNS },
  )
})

it('finds legal, different names for tasks and data however they are called', () => {
  const workflow = workflowOf(
    hostileNames.flatMap((name) => [
      task(name, { code: 'a.mjs', dataOut: name, children: [`${name}Sink`] }),
      task(`${name}Sink`, { code: 'a.mjs', dataIn: [name], parents: [name] }),
    ]),
  )
  const placement = Object.fromEntries(
    workflow.tasks.map(({ name }) => [name, name.endsWith('Sink') ? 'cloud' : 'edge'] as const),
  )
  const request = { workflow, placement, files: filesOf(workflow) }
  const { plan } = synthesise({ name: 'hostile', ...request })
  expect(checkIdl(edgeApi(plan))).toEqual([])
  for (const names of [plan.names.tasks, plan.names.data])
    expect(new Set(Object.values(names)).size).toBe(Object.keys(names).length)
  expect(plan.names.data).toMatchObject({
    frame: 'frame',
    frame_: 'frame_',
    class: 'class_',
    send_frame: 'x_send_frame',
    _iprot: 'x__iprot',
    output: 'output_',
    Value: 'Value_',
    logs: 'logs_',
    info: 'info',
  })
  expect(plan.names.tasks).toMatchObject({ logs: 'logs', info: 'info_' })
})

it.each([
  ['class', 'class_', 'ClassAgent'],
  ['thrift', 'thrift_', 'ThriftAgent'],
  ['3d-scan', '_3d_scan', 'Workflow3dScanAgent'],
  ['größe', 'gr__e', 'GrEAgent'],
  ['水', '_', 'WorkflowAgent'],
])('names the package and services of the workflow %s', (name, namespace, service) => {
  const workflow = fromEdges(1, [])
  const { plan } = synthesise({ name, workflow, placement: { t0: 'edge' }, files: filesOf(workflow) })
  const model = edgeApi(plan)
  expect(checkIdl(model)).toEqual([])
  expect(model.namespace).toBe(namespace)
  expect(agentService(plan)).toBe(service)
})
