import type { Command } from 'commander'
import { answer, answerJson, say, table } from '../output.ts'
import { type AddCommand, DEFAULT_SERVICE, ServiceClient, serviceHelp } from '../service.ts'
import { addDeployments } from './service-deployments.ts'
import { addRuns } from './service-runs.ts'

const EXAMPLES = `
Examples:
  hivemind service projects
  hivemind service plan hello-swarm --candidate latency --target staging
  hivemind service deploy hello-swarm --target staging      the newest version, placed as before
  hivemind service status hello-swarm
  hivemind service run hello-swarm --target staging
  hivemind service rollback hello-swarm --target staging
  hivemind service runs hello-swarm --state failed`

/** `hivemind service`: the projects, deployments and runs of a running service, for scripts and terminals. */
export function serviceCommand(program: Command): void {
  const group = program
    .command('service')
    .description('plan, deploy, roll back, run and watch the projects of a running service')
    .addHelpText('after', EXAMPLES)
  const add: AddCommand = (name, description) =>
    group.command(name).description(description).option('--service <url>', serviceHelp, DEFAULT_SERVICE)

  add('projects', 'the projects of the service, with their newest versions')
    .option('--json', 'print them as JSON')
    .action(async ({ service, json }: { service: string; json?: boolean }) => {
      const projects = await new ServiceClient(service).call('listProjects')
      if (json) return answerJson(projects)
      if (projects.length === 0) return say('The service has no project yet.')
      answer(
        table([
          ['project', 'version', 'name'],
          ...projects.map(({ id, headVersion, name }) => [id, String(headVersion), name]),
        ]),
      )
    })

  add('targets', 'the clusters that can be deployed to by name')
    .option('--json', 'print them as JSON')
    .action(async ({ service, json }: { service: string; json?: boolean }) => {
      const targets = await new ServiceClient(service).call('listTargets')
      if (json) return answerJson(targets)
      if (targets.length === 0)
        return say('No target was added: everything is deployed to the usual one of the service.')
      answer(targets.map(({ name }) => name).join('\n'))
    })

  addDeployments(add)
  addRuns(add)
}
