/**
 * How fast the canvas is, printed: 1,000 tasks dragged, panned and zoomed, beside bare React Flow in the same run; 500 tasks
 * opened and undone; an edit of 2,000 lines. Nothing here fails for being slow. Run it with
 * `HIVEMIND_MEASURE=1 npx playwright test -c e2e/playwright.config.ts canvas-speed`.
 */
import { fileURLToPath } from 'node:url'
import type { CDPSession, Page } from '@playwright/test'
import { build } from 'vite'
import { centre } from './canvas.ts'
import { median } from './explorations.ts'
import { expect, type Service, test } from './service.ts'

test.setTimeout(900_000)
// A trace takes a picture of the page at each move of the mouse: most of the time measured would be its own.
test.use({ trace: 'off' })

const COLUMNS = 40
const GESTURE_STEPS = 60

const edgesOf = (count: number): [number, number][] =>
  Array.from({ length: count - COLUMNS }, (_, n) => [n, n + COLUMNS])

function textOf(count: number): string {
  const names = Array.from({ length: count }, (_, n) => `t${n}`)
  return `TaskGraph(list=[${names.map((name) => `'${name}'`).join(', ')}])
${names
  .map(
    (name, n) =>
      `Task(${name}, ${n >= COLUMNS ? `d${n - COLUMNS}` : 'None'}, d${n}, 'tasks/t.js', parentTask=${n >= COLUMNS ? `['t${n - COLUMNS}']` : 'None'}, childTask=[${n + COLUMNS < count ? `'t${n + COLUMNS}'` : ''}])`,
  )
  .join('\n')}
`
}

async function openBare(page: Page, count: number): Promise<void> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      lib: {
        entry: fileURLToPath(new URL('bare-flow/main.ts', import.meta.url)),
        formats: ['es'],
        fileName: 'bare',
      },
    },
  })
  const [bundle] = [built].flat()
  if (!bundle || !('output' in bundle)) throw new Error('Nothing was built.')
  let script = ''
  let style = ''
  for (const file of bundle.output)
    if (file.type === 'chunk') script += file.code
    else style += String(file.source)
  const graph = {
    nodes: Array.from({ length: count }, (_, n) => ({
      id: `t${n}`,
      position: { x: Math.floor(n / COLUMNS) * 304, y: (n % COLUMNS) * 120 },
      data: { label: `t${n}` },
    })),
    edges: edgesOf(count).map(([from, to]) => ({
      id: `${from}>${to}`,
      source: `t${from}`,
      target: `t${to}`,
    })),
  }
  await page.goto('about:blank')
  await page.setContent(
    `<style>${style}</style><style>html,body,#root{height:100%;margin:0}</style><div id="root"></div>`,
  )
  await page.evaluate((data) => Object.assign(window, { bareGraph: data }), graph)
  await page.addScriptTag({ content: script, type: 'module' })
}

interface Measure {
  p95Ms: number
  medianMs: number
  cpuMs: number
}

