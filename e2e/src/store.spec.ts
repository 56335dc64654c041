import { look } from './look.ts'
import { expect, test } from './service.ts'

/** A picture of 2 x 2 pixels. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEklEQVR4nGP4z8AAxP//M4AIAB34A/3v2XJFAAAAAElFTkSuQmCC',
  'base64',
)

test('pools and objects of the store are created, watched, read at versions and removed in the browser', async ({
  page,
  service,
}) => {
  const api = `${service.url}api/store`
  const put = (key: string, type: string, data: Buffer | string) =>
    page.request.put(`${api}/object?${new URLSearchParams({ key, type })}`, {
      headers: { 'content-type': 'application/octet-stream' },
      data: Buffer.from(data),
    })
  await page.goto(service.url)
  await page.getByTestId('store-link').click()
  await expect(page.getByText('No pool yet')).toBeVisible()
  await look(page, 'store-empty')

  await page.getByTestId('create-pool').click()
  const form = page.getByTestId('create-pool-form')
  await form.getByLabel('Path').fill('factory')
  await expect(form.getByText("It must begin with '/'")).toBeVisible()
  await form.getByLabel('Path').fill('/factory/readings')
  await form.getByLabel('Versions to keep of each object').fill('20')
  await look(page, 'store-create')
  await page.keyboard.press('Enter')
  await expect(page.getByText('No objects in this pool')).toBeVisible()
  await expect(page.getByTestId('pool-line')).toContainText('live')
  await expect(page.getByTestId('pool-line')).toContainText('keeps 20 versions')

  // What a script writes appears without a reload.
  const objects = page.getByTestId('objects')
  for (let n = 0; n < 30; n++)
    await put(`/factory/readings/station-${n % 15}`, 'application/json', JSON.stringify({ n, damp: n / 30 }))
  await put('/factory/readings/photo', 'image/png', PNG)
  await put('/factory/readings/log', 'text/plain', 'first line\nsecond line')
  await expect(page.getByTestId('pool-line')).toContainText('17 objects')
  await expect(page.getByTestId('pool-line')).toContainText(/[1-9.]+ writes\/s/)

  // By keyboard: from row to row, open one, and an older version of it.
  await objects.getByRole('button', { name: 'log' }).focus()
  await page.keyboard.press('ArrowDown')
  await expect(objects.getByRole('button', { name: 'photo' })).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByTestId('object-key')).toHaveText('/factory/readings/station-0')
  const value = page.getByTestId('object-value')
  await expect(value).toContainText('n: 15')
  await expect(page.getByTestId('versions').getByRole('button')).toHaveCount(2)
  await page.getByTestId('versions').getByRole('button').last().click()
  await expect(value).toContainText('n: 0')
  await look(page, 'store-object')

  // Live: a new version is there at once, and the older one stays in view.
  await put('/factory/readings/station-0', 'application/json', '{"n":99}')
  await expect(page.getByTestId('versions').getByRole('button')).toHaveCount(3)
  await expect(value).toContainText('n: 0')
  await page.getByTestId('versions').getByRole('button').first().click()
  await expect(value).toContainText('n: 99')

  await objects.getByRole('button', { name: 'photo' }).click()
  const image = value.getByRole('img')
  await expect(image).toBeVisible()
  expect(await image.evaluate((shown: HTMLImageElement) => shown.naturalWidth)).toBe(2)
  await look(page, 'store-image')

  // Put a text, and a new version of it. A version that somebody else wrote meanwhile is not overwritten.
  await page.getByTestId('put-object').click()
  const putForm = page.getByTestId('put-form')
  await putForm.getByLabel('Key').fill('/factory/readings/notes')
  await putForm.getByLabel('Text').fill('first')
  await look(page, 'store-put')
  await putForm.getByRole('button', { name: 'Put' }).click()
  await expect(value).toContainText('first')
  await page.getByRole('button', { name: 'New version' }).click()
  await put('/factory/readings/notes', 'text/plain', 'of somebody else')
  await putForm.getByLabel('Text').fill('second')
  await putForm.getByRole('button', { name: 'Put' }).click()
  await expect(putForm.getByRole('alert')).toContainText('was not written')
  await page.keyboard.press('Escape')
  await expect(value).toContainText('of somebody else')
  await page.getByRole('button', { name: 'New version' }).click()
  await putForm.getByLabel('Text').fill('second')
  await putForm.getByRole('button', { name: 'Put' }).click()
  await expect(value).toContainText('second')

  // Removed with the key Delete; its versions stay readable.
  await objects.getByRole('button', { name: 'notes' }).press('Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(objects.getByRole('button', { name: 'notes' })).toHaveCount(0)
  await expect(value).toContainText('was removed')
  await page.getByTestId('versions').getByRole('button').nth(1).click()
  await expect(value).toContainText('second')

  await page.getByLabel('Filter objects by key').fill('station-1')
  await expect(objects.getByRole('row')).toHaveCount(7)

  await page.getByRole('button', { name: 'Remove pool /factory/readings' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('No pool yet')).toBeVisible()
  await page.goto(`${service.url}store?pool=/factory/readings`)
  await expect(page.getByText('This pool is not there')).toBeVisible()
  await page.route('**/api/store/pools', (route) => route.abort())
  await page.reload()
  await expect(page.getByRole('alert')).toContainText('Try again')
  await look(page, 'store-error')
})
