/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { untilDead } from './missed.ts'
import { type ConsoleWorld, openConsoleWorld, type SignedIn, tabTo } from './world.ts'

/** An endpoint that failed, and what it missed sent again. Each test needs the previous ones. */
let world: ConsoleWorld
let ada: SignedIn
let endpoint: Receiver

/** So few per subscription that its breaker stays closed. */
const perSubscription = 3
const subscriptionCount = 20
const letterCount = perSubscription * subscriptionCount

beforeAll(async () => {
  endpoint = await receiver()
  world = await openConsoleWorld(sharedPlatform())
  ada = await world.signIn('ada')
  endpoint.respondWith(() => ({ status: 503, body: 'closed for repairs' }))
  const path = `/v1/webhooks/${world.tenant.business_unit_id}/webhooks`
  for (let number = 1; number <= subscriptionCount; number++) {
    const body = { destination_url: endpoint.url, label: `shop ${number}`, event_types: ['webhooks.test'] }
    const { id } = (await world.call('POST', path, body)).body
    for (let sent = 0; sent < perSubscription; sent++) await world.call('POST', `${path}/${id}/test`)
  }
  await untilDead(world, letterCount)
}, 300_000)
afterAll(async () => {
  await world?.stop()
  await endpoint?.close()
})

const readNumbers = (text: string) => text.match(/\d+/g)?.map(Number) ?? []

/** How many deliveries the task on the screen has changed, and of how many. */
async function progress(): Promise<number[]> {
  return readNumbers(await ada.page.getByText(/^\d+ of \d+$/).innerText())
}

test('dead letters are counted by cause, and the group of a cause names its deliveries', async () => {
  const { page } = ada
  await page.getByRole('link', { name: 'Dead letters', exact: true }).click()
  const groups = page.getByRole('table', { name: 'Groups of dead letters' })
  await groups.getByText(String(letterCount), { exact: true }).waitFor()
  await page.getByRole('button', { name: 'By subscription' }).click()
  await groups.getByRole('link', { name: 'shop 7' }).waitFor()
  await page.getByRole('button', { name: 'By cause' }).click()
  await groups.getByRole('link', { name: 'Response 503' }).click()
  await page.getByRole('heading', { name: 'Response 503', level: 1 }).waitFor()
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ error_kind: 'status', status_code: '503' })
}, 240_000)

test('a dead letter shows its request and what the endpoint responded', async () => {
  const { page } = ada
  await page.getByRole('link', { name: 'webhooks.test' }).first().click()
  await page.getByRole('article', { name: 'Attempt 3' }).waitFor()
  const response = await page.getByRole('region', { name: 'Response of attempt 3' }).innerText()
  expect(response).toBe('closed for repairs')
  await page.goBack()
}, 240_000)

