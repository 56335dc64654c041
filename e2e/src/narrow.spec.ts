/** Every screen on a phone (390 px) and at 200 % of a laptop (720 x 450): nothing is cut off, nothing lies over anything else. */
import type { Page } from '@playwright/test'
import { expectAccessible, picture } from './look.ts'
import { expect, test } from './service.ts'

const sizes = [
  ['390', 390, 844],
  ['200-percent', 720, 450],
] as const

/** What of a page is cut off at its right or left edge, or lies over other controls of its header. */
const faults = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const scrolls = (element: Element | null): boolean => {
      for (let at = element; at && at !== document.body; at = at.parentElement)
        if (/auto|scroll/.test(getComputedStyle(at).overflowX) || at.matches('.react-flow, .cm-editor'))
          return true
      return false
    }
    const said = (element: Element): string =>
      `${element.tagName.toLowerCase()} “${(element.textContent || element.getAttribute('aria-label') || '').trim().slice(0, 40)}”`
    const controls = [
      ...document.querySelectorAll('a, button, input, select, textarea, h1, h2, p, dt, dd, label'),
    ].filter(
      (element) =>
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
        !element.closest('.sr-only'),
    )
    const cut = controls.filter((element) => {
      const { left, right, width } = element.getBoundingClientRect()
      return width > 1 && (right > innerWidth + 1 || left < -1) && !scrolls(element.parentElement)
    })
    const header = controls.filter((element) =>
      element.matches('header:first-of-type a, header:first-of-type button'),
    )
    const covered = header.filter((element) => {
      const { left, top, width, height } = element.getBoundingClientRect()
      const on = document.elementFromPoint(left + width / 2, top + height / 2)
      return on !== null && !element.contains(on) && !on.contains(element)
    })
    return [
      ...cut.map((element) => `cut off: ${said(element)}`),
      ...covered.map((element) => `covered: ${said(element)}`),
      ...(document.documentElement.scrollWidth > innerWidth + 1 ? ['the page scrolls sideways'] : []),
    ]
  })

test('every screen fits a phone, and 200 % zoom', async ({ page, service }) => {
  test.setTimeout(240_000)
  await page.goto(service.url)
  await page.getByTestId('open-example-hello-swarm').click()
  await expect(page.getByTestId('task-node-judge')).toBeVisible()
  const project = page.url()
  await page.getByTestId('tab-explore').click()
  await page.getByTestId('explore-start').click()
  await expect(page.getByTestId('scatter')).toBeVisible({ timeout: 120_000 })
  await page.getByTestId('deploy-candidate').click()
  await page.getByTestId('run-start').click({ timeout: 90_000 })
  await expect(page.getByTestId('run-state')).toContainText('succeeded', { timeout: 120_000 })
  const run = page.url()
  await page.getByTestId('run-start').click()
  await expect(page).not.toHaveURL(run)
  await expect(page.getByTestId('run-state')).toContainText('succeeded', { timeout: 120_000 })
  const [a, b] = [run, page.url()].map((url) => new URL(url).searchParams.get('run'))
  const screens = {
    start: service.url,
    workflow: project,
    explore: `${project}/explore`,
    run,
    runs: `${project}/runs`,
    'runs-compared': `${project}/runs/compare?runs=${a},${b}`,
    fleets: `${project}/fleets`,
    store: `${service.url}store`,
    fabric: `${service.url}fabric`,
    targets: `${service.url}targets`,
    devices: `${service.url}devices`,
  }
  const found: string[] = []
  for (const [name, width, height] of sizes) {
    await page.setViewportSize({ width, height })
    for (const [screen, url] of Object.entries(screens)) {
      await page.goto(url)
      await expect(page.locator('main')).toBeVisible()
      await page.waitForLoadState('networkidle')
      if (screen === 'explore') await expect(page.getByTestId('scatter')).toBeVisible({ timeout: 30_000 })
      await page.waitForTimeout(400)
      await picture(page, `narrow-${screen}-${name}`)
      found.push(...(await faults(page)).map((fault) => `${screen}, ${name}: ${fault}`))
      await expectAccessible(page, `${screen}, ${name}`)
    }
  }
  expect(found).toEqual([])
})
