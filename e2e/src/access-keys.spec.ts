import { look } from './look.ts'
import { expect, test } from './service.ts'

test('an access key is made in the browser, used by a program, and removed, which ends what it has open', async ({
  page,
  service,
}) => {
  const api = `${service.url}api/store`
  await page.request.post(`${api}/pools`, { data: { path: '/factory/images' } })
  await page.goto(`${service.url}store`)
  await page.getByTestId('access-keys-link').click()
  await expect(page.getByText('No access key yet')).toBeVisible()
  await look(page, 'access-keys-empty')

  await page.getByTestId('make-access-key').click()
  const form = page.getByTestId('access-key-form')
  await form.getByLabel('Name').fill('Camera')
  await expect(form.getByText("Use small letters, digits and '-'")).toBeVisible()
  await form.getByLabel('Name').fill('camera-7')
  await form.getByLabel('Prefix 1').first().fill('/factory/images')
  await form.getByRole('button', { name: 'Another prefix' }).click()
  await form.getByLabel('Prefix 2').first().fill('factory')
  await expect(form.getByText("It must begin with '/'")).toBeVisible()
  await form.getByLabel('Prefix 2').first().fill('/factory/images/camera-7')
  await form.getByLabel('May').last().selectOption('read and write')
  await form.getByLabel('It expires').selectOption('in 30 days')
  await look(page, 'access-key-form')
  await form.getByRole('button', { name: 'Make' }).click()
  const secret = await page.getByTestId('access-key-secret').getByLabel('Key').inputValue()
  expect(secret).toMatch(/^hmk_camera-7_[\w-]{43}$/)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy' }).click()
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret)
  await look(page, 'access-key-secret')
  await page.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row', { name: /camera-7/ })
  await expect(row).toContainText('read and write /factory/images/camera-7')
  await look(page, 'access-keys')

  // The Store screen says who reaches a pool.
  await page.getByRole('link', { name: 'Store', exact: true }).click()
  await page.getByTestId('pools').getByRole('button').click()
  await expect(page.getByTestId('pool-line')).toContainText(
    'access keys: camera-7 (read), camera-7 (read and write camera-7)',
  )
  await look(page, 'store-access-keys')

  // A program uses it, and the screen shows what it writes.
  const authorization = `Bearer ${secret}`
  const put = (key: string) =>
    fetch(`${api}/object?${new URLSearchParams({ key, type: 'text/plain' })}`, {
      method: 'PUT',
      headers: { authorization, 'content-type': 'application/octet-stream' },
      body: 'seen',
    })
  expect((await put('/factory/images/camera-7/1')).status).toBe(200)
  await expect(page.getByTestId('objects').getByRole('button', { name: 'camera-7/1' })).toBeVisible()
  const refused = await put('/factory/images/1')
  expect(((await refused.json()) as { detail: string }).detail).toContain(
    "Access key 'camera-7' may not write '/factory/images/1'",
  )
  const stream = await fetch(`${api}/watch?prefix=/factory/images`, { headers: { authorization } })
  const heard = stream.text()

  await page.getByTestId('access-keys-link').click()
  await page.getByRole('button', { name: 'Remove camera-7' }).click()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(page.getByText('No access key yet')).toBeVisible()
  expect(await heard).toContain('connected')
  expect((await put('/factory/images/camera-7/2')).status).toBe(401)
})
