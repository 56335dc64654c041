/** The exploration library in a thread of the browser: the same code, hence the same bytes, as in the service. */
import { explain, explore, tornado } from '@hivemind/placement'
import type { Reply } from './latest.ts'
import { curves, screen } from './screen.ts'
import type { AnswerTo, Work } from './work.ts'

const send = (reply: Reply<AnswerTo<Work['kind']>>) => postMessage(reply)

/** Often enough for a bar that moves, and not so often that the page has to redraw for nothing, in ms. */
const PROGRESS_MS = 100
let reported = 0

function report(fraction: number): void {
  const now = performance.now()
  if (now - reported < PROGRESS_MS) return
  reported = now
  send({ type: 'progress', fraction })
}

async function answer(work: Work): Promise<AnswerTo<Work['kind']>> {
  const { scenario } = work
  if (work.kind === 'screen') return screen(scenario, work.placements)
  if (work.kind === 'curves') return curves(scenario, work.placements, work.counts)
  if (work.kind === 'explore') return explore({ ...scenario, onProgress: report })
  return {
    explanation: explain({ ...scenario, exploration: work.exploration, id: work.id }),
    tornado: tornado({ ...scenario, placement: work.placement }),
  }
}

self.onmessage = async ({ data }: MessageEvent<Work>) => {
  try {
    send({ type: 'answer', answer: await answer(data) })
  } catch (error) {
    send({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
}
