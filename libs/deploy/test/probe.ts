/** Calls that go on while a deployment changes. */
import { decodeValue, encodeValue } from '@hivemind/values'
import type { Deployment, FunctionClient } from '../src/index.ts'

/** Calls a function over and over until it is stopped; resolves then to what each call gave. */
export function probing(
  client: FunctionClient,
  everyMs: number,
  on: Deployment,
  task: string,
  input: string,
  value: unknown,
  workflow = 'walk',
): () => Promise<unknown[][]> {
  const calls: Promise<unknown[]>[] = []
  const timer = setInterval(() => {
    const made = callOnce(client, on, task, input, value, workflow, calls.length)
    made.catch(() => {})
    calls.push(made)
  }, everyMs)
  return async () => {
    clearInterval(timer)
    return Promise.all(calls)
  }
}

/** One call of a function, and the items it gives. */
export async function callOnce(
  client: FunctionClient,
  on: Deployment,
  task: string,
  input: string,
  value: unknown,
  workflow: string,
  id: number,
): Promise<unknown[]> {
  const items: unknown[] = []
  await client.invoke(
    () => on.endpoint(task),
    {
      id: `probe-${task}-${id}`,
      workflow,
      task,
      run: 'probe',
      lane: 'device-1',
      index: 0,
      devices: ['device-1'],
      seq: id,
      inputs: { [input]: { kind: 'one', value: encodeValue(value) } },
    },
    { onItem: (item) => void items.push(decodeValue(item.value)) },
  )
  return items
}
