/** @slow It drives Chromium. */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals'
import { type Browser, type BrowserContextOptions, openBrowser, type Page } from '@payments/testing/peers/browser'
import type { PayPage } from '../src/page/model.ts'
import { activePage, pageServer, pages } from './pay-pages.ts'

const noScript = { javaScriptEnabled: false } as const
const { confirming = activePage, processing = activePage, completed = activePage } = pages
const { 'not canceled': notCanceled = activePage } = pages

let browser: Browser
let server: Awaited<ReturnType<typeof pageServer>>
const complaints: string[] = []

beforeAll(async () => {
  ;[browser, server] = await Promise.all([openBrowser(), pageServer()])
})

afterAll(async () => {
  await Promise.all([browser?.close(), server?.close()])
})

afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
  complaints.length = 0
})

async function open(model: PayPage, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 360, height: 740 }, ...options })).newPage()
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) complaints.push(message.text())
  })
  await page.goto(server.show(model))
  return page
}

/** The page of a payment that was not canceled, as the reply to the form that requested it. */
async function openRejectedCancellation(options: BrowserContextOptions = {}): Promise<Page> {
  const page = await open(confirming, options)
  server.rejectForms(notCanceled)
  await page.getByRole('button', { name: 'Pay in another way' }).click()
  await page.getByRole('alert').getByText('The payment was not canceled.').waitFor()
  // A script gives the reply to the form the address of the page.
  expect(new URL(page.url()).pathname).toBe(options === noScript ? '/pay/x/cancel' : '/pay/x')
  return page
}

it('after a rejected cancellation, follows the state of the payment', async () => {
  const page = await openRejectedCancellation()
  server.show(completed)
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/pay/x')
  expect(complaints).toEqual([])
})

it.each([
  ['a language link', 'Deutsch', '/pay/x?lang=de'],
  ['the link to check again', 'Check again', '/pay/x'],
])('after a rejected cancellation without JavaScript, %s shows the page of the code', async (_, name, address) => {
  const page = await openRejectedCancellation(noScript)
  await page.locator('summary').click()
  await page.getByRole('link', { name }).click()
  await page.getByRole('alert').waitFor({ state: 'detached' })
  const { pathname, search } = new URL(page.url())
  expect(pathname + search).toBe(address)
  expect(await page.getByRole('heading').textContent()).toBe('Confirm the payment at your bank')
})

it('says that the payment has changed, and nothing about an outcome', async () => {
  for (const model of [confirming, processing]) {
    const page = await open(model)
    const changed = await page.getByRole('status').getAttribute('data-changed')
    expect(changed).toBe('The payment has changed. The page is loading.')
  }
})

it('from the page that redirects to the bank, a language link shows the page of the code', async () => {
  const { confirmation } = confirming
  if (confirmation === null) throw new Error('the page has no confirmation')
  const page = await open({ ...confirming, confirmation: { ...confirmation, redirects: true } }, noScript)
  await page.goto(`${page.url()}/bank`)
  await page.locator('summary').click()
  await page.getByRole('link', { name: 'Deutsch' }).click()
  await page.waitForURL(/\/pay\/x\?lang=de$/)
  expect(await page.getByRole('heading').textContent()).toBe('Confirm the payment at your bank')
})
