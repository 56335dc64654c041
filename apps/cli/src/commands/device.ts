import { rm, writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { otherFault } from '../failure.ts'
import { answer, answerJson, say, table } from '../output.ts'
import { DEFAULT_SERVICE, ServiceClient, serviceHelp } from '../service.ts'

const EXAMPLES = `
Examples:
  hivemind device enrol drone-7 --class drone     writes drone-7.json; copy it to the device, and start there:
  npm run agent -- --config drone-7.json
  hivemind device list`

/** `hivemind device`: the devices of other machines that may dial in to a service. */
export function deviceCommand(program: Command): void {
  const device = program
    .command('device')
    .description('enrol, list and remove the devices of a running service')
    .addHelpText('after', EXAMPLES)
  const withService = (command: Command): Command =>
    command.option('--service <url>', serviceHelp, DEFAULT_SERVICE)

  withService(device.command('list').description('every device that was enrolled or has called in'))
    .option('--json', 'print them as JSON')
    .action(async ({ service, json }: { service: string; json?: boolean }) => {
      const devices = await new ServiceClient(service).call('listDevices')
      if (json) return answerJson(devices)
      if (devices.length === 0) return say('No device is enrolled, and none has called in.')
      answer(
        table([
          ['device', 'class', 'state', 'last seen'],
          ...devices.map(({ id, class: of, state, seenAt }) => [id, of, state, seenAt ?? '']),
        ]),
      )
    })

  withService(device.command('enrol').description('let a device of another machine dial in'))
    .argument('<device>', 'its id')
    .option('--class <name>', 'name of its device class', 'device')
    .option('--out <file>', 'file for its credential, which is shown this once; DEVICE.json when absent')
    .action(async (id: string, { service, class: of, out = `${id}.json` }: EnrolOptions) => {
      // The credential cannot be had twice: its place is made before it is.
      await writeFile(out, '', { mode: 0o600, flag: 'wx' }).catch((error: Error) => {
        throw otherFault(
          `The credential cannot be written: ${error.message}. Choose another file with --out.`,
        )
      })
      const client = new ServiceClient(service)
      const credential = await client
        .call('enrolDevice', { body: { id, class: of } })
        .catch(async (error) => {
          await rm(out, { force: true })
          throw error
        })
      await writeFile(out, `${JSON.stringify(credential, null, 2)}\n`)
      say(
        `Device ${id} is enrolled. Copy ${out} to it, and start its agent there:\n  npm run agent -- --config ${out}`,
      )
    })

  withService(
    device.command('remove').description('end its connection and refuse its credential from now on'),
  )
    .argument('<device>', 'its id')
    .action(async (id: string, { service }: { service: string }) => {
      await new ServiceClient(service).call('removeDevice', { path: { device: id } })
      say(`Device ${id} is removed.`)
    })
}

interface EnrolOptions {
  service: string
  class: string
  out?: string
}
