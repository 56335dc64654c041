/** From an empty canvas to a green run without a mouse. The build by mouse is in first-hour.spec.ts. */
import type { Locator, Page } from '@playwright/test'
import { expect, test } from './service.ts'

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible({ timeout: 120_000 })
  await expect(target).toBeEnabled({ timeout: 120_000 })
  for (let presses = 0; presses < 120; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error('Tab does not lead there.')
}

async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

/** Runs a command by its words in the command palette. */
async function command(page: Page, words: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByPlaceholder('What would you like to do?')).toBeFocused()
  await page.keyboard.type(words)
  await page.keyboard.press('Enter')
  await expect(page.getByPlaceholder('What would you like to do?')).toHaveCount(0)
}

/** Saves, explores, deploys and runs, by keys only. */
async function runByKeys(page: Page): Promise<void> {
  await command(page, 'create all missing')
  await expect(page.getByTestId('problems')).toContainText('No problems')
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByTestId('save-state')).toContainText('saved')
  await press(page, page.getByTestId('tab-explore'))
  await press(page, page.getByTestId('explore-start'))
  await expect(page.getByTestId('scatter')).toBeVisible({ timeout: 120_000 })
  await press(page, page.getByTestId('deploy-candidate'))
  await press(page, page.getByTestId('run-start'))
  await expect(page.getByTestId('run-state')).toContainText('succeeded', { timeout: 120_000 })
}

test('six tasks by keyboard: what is added follows the selected task', async ({ page, service }) => {
  await page.goto(service.url)
  await press(page, page.getByTestId('new-project'))
  await expect(page.getByTestId('canvas')).toBeVisible()
  for (const words of [
    'add: sensor',
    'add: filter',
    'add: average',
    'add: compute (javascript)',
    'add: barrier',
    'add: actuator',
  ])
    await command(page, words)
  await expect(page.locator('[data-testid^="task-node-"]')).toHaveCount(6)
  await expect(page.locator('.react-flow__edge')).toHaveCount(5)
  await runByKeys(page)
})

test('six tasks by text', async ({ page, service }) => {
  await page.goto(service.url)
  await press(page, page.getByTestId('new-project'))
  await expect(page.getByTestId('canvas')).toBeVisible()
  await page.keyboard.press('t')
  await expect(page.getByTestId('dsl-editor').locator('.cm-content')).toBeFocused()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(`TaskGraph(list=['sense', 'warm', 'mean', 'judge', 'collect', 'act'])
Data(reading, kind='stream', rate='5/s')
Task(sense, None, reading, 'tasks/sense.js', childTask=['warm'])
Task(warm, reading, hot, 'nfu:filter?above=0', parentTask=['sense'], childTask=['mean'])
Task(mean, hot, average, 'nfu:average?window=4', parentTask=['warm'], childTask=['judge'])
Task(judge, average, verdict, 'tasks/judge.py', parentTask=['mean'], childTask=['collect'])
Task(collect, verdict, total, 'tasks/collect.js', parentTask=['judge'], childTask=['act'])
Task(act, total, None, 'tasks/act.js', parentTask=['collect'], role='actuator')
Synchronize(collect, 'all')
`)
  await expect(page.locator('[data-testid^="task-node-"]')).toHaveCount(6)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await runByKeys(page)
})
