/** Faults planted on purpose, through hands on the ports and the network: the invariants must find each of them. */
import type { Down, Frame } from '@hivemind/agent-protocol'
import type { ServicePorts } from '../src/service/ports.ts'
import type { Rng } from './random-plan.ts'

/** Now and then the service acknowledges one message more than it has. */
export const wrongAcknowledgement =
  (random: Rng) =>
  (frame: Frame<Down>): Frame<Down> =>
    frame.p !== '' && random() < 0.3 ? { ...frame, a: frame.a + 1 } : frame

/** A barrier hands on one item less than it has collected. */
export function barrierOffByOne(ports: ServicePorts): ServicePorts {
  return {
    ...ports,
    invoke: (work, onItem, signal) => {
      const inputs = Object.fromEntries(
        Object.entries(work.inputs).map(([name, input]) => [
          name,
          input.kind === 'many' ? { ...input, items: input.items.slice(1) } : input,
        ]),
      )
      return ports.invoke(work.task.barrier ? { ...work, inputs } : work, onItem, signal)
    },
  }
}
