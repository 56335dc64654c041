import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { otherFault, usageFault } from '../failure.ts'
import { untilInterrupted } from '../interrupt.ts'
import { deployedHandOver, whole } from '../options.ts'
import { answer, answerJson, say, table } from '../output.ts'
import { planText } from '../planned.ts'
import {
  beforeRunning,
  type Deployment,
  type DeploymentChoice,
  deploymentsOf,
  GOALS,
  type NewDeployment,
  requestFor,
  runningOf,
} from '../remote/deployments.ts'
import { type AddCommand, ServiceClient } from '../service.ts'

/** Between two looks at a deployment that is under way, in ms. */
const LOOK_MS = 500
/** Between two looks at a log, in ms. */
const LOG_MS = 1_000

interface Options extends DeploymentChoice {
  service: string
  json?: boolean
}

const ids = (text: string): string[] => text.split(',').filter(Boolean)
const withTarget = (command: Command): Command =>
  command.option('--target <name>', 'a cluster by name; the usual target of the service when absent')
const withChoice = (command: Command): Command =>
  withTarget(command)
    .option(
      '--version <number>',
      'the version of the workflow; the newest when absent',
      whole(1, 2 ** 31 - 1),
    )
    .option(
      '--candidate <id>',
      `a candidate of the newest exploration by its id, or the best for ${GOALS.join(', ')}`,
    )
    .option(
      '--placement <tiers>',
      'TASK=TIER,...; other tasks stay where the candidate, or the deployment before, has them',
    )
    .option('--agents <number>', 'edge agents on the machine of the service', whole(1, 64))
    .option('--devices <ids>', 'enrolled devices instead of these agents, separated by commas', ids)
    .option(
      '--edge-nodes <number>',
      'edge nodes: the machine of the service plays them, a cluster has nodes for them',
      whole(1, 16),
    )
    .option('--edge-machines <ids>', 'enrolled devices as edge nodes instead, separated by commas', ids)
    .addOption(deployedHandOver())
    .option('--json', 'print the result as JSON')

/** `plan`, `deploy`, `rollback`, `undeploy`, `status` and `logs`. */
export function addDeployments(add: AddCommand): void {
  withChoice(add('plan', 'say what a deployment would create, change, remove and keep'))
    .argument('<project>', 'its id')
    .action(async (project: string, { service, json, ...choice }: Options) => {
      const client = new ServiceClient(service)
      const request = await requestFor(client, project, choice)
      const plan = await client.call('planDeployment', { path: { project }, body: request })
      if (json) return answerJson({ request, ...plan })
      say(`${inWords(request)}:`)
      answer(planText(plan))
    })

  withChoice(add('deploy', 'deploy a version with a placement, and wait until it is ready'))
    .argument('<project>', 'its id')
    .action(async (project: string, { service, json, ...choice }: Options) => {
      const client = new ServiceClient(service)
      const done = await deploy(client, project, await requestFor(client, project, choice))
      if (json) answerJson(done)
      else answer(done.id)
    })

  withTarget(
    add('rollback', 'deploy again what was deployed before: another version, placement or hand-over'),
  )
    .argument('<project>', 'its id')
    .option('--json', 'print the deployment as JSON')
    .action(async (project: string, { service, json, target }: Options) => {
      const client = new ServiceClient(service)
      const { running, before } = await beforeRunning(client, project, target)
      say(`Back from version ${running.request.version} to version ${before.request.version}.`)
      const done = await deploy(client, project, { ...before.request, beside: false, canary: undefined })
      if (json) answerJson(done)
      else answer(done.id)
    })

  withTarget(add('undeploy', 'stop what is deployed'))
    .argument('<project>', 'its id')
    .action(async (project: string, { service, target }: Options) => {
      const client = new ServiceClient(service)
      const { id } = await runningOf(client, project, target)
      await client.call('undeploy', { path: { deployment: id } })
      say(`Deployment ${id} is stopped.`)
    })

  withTarget(add('status', 'what is deployed, with the state of each function and agent'))
    .argument('<project>', 'its id')
    .option('--all', 'also what is stopped or has failed')
    .option('--json', 'print it as JSON')
    .action(async (project: string, { service, target, json, all }: Options & { all?: boolean }) => {
      const every = await deploymentsOf(new ServiceClient(service), project, target)
      const shown = every.filter(({ state }) => all || state === 'ready' || state === 'starting')
      if (json) return answerJson(shown)
      if (shown.length === 0) return say(`Nothing of project '${project}' is deployed.`)
      answer(shown.map(described).join('\n\n'))
    })

  withTarget(add('logs', 'the newest log lines of a function or an agent'))
    .argument('<project>', 'its id')
    .argument('<name>', 'of the function or agent, as status has it')
    .option('--follow', 'print new lines as they come, until Ctrl-C')
    .action(async (project: string, name: string, options: Options & { follow?: boolean }) => {
      const client = new ServiceClient(options.service)
      const { id, resources } = await runningOf(client, project, options.target)
      const resource = resources.find((one) => one.name === name)
      if (!resource)
        throw usageFault(
          `The deployment has no function or agent '${name}'; it has ${resources.map((one) => one.name).join(', ')}.`,
        )
      const lines = () =>
        client.call('deploymentLogs', { path: { deployment: id }, query: { kind: resource.kind, name } })
      let shown = await lines()
      if (shown.length > 0) answer(shown.join('\n'))
      if (!options.follow) return
      await untilInterrupted(async (signal) => {
        while (!signal.aborted) {
          await sleep(LOG_MS, undefined, { signal }).catch(() => {})
          const now = await lines()
          const fresh = now.slice(overlap(shown, now))
          if (fresh.length > 0) answer(fresh.join('\n'))
          shown = now
        }
      })
    })
}

