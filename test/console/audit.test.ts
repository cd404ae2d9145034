/** @slow It drives Chromium. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { createCaller } from '../tenant.ts'
import { type ConsoleWorld, openConsoleWorld, type SignedIn, tabTo } from './world.ts'

/** A denied request, from the start page to its record. Each test needs the previous ones. */
let world: ConsoleWorld
let ada: SignedIn

beforeAll(async () => {
  world = await openConsoleWorld(sharedPlatform())
  const { body: key } = await world.call('POST', '/v1/api-key/keys', { name: 'without roles' })
  const denied = createCaller(world.platform, key.value, world.tenant.tenant_id)
  for (let requests = 0; requests < 3; requests += 1) await denied('GET', '/v1/rbac/roles')
  ada = await world.signIn('ada')
}, 300_000)
afterAll(() => world?.stop())

test('the start page counts a denied request, and its code leads to the record', async () => {
  const { page } = ada
  const code = page.getByRole('link', { name: 'permission_denied' })
  for (let loads = 0; loads < 100 && !(await code.isVisible()); loads += 1) {
    await page.reload()
    // Records count once they are sealed.
    await page
      .getByText(/Requests per hour as a table|None in this time/)
      .first()
      .waitFor()
  }
  await page.getByText('3 requests').waitFor()
  const requests = page.getByRole('region', { name: 'API requests, last 24 hours' })
  expect(await requests.getByText('Counts are some seconds late.').count()).toBe(1)
  const lateness = 'Counts are some minutes late, and the statuses of past hours are counted less often.'
  for (const name of ['Payments, last 24 hours', 'Deliveries, last 24 hours']) {
    await page.getByRole('region', { name }).getByText(lateness).waitFor()
  }
  const noKey = 'No key expires in the next 14 days, and no key has been unused for 90 days.'
  await page.getByRole('region', { name: 'API keys to watch' }).getByText(noKey).waitFor()
  await page.getByText('Requests per hour as a table').click()
  expect(await page.getByRole('table', { name: 'Requests per hour' }).getByRole('row').count()).toBe(25)
  await code.click()
  await page.getByRole('table', { name: 'Audit records' }).getByText('403 denied').first().waitFor()
  expect(new URL(page.url()).search).toBe('?code=permission_denied&outcome=denied&client=none')
  expect(await page.getByRole('table', { name: 'Audit records' }).getByText('403 denied').count()).toBe(3)
}, 240_000)

test('the record is found by its trace id, with the keyboard', async () => {
  const { page } = ada
  const traceId = (await world.call('GET', '/v1/audit/records?code=permission_denied&limit=1')).body.data[0].trace_id
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await tabTo(page, 'searchbox', 'Trace-ID')
  await page.keyboard.type(traceId)
  await page.keyboard.press('Enter')
  await page.waitForURL(/trace_id=/)
  await tabTo(page, 'button', `Details of ${traceId}`)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('permission_denied').waitFor()
  await page.keyboard.press('Escape')
  expect(await page.getByRole('dialog').count()).toBe(0)
}, 240_000)

test('a record names its actor, and leads to the other records of its trace', async () => {
  const { page } = ada
  await page.goto(`${world.platform.gatewayUrl}/console/audit?code=permission_denied&client=none`)
  const records = page.getByRole('table', { name: 'Audit records' })
  await records.getByRole('link', { name: 'without roles' }).first().waitFor()
  await records
    .getByRole('button', { name: /^Details/ })
    .first()
    .click()
  await page.getByRole('link', { name: 'Records of this trace' }).click()
  await page.waitForURL(/trace_id=/)
  await records.getByText('403 denied').waitFor()
  await records.getByRole('link', { name: 'without roles' }).click()
  await page.getByRole('link', { name: 'Show requests' }).click()
  await page.waitForURL(/\/audit\?actor_id=/)
  await records.getByText('403 denied').nth(2).waitFor()
  expect(await records.getByRole('link', { name: 'without roles' }).count()).toBe(3)
}, 240_000)