test('a group is redriven at five a second after a dry run, its progress is seen, and a cancel ends it', async () => {
  const { page } = ada
  endpoint.respondWith(() => ({ status: 200 }))
  const before = endpoint.received.length
  await page.getByRole('button', { name: 'Redrive all' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`${letterCount} deliveries would be sent.`).waitFor()
  await dialog.getByLabel('Deliveries per second').fill('5')
  await dialog.getByText('Takes at least 12 seconds.').waitFor()
  expect(endpoint.received).toHaveLength(before)
  await dialog.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('heading', { name: 'Redrive', level: 1 }).waitFor()
  await page.getByText(new RegExp(`^[1-9]\\d* of ${letterCount}$`)).waitFor()
  await page.getByRole('button', { name: 'Cancel task' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the task' }).click()
  await page.getByText('canceled', { exact: true }).waitFor()
  const [done = 0, total] = await progress()
  expect(total).toBe(letterCount)
  expect(done).toBeLessThan(letterCount)
  await untilDead(world, letterCount - done)
}, 240_000)

test('chosen dead letters are discarded by keyboard, with a reason', async () => {
  const { page } = ada
  await page.getByRole('link', { name: 'Dead letters', exact: true }).click()
  await page.getByRole('link', { name: 'Response 503' }).click()
  for (const row of [4, 5]) await page.getByRole('checkbox').nth(row).check()
  await tabTo(page, 'button', 'Discard 2 chosen')
  await page.keyboard.press('Enter')
  await page.getByText('2 deliveries would be discarded for good.').waitFor()
  await tabTo(page, 'textbox', 'Reason')
  await page.keyboard.type('the events were for a test')
  await page.keyboard.press('Enter')
  await page.getByText('done', { exact: true }).waitFor()
  expect(await page.getByText('the events were for a test').count()).toBe(1)
  expect(await progress()).toEqual([2, 2])
}, 240_000)

test('one dead letter is sent again from its page, by keyboard, in a narrow window', async () => {
  const { page } = ada
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${world.platform.gatewayUrl}/console/dead-letters/list`)
  await tabTo(page, 'link', 'webhooks.test')
  await page.keyboard.press('Enter')
  await tabTo(page, 'button', 'Redrive')
  await page.keyboard.press('Enter')
  await page.getByText('1 delivery would be sent.').waitFor()
  await tabTo(page, 'button', 'Start')
  await page.keyboard.press('Enter')
  await page.getByText('done', { exact: true }).waitFor()
  expect(await progress()).toEqual([1, 1])
  await page
    .getByRole('list', { name: 'Outcome of the deliveries' })
    .getByRole('link', { name: '1 delivered' })
    .waitFor()
  await page.setViewportSize({ width: 1_280, height: 720 })
}, 240_000)

test('a task whose deliveries die again says so, leads to them, and names the person', async () => {
  const { page } = ada
  endpoint.respondWith(() => ({ status: 503, body: 'closed again' }))
  await page.goto(`${world.platform.gatewayUrl}/console/dead-letters/list`)
  await page.getByRole('link', { name: 'webhooks.test' }).first().click()
  await page.getByRole('button', { name: 'Redrive' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click()
  await page.getByText('done', { exact: true }).waitFor()
  const outcome = page.getByRole('list', { name: 'Outcome of the deliveries' })
  await outcome.getByText('0 delivered').waitFor()
  await page.getByRole('region', { name: 'Details' }).getByRole('link', { name: 'Ada' }).waitFor()
  await outcome.getByRole('link', { name: '1 died again' }).click()
  await page.getByRole('table', { name: 'Deliveries' }).getByText('dead', { exact: true }).waitFor()
  expect(new URL(page.url()).searchParams.get('status')).toBe('dead')
  endpoint.respondWith(() => ({ status: 200 }))
}, 240_000)

test('a list without a row has no buttons to redrive or discard', async () => {
  const { page } = ada
  const list = `${world.platform.gatewayUrl}/console/dead-letters/list`
  await page.goto(list)
  await page.getByRole('button', { name: 'Discard all' }).waitFor()
  await page.goto(`${list}?dead_before=2000-01-01T00:00:00Z`)
  await page.getByText('No dead letter matches.').waitFor()
  await page.getByRole('button', { name: 'Discard all' }).waitFor({ state: 'detached' })
  expect(await page.getByRole('button', { name: 'Redrive all' }).count()).toBe(0)
}, 240_000)

test('what a subscription missed in a range of time is counted, then recovered', async () => {
  const { page } = ada
  await page.getByRole('link', { name: 'Subscriptions', exact: true }).click()
  await page.getByRole('link', { name: `shop ${subscriptionCount - 2}` }).click()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('button', { name: 'Recover deliveries' }).click()
  await page.getByRole('button', { name: 'Last hour' }).click()
  // The count of a selection that changes meanwhile is not shown for the next one.
  let release = () => {}
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/recover', async (route) => {
    await isReleased
    await route.continue()
  })
  const show = page.getByRole('button', { name: 'Show what would be sent' })
  await show.click()
  await page.getByRole('button', { name: 'One moment' }).waitFor()
  await page.getByLabel('Also events that the subscription did not match').check()
  release()
  await show.waitFor()
  expect(await page.getByText('would be sent.').count()).toBe(0)
  await page.unroute('**/recover')
  await page.getByLabel('Also events that the subscription did not match').uncheck()
  await show.click()
  await page.getByText(`${perSubscription} deliveries would be sent.`).waitFor()
  const missed = page.getByRole('table', { name: 'Deliveries' }).getByText('dead')
  await missed.nth(perSubscription - 1).waitFor()
  expect(await missed.count()).toBe(perSubscription)
  await page.getByLabel('Deliveries per second').fill('100')
  await page.getByRole('button', { name: 'Start recovery' }).click()
  await page.getByRole('heading', { name: 'Recovery', level: 1 }).waitFor()
  await page.getByText('done', { exact: true }).waitFor()
  expect(await progress()).toEqual([perSubscription, perSubscription])
  await page.getByRole('link', { name: `shop ${subscriptionCount - 2}` }).click()
  await page
    .getByText('delivered', { exact: true })
    .nth(perSubscription - 1)
    .waitFor()
}, 240_000)

test('no request was refused, no script failed, and nothing came from elsewhere', () => {
  expect(ada.faults).toEqual([])
})