/** How many lines at the beginning of `now` are the last ones of `shown`: the service keeps a number of the newest lines. */
function overlap(shown: readonly string[], now: readonly string[]): number {
  for (let from = 0; from < shown.length; from++) {
    const rest = shown.slice(from)
    if (rest.length <= now.length && rest.every((line, at) => line === now[at])) return rest.length
  }
  return 0
}

const inWords = ({ version, target, placement, handOver }: NewDeployment): string =>
  `Version ${version} on ${target ?? 'the usual target'} with ${Object.entries(placement)
    .map(([task, tier]) => `${task} on ${tier}`)
    .join(', ')}${handOver === 'co-placed' ? ', in one container where they can be' : ''}`

/** A deployment as text: what it is, and its functions and agents. */
function described({ id, state, message, request, resources }: Deployment): string {
  const rows = resources.map((one) => [one.kind, one.name, one.state, one.message ?? ''])
  return [
    `${id}: ${state}${message ? ` (${message})` : ''}. ${inWords(request)}.`,
    table([['kind', 'name', 'state', ''], ...rows]),
  ].join('\n')
}

/** Deploys, says how each function and agent does, and waits for the end. Ctrl-C withdraws it. Throws `Failure` when it fails. */
async function deploy(client: ServiceClient, project: string, request: NewDeployment): Promise<Deployment> {
  say(`${inWords(request)}.`)
  return untilInterrupted(async (signal) => {
    const { id } = await client.call('createDeployment', { path: { project }, body: request })
    const said = new Map<string, string>()
    for (;;) {
      if (signal.aborted) {
        await client.call('undeploy', { path: { deployment: id } })
        say('The deployment was withdrawn.')
      }
      const now = await client.call('getDeployment', { path: { deployment: id } })
      for (const { kind, name, state, message } of now.resources) {
        const line = `${kind} ${name}: ${state}${message ? ` (${message})` : ''}`
        if (said.get(`${kind} ${name}`) !== line) say(line)
        said.set(`${kind} ${name}`, line)
      }
      if (now.state === 'ready' || signal.aborted) return now
      if (now.state !== 'starting') throw otherFault(now.message || `The deployment is ${now.state}.`)
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
    }
  })
}