test('the records of a time are found', async () => {
  const { page } = ada
  await page.goto(`${world.platform.gatewayUrl}/console/audit?code=permission_denied&client=none`)
  const records = page.getByRole('table', { name: 'Audit records' })
  await records.getByText('403 denied').nth(2).waitFor()
  /** As the browser shows it, which is in the time zone of this process. */
  const inHours = (hours: number) => {
    const at = new Date(Date.now() + hours * 3_600_000)
    return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  }
  await page.getByLabel('From').fill(inHours(2))
  await page.keyboard.press('Enter')
  await page.getByText('No record matches.').waitFor()
  await page.getByLabel('From').fill(inHours(-2))
  await page.keyboard.press('Enter')
  await records.getByText('403 denied').nth(2).waitFor()
  expect(new URL(page.url()).searchParams.get('occurred_after')).toMatch(/^\d{4}-.*Z$/)
}, 240_000)

test('a filter that the API rejects is named once', async () => {
  const { page } = ada
  await page.goto(`${world.platform.gatewayUrl}/console/audit?trace_id=nonsense`)
  const alert = page.getByRole('alert')
  await alert.waitFor()
  expect(await alert.innerText()).toMatch(/^This could not be read\.\s+trace_id must be a UUID \(Trace-ID/)
}, 240_000)

test('the view is exported as a file of JSON lines, and the chain is sealed', async () => {
  const { page } = ada
  await page.goto(`${world.platform.gatewayUrl}/console/audit?outcome=denied`)
  await page.getByText(/^Sealed to record \d+/).waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).outcome)).toEqual(['denied', 'denied', 'denied'])
  await page.getByText('Exported 3 records.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click()
}, 240_000)

test('the plan shows the requests of the month, and those of a month before', async () => {
  const { page } = ada
  await page.goto(`${world.platform.gatewayUrl}/console/plan`)
  const requests = page.getByRole('region', { name: 'Requests' })
  await requests.getByText(/^[1-9]/).waitFor()
  await page.getByLabel('Month').selectOption({ index: 1 })
  await requests.getByText('0', { exact: true }).waitFor()
  expect(new URL(page.url()).searchParams.get('month')).toMatch(/^\d{4}-\d\d$/)
}, 240_000)

test('a card that fails says so, and is read again', async () => {
  const { page } = ada
  const statistics = '**/v1/payment-proxy/statistics*'
  const problem = { status: 422, contentType: 'application/problem+json', body: '{"code":"broken","detail":"Broken."}' }
  await page.route(statistics, (route) => route.fulfill(problem))
  await page.goto(`${world.platform.gatewayUrl}/console`)
  const card = page.getByRole('region', { name: 'Payments, last 24 hours' })
  await card.getByText('This could not be read.').waitFor()
  await page.getByText('Requests per hour as a table').waitFor()
  await page.unroute(statistics)
  await card.getByRole('button', { name: 'Try again' }).click()
  await card.getByText('None in this time.').or(card.getByText('Payments per hour as a table')).waitFor()
  expect(await card.getByText('This could not be read.').count()).toBe(0)
}, 240_000)

test('a person with one permission sees one card, and no request of theirs is denied', async () => {
  const role = { name: 'keys only', description: '', permissions: ['apikey:ReadKey'] }
  expect((await world.call('POST', '/v1/rbac/roles', role)).status).toBe(201)
  const viv = await world.signIn('viv', { roleName: 'keys only' })
  await viv.page.getByRole('region', { name: 'API keys to watch' }).waitFor()
  expect(await viv.page.getByRole('region').count()).toBe(1)
  await viv.page.goto(`${world.platform.gatewayUrl}/console/audit`)
  await viv.page.getByText('Your roles do not permit this page.').waitFor()
  expect(viv.faults).toEqual([])
}, 240_000)

test('no journey had a fault', () => {
  expect(ada.faults).toEqual([])
})
