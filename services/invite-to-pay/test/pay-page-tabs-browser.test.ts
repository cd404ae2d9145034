/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { type Browser, openBrowser } from '@payments/testing/peers/browser'
import { until } from '@payments/testing/services/until'
import type { PayPage } from '../src/page/model.ts'
import { activePage, pageServer, pages } from './pay-pages.ts'

let browser: Browser
let server: Awaited<ReturnType<typeof pageServer>>
beforeAll(async () => {
  ;[browser, server] = await Promise.all([openBrowser(), pageServer()])
})
afterAll(async () => {
  await Promise.all([browser?.close(), server?.close()])
})

/** The page of a state at a later version of the code. */
const at = (state: string, version: number): PayPage => ({ ...(pages[state] ?? activePage), version })

it('shows in a tab what happened in another one, before the payer submits its form', async () => {
  const context = await browser.newContext()
  const complaints: string[] = []
  const [first, second] = [await context.newPage(), await context.newPage()]
  for (const page of [first, second]) {
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(server.show(activePage))
  }
  expect(await first.getByRole('button', { name: /^Pay .* with a test card$/ }).isVisible()).toBe(true)
  // A card is declined in the first tab.
  server.show(at('declined', 3))
  await first.reload()
  await expect(second.getByText('The account has too little money').waitFor()).resolves.toBeUndefined()
  // Another one is accepted in the second tab.
  server.show(at('completed', 5))
  await second.reload()
  await expect(first.getByRole('heading', { name: 'Payment complete' }).waitFor()).resolves.toBeUndefined()
  const before = server.received.length
  await first.reload()
  expect(server.received).toHaveLength(before + 1)
  expect(complaints).toEqual([])
})

it('shows in a tab that the payment went to the bank in another one', async () => {
  const context = await browser.newContext()
  const [first, second] = [await context.newPage(), await context.newPage()]
  await second.goto(server.show(activePage))
  const page = at('confirming', 3)
  const confirmation = page.confirmation && { ...page.confirmation, url: new URL('/bank', server.url).href }
  await first.goto(server.show({ ...page, confirmation: confirmation && { ...confirmation, redirects: true } }))
  const atBank = () => server.received.filter(({ path }) => path === '/bank').length
  await expect(until(() => atBank() === 2)).resolves.toBeUndefined()
})

it('shows the page with Back after a rejected form and a payment, and submits nothing again', async () => {
  const page = await browser.newPage()
  const pay = page.getByRole('button', { name: /^Pay .* with a test card$/ })
  await page.goto(server.show(activePage))
  server.rejectForms({ ...activePage, notice: { kind: 'stale' } })
  await pay.click()
  await page.getByText('Please try again').waitFor()
  server.show(at('completed', 5))
  await pay.click()
  const complete = page.getByRole('heading', { name: 'Payment complete' })
  await complete.waitFor()
  await page.goBack()
  await expect(complete.waitFor()).resolves.toBeUndefined()
  expect(server.received.filter(({ method }) => method === 'POST')).toHaveLength(2)
  expect(page.url()).toBe(new URL('/pay/x', server.url).href)
})
