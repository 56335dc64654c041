import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Command } from 'commander'
import { otherFault } from '../failure.ts'
import { answer, answerJson, say, table } from '../output.ts'
import { DEFAULT_SERVICE, ServiceClient, serviceHelp } from '../service.ts'
import { writeWholeFile } from '../whole-file.ts'

const EXAMPLES = `
Examples:
  hivemind device enrol drone-7 --class drone     writes drone-7.json; copy it to the device
  hivemind device agent                           writes hivemind-agent.tar.gz; on the device, which needs Node.js 24.5 or newer:
  tar xzf hivemind-agent.tar.gz && hivemind-agent/start --config drone-7.json
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
      const { onlyHere } = await client.call('dialIn')
      if (onlyHere.length > 0)
        say(
          `Only agents on the service's machine reach ${onlyHere.join(' and ')}, which devices need: for devices of other machines, start it with HIVEMIND_DEVICES_HOST, and enrol them after that.`,
        )
      say(
        `Device ${id} is enrolled. Copy ${out} to it, with the agent (hivemind device agent), and start it there:\n  hivemind-agent/start --config ${path.basename(out)}`,
      )
    })

  withService(device.command('agent').description('write the agent of devices to a file, as tar.gz'))
    .option('--out <file>', 'file to write', 'hivemind-agent.tar.gz')
    .action(async ({ service, out }: { service: string; out: string }) => {
      const { body } = await new ServiceClient(service).open('agentArchive')
      await writeWholeFile(Readable.fromWeb(body as ReadableStream), out)
      say(
        `${out} has the agent. On a device with Node.js 24.5 or newer:\n  tar xzf ${path.basename(out)} && hivemind-agent/start --config CREDENTIAL.json`,
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