/** Gaps between frames, and time the page's thread was busy, while a gesture goes on. */
async function during(page: Page, cdp: CDPSession, gesture: () => Promise<void>): Promise<Measure> {
  const busy = async (): Promise<number> =>
    (await cdp.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
  await page.waitForTimeout(500)
  await page.evaluate(() => {
    const frames: number[] = []
    Object.assign(window, { frames, measuring: true })
    const tick = (at: number) => {
      frames.push(at)
      if ((window as unknown as { measuring: boolean }).measuring) requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  })
  const before = await busy()
  await gesture()
  const after = await busy()
  const frames = await page.evaluate(() => {
    Object.assign(window, { measuring: false })
    return (window as unknown as { frames: number[] }).frames
  })
  const gaps = frames
    .slice(1)
    .map((at, n) => at - (frames[n] as number))
    .sort((a, b) => a - b)
  return {
    p95Ms: gaps[Math.floor(0.95 * gaps.length)] ?? Number.NaN,
    medianMs: median(gaps),
    cpuMs: (after - before) * 1000,
  }
}

async function gestures(page: Page, node: string): Promise<Record<string, Measure>> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  const at = await centre(page.locator(`.react-flow__node[data-id="${node}"]`))
  const pane = await page.locator('.react-flow').boundingBox()
  if (!pane) throw new Error('There is no canvas.')
  const corner = { x: pane.x + pane.width - 12, y: pane.y + 12 }
  const move = (from: { x: number; y: number }) => async () => {
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    for (let step = 1; step <= GESTURE_STEPS; step++) await page.mouse.move(from.x - 2 * step, from.y + step)
    await page.mouse.up()
  }
  const measured: Record<string, Measure> = {}
  measured.drag = await during(page, cdp, move(at))
  measured.pan = await during(page, cdp, move(corner))
  measured.zoom = await during(page, cdp, async () => {
    await page.mouse.move(pane.x + pane.width / 2, pane.y + pane.height / 2)
    for (let step = 0; step < GESTURE_STEPS / 2; step++) await page.mouse.wheel(0, step % 2 ? 40 : -40)
  })
  return measured
}

async function openOwn(page: Page, service: Service, count: number): Promise<number> {
  const made = await page.request.post(`${service.url}api/projects`, {
    data: { name: `Of ${count}`, text: textOf(count) },
  })
  expect(made.ok(), await made.text()).toBe(true)
  const { id } = (await made.json()) as { id: string }
  const start = Date.now()
  await page.goto(`${service.url}projects/${id}`)
  await expect(page.getByTestId('task-node-t0')).toBeAttached()
  const opened = Date.now() - start
  await page.waitForTimeout(1_500)
  return opened
}

/** Time from a key press to the frame after the text has changed. */
async function untilPainted(page: Page, act: () => Promise<unknown>): Promise<number> {
  await page.evaluate(() => {
    Object.assign(window, { painted: undefined })
    const text = document.querySelector('[data-testid="dsl-editor"] .cm-content')
    if (!text) return
    const start = { at: 0 }
    const began = () => {
      start.at = performance.now()
    }
    window.addEventListener('keydown', began, { capture: true, once: true })
    const observer = new MutationObserver(() => {
      observer.disconnect()
      requestAnimationFrame(() =>
        setTimeout(() => Object.assign(window, { painted: performance.now() - start.at })),
      )
    })
    observer.observe(text, { childList: true, subtree: true, characterData: true })
  })
  await act()
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { painted?: number }).painted), { intervals: [50] })
    .toBeDefined()
  return (await page.evaluate(() => (window as unknown as { painted?: number }).painted)) ?? Number.NaN
}

const shown = (ms: number): string => `${ms.toFixed(0)} ms`

test('1,000 tasks are dragged, panned and zoomed, beside bare React Flow', async ({ page, service }) => {
  await openOwn(page, service, 1_000)
  const own = await gestures(page, 't500')
  await openBare(page, 1_000)
  await expect(page.locator('.react-flow__node')).toHaveCount(1_000)
  const bare = await gestures(page, 't500')
  for (const [name, { p95Ms, medianMs, cpuMs }] of Object.entries(own)) {
    const other = bare[name]
    expect(cpuMs).toBeGreaterThan(0)
    if (other)
      console.log(
        `1,000 tasks, ${name}: frames median ${shown(medianMs)}, p95 ${shown(p95Ms)}, thread ${shown(cpuMs)}; bare React Flow ${shown(other.medianMs)}, ${shown(other.p95Ms)}, ${shown(other.cpuMs)}: ${(cpuMs / other.cpuMs).toFixed(2)} x its CPU`,
      )
  }
})

test('1,000 tasks are arranged', async ({ page, service }) => {
  await openOwn(page, service, 1_000)
  const task = page.locator('.react-flow__node[data-id="t500"]')
  const at = JSON.stringify(await task.boundingBox())
  const times: number[] = []
  for (let time = 0; time < 3; time++) {
    const start = Date.now()
    await page.locator('.react-flow__pane').press('l')
    await expect.poll(async () => page.getByTestId('undo-button').isEnabled(), { intervals: [20] }).toBe(true)
    times.push(Date.now() - start)
    await expect(page.getByText('plain layers')).toHaveCount(0)
    await page.waitForTimeout(500)
    expect(JSON.stringify(await task.boundingBox())).not.toBe(at)
    await page.keyboard.press('Control+z')
    await page.waitForTimeout(500)
  }
  console.log(
    `1,000 tasks are arranged in ${shown(median(times))} (median of 3, the start of the worker included)`,
  )
})

test('500 tasks are opened, changed and undone; 2,000 lines are edited on the canvas', async ({
  page,
  service,
}) => {
  for (const count of [500, 2_000]) {
    const opened = await openOwn(page, service, count)
    const nodes = page.locator('[data-testid^="task-node-"]')
    const edits: number[] = []
    const undos: number[] = []
    for (let time = 0; time < 5; time++) {
      await nodes.first().click()
      edits.push(await untilPainted(page, () => page.keyboard.press('Delete')))
      await page.waitForTimeout(600)
      undos.push(await untilPainted(page, () => page.keyboard.press('Control+z')))
      await page.waitForTimeout(600)
    }
    expect(undos).toHaveLength(5)
    console.log(
      `${count} tasks: open ${shown(opened)}, delete a task ${shown(median(edits))}, undo ${shown(median(undos))} (medians of 5, to the next frame)`,
    )
  }
})
