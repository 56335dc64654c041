/** From a workflow and a placement to everything a target deploys (paper, sections 4.1 and 4.2). */
import { printIdl } from '@hivemind/rpc/idl'
import { type HandOverKind, type Placement, tierRow } from '@hivemind/swarm'
import type { Workflow } from '@hivemind/workflow'
import { edgeApi } from './api.ts'
import { bundleOf, type SourceFile } from './bundles.ts'
import { coPlace } from './co-placement.ts'
import { compile } from './compile.ts'
import { dataFlow } from './dataflow.ts'
import { SynthesisError } from './error.ts'
import { edgeFlow } from './flow.ts'
import type { Artefact, Bundle, Plan, PlanTask, Synthesis } from './plan.ts'

/** What a synthesis starts from. */
export interface SynthesisRequest {
  /** The workflow's name: the file's without `.hive.py`. */
  name: string
  workflow: Workflow
  placement: Placement
  /** How cloud functions hand data over: `co-placed`, where two allow it, in a container of both; through the store when absent. */
  handOver?: HandOverKind
  /** Every file of the project. */
  files: readonly SourceFile[]
}

/**
 * Compiles the plan and generates the bundles, the Node-RED flow, the Thrift IDL and the function manifests.
 * Deterministic. Throws `SynthesisError`, which lists every problem.
 */
export function synthesise({ name, workflow, placement, handOver, files }: SynthesisRequest): Synthesis {
  const problems: string[] = []
  const bundles = new Map<string, Bundle>()
  for (const task of workflow.tasks) {
    if (task.code.startsWith('nfu:')) continue
    const bundle = bundleOf(task, files, workflow.tasks)
    if (Array.isArray(bundle)) problems.push(...bundle)
    else bundles.set(task.name, bundle)
  }
  const compiled = compile(name, workflow, placement, bundles, problems)
  if (problems.length > 0) throw new SynthesisError(problems)
  const plan = handOver === 'co-placed' ? coPlace(compiled) : compiled
  const flow = edgeFlow(plan)
  const thrift = printIdl(edgeApi(plan))
  return {
    plan,
    bundles: [...bundles.values()],
    flow,
    thrift,
    artefacts: [
      json('plan.json', plan),
      { path: `${name}.thrift`, text: thrift },
      json('flows/edge.json', flow),
      json('dataflow.json', dataFlow(plan)),
      ...plan.tasks
        .filter((task) => tierRow(task.tier).hardware === 'cloud')
        .map((task) => manifest(plan, task)),
    ],
  }
}

const json = (path: string, value: unknown): Artefact => ({
  path,
  text: `${JSON.stringify(value, null, 2)}\n`,
})

/** What a function is made of, and the CloudEvents it takes and sends. */
function manifest(plan: Plan, task: PlanTask): Artefact {
  const type = (data: string) => `dev.hivemind.${plan.workflow}.${data}`
  return json(`functions/${task.name}.json`, {
    schema: 'hivemind.function/1',
    task: task.name,
    runtime: task.runtime,
    code: task.code,
    bundle: task.bundle,
    timeoutMs: task.timeoutMs,
    memoryMB: task.memoryMB,
    network: task.network === true,
    isolate: task.isolate,
    consumes: task.dataIn.map(type),
    produces: task.dataOut === null ? [] : [type(task.dataOut)],
    source: `/hivemind/${plan.workflow}/${task.name}`,
    ...(task.inContainerOf !== undefined && { inContainerOf: task.inContainerOf }),
  })
}
