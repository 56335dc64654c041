import { expectAccessible, picture } from './look.ts'
import { expect, test } from './service.ts'

test('a thousand projects are listed page by page', async ({ page, service }) => {
  const text = "TaskGraph(list=['a'])\nTask(a, None, out, 'a.mjs', parentTask=None, childTask=[])\n"
  for (let n = 0; n < 1_000; n += 20)
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const made = await page.request.post(`${service.url}api/projects`, {
          data: { name: `Project ${n + index}`, text },
        })
        expect(made.ok(), await made.text()).toBe(true)
      }),
    )
  await page.goto(service.url)
  const projects = page.locator('[data-testid^="project-"]')
  await expect(projects).toHaveCount(100)
  await expectAccessible(page, 'start, a thousand projects')
  await page.getByTestId('more').click()
  await expect(projects).toHaveCount(200)
  await page.getByTestId('more').focus()
  await page.keyboard.press('Enter')
  await expect(projects).toHaveCount(300)
  const names = await projects.locator('a').allTextContents()
  expect(new Set(names).size).toBe(300)
  await page.getByTestId('more').scrollIntoViewIfNeeded()
  await picture(page, 'pages')
})
