/** Server-sent events of a service. */

/** One event: its id, its name and its data, which is JSON. */
export interface ServiceEvent {
  id: string
  name: string
  data: string
}

/** The events of an answer as they come. */
export async function* eventsOf({ body }: Response): AsyncGenerator<ServiceEvent> {
  let rest = ''
  for await (const chunk of (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, id = '', name, data = ''] = /^(?:id: (.*)\n)?event: (\w+)\ndata: (.*)$/.exec(block) ?? []
      if (name !== undefined) yield { id, name, data }
    }
  }
}
