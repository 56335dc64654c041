import { look, picture } from './look.ts'
import { expect, test } from './service.ts'

test('a word is explained where it stands: pointed at, focused, or pressed', async ({
  page,
  service,
  browser,
}) => {
  await page.goto(service.url)
  await page.getByTestId('open-example-hello-swarm').click()
  await expect(page.getByTestId('task-node-judge')).toBeVisible()
  const nfu = page.getByTestId('term-nfu')
  const says = page.getByText('A small function on numbers')
  await nfu.hover()
  await expect(says).toBeVisible()
  await look(page, 'words-workflow')
  await page.mouse.move(700, 500)
  await expect(says).toHaveCount(0)
  await page.getByTestId('tab-explore').click()
  await page.getByLabel('Random seed').focus()
  await page.keyboard.press('Shift+Tab')
  await expect(page.getByTestId('term-seed')).toBeFocused()
  await expect(page.getByText('The same seed gives the same result; another one shows')).toBeVisible()
  await look(page, 'words-explore')

  const phone = await browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  try {
    const touched = await phone.newPage()
    await touched.goto(page.url())
    await touched.getByTestId('term-fleet').tap()
    await expect(touched.getByText('The devices, their links and the cloud')).toBeVisible()
    await picture(touched, 'words-390')
    await touched.getByTestId('term-fleet').tap()
    await expect(touched.getByText('The devices, their links and the cloud')).toHaveCount(0)
  } finally {
    await phone.close()
  }
})
