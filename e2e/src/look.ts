/** What every screen must stand at both sizes, in light and dark; and pictures of it for people to look at. */
import { fileURLToPath } from 'node:url'
import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

const pictures = process.env.HIVEMIND_PICTURES === '1'
const screenshots = fileURLToPath(new URL('../screenshots/', import.meta.url))
const sizes = [
  { width: 1024, height: 768 },
  { width: 1440, height: 900 },
]

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Fails on any finding of axe (WCAG 2.2 AA: targets of 24 px too), naming rule and place. */
export async function expectAccessible(page: Page, screen: string): Promise<void> {
  await expectNoFinding(page, screen, { type: 'tag', values: standards })
}

/**
 * Regions with a part that sticks to their edge, at their start: what that part covers depends on how far somebody has
 * scrolled, and axe takes a button half under it for a small one. Answers what puts them back.
 */
async function unscrolled(page: Page): Promise<() => Promise<void>> {
  const regions = await page.evaluateHandle(() => {
    const found = new Map<Element, number>()
    for (const element of document.querySelectorAll('*')) {
      if (getComputedStyle(element).position !== 'sticky') continue
      for (let region = element.parentElement; region; region = region.parentElement)
        if (region.scrollTop > 0) found.set(region, region.scrollTop)
    }
    for (const region of found.keys()) region.scrollTop = 0
    return found
  })
  return () =>
    regions.evaluate((found) => {
      for (const [region, top] of found) region.scrollTop = top
    })
}

async function expectNoFinding(
  page: Page,
  screen: string,
  runOnly: { type: 'tag' | 'rule'; values: string[] },
): Promise<void> {
  const putBack = await unscrolled(page)
  const { violations } = await new AxeBuilder({ page })
    .options({ runOnly, resultTypes: ['violations'] })
    .analyze()
  await putBack()
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target }) => `${id} (${help}): ${target.join(' ')}`),
  )
  expect(found, `axe on the ${screen} screen`).toEqual([])
}

/** The shell fills the window; only regions inside it scroll, never the page itself. */
async function expectFixed(page: Page, screen: string): Promise<void> {
  const hidden = await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight)
  expect(hidden, `height of the ${screen} screen below the window`).toBeLessThanOrEqual(0)
}

/** A picture for people to look at, in `e2e/screenshots`. Taken when HIVEMIND_PICTURES=1 asks for it: no test reads it. */
export async function picture(page: Page, name: string): Promise<void> {
  if (pictures) await page.screenshot({ path: `${screenshots}${name}.png` })
}

/** A screen in the sizes 1440x900 and 1024x768, light and dark: axe, its contrasts in both colour schemes, and pictures of all four. */
export async function look(page: Page, screen: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const { width, height } of pictures || colorScheme === 'light' ? sizes : sizes.slice(-1)) {
      await page.setViewportSize({ width, height })
      await page.waitForTimeout(300)
      await expectFixed(page, `${screen} ${width}x${height}`)
      await picture(page, `${screen}-${width}x${height}-${colorScheme}`)
    }
    if (colorScheme === 'light') await expectAccessible(page, `${screen} (light)`)
    // of all rules this one alone depends on colours
    else await expectNoFinding(page, `${screen} (dark)`, { type: 'rule', values: ['color-contrast'] })
  }
  await page.emulateMedia({ colorScheme: 'light' })
}
