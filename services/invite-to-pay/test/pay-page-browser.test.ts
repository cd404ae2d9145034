/** @slow It drives Chromium. */
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals'
import {
  accessibilityViolations,
  type Browser,
  type BrowserContextOptions,
  openBrowser,
  type Page,
} from '@payments/testing/peers/browser'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'
import { until } from '@payments/testing/services/until'
import type { PayPage } from '../src/page/model.ts'
import { activePage, pageServer, pages, sandboxForm } from './pay-pages.ts'

const screenshots = process.env['PAY_PAGE_SCREENSHOTS']
const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40"><rect width="120" height="40" fill="#0f766e"/></svg>`

let browser: Browser
let server: Awaited<ReturnType<typeof pageServer>>
let cardPage: Receiver
let other: Receiver
const complaints: string[] = []

beforeAll(async () => {
  ;[browser, server, cardPage, other] = await Promise.all([openBrowser(), pageServer(), receiver(), receiver()])
})

afterAll(async () => {
  await Promise.all([browser?.close(), server?.close(), cardPage?.close(), other?.close()])
})

afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()))
  complaints.length = 0
})

/** Opens a pay page. `complaints` collects the errors of its console, with violations of its policy. */
async function open(model: PayPage, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, ...options })
  const page = await context.newPage()
  await page.addInitScript(`window.tokens = []; addEventListener('message', ({ data }) => tokens.push(data))`)
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.route('https://logo.example/**', (route) => route.fulfill({ contentType: 'image/svg+xml', body: logo }))
  await page.route('https://cards.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><html lang="en"><title>Card</title><p>Card page' }),
  )
  await page.goto(server.show(model))
  return page
}

const unfold = (page: Page, open: boolean) =>
  page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = ${open}`)

const framedPage = (url: string): PayPage => ({
  ...activePage,
  form: { ...sandboxForm, entry: { kind: 'frame', url, isTrusted: true, isOurs: false } },
})

const posts = () => server.received.filter(({ method }) => method === 'POST').map(({ body }) => body.toString())
const submitted = async (count: number) => {
  await server.waitFor(({ method }) => method === 'POST', { count })
  return Object.fromEntries(new URLSearchParams(posts().at(-1)))
}

const looks = [360, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
)

it.each(Object.entries(pages))(
  'is accessible and obeys its policy, on phone and desktop, light and dark: %s',
  async (name, model) => {
    const page = await open(model, { reducedMotion: 'reduce' })
    for (const { width, colorScheme } of looks) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      await unfold(page, true)
      expect(await accessibilityViolations(page)).toEqual([])
      await unfold(page, false)
      if (screenshots !== undefined)
        await page.screenshot({ path: join(screenshots, `${name}-${width}-${colorScheme}.png`), fullPage: true })
    }
    expect(complaints).toEqual([])
  },
)

it.each(Object.entries(pages))(
  'never scrolls sideways at 320 px, keeps the amount on one line, and has targets of 44 px: %s',
  async (_name, model) => {
    const page = await open(model, { viewport: { width: 320, height: 600 } })
    await unfold(page, true)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('.amount')].filter((one) => one.clientHeight > 2 * parseFloat(getComputedStyle(one).fontSize)).length`,
      ),
    ).toBe(0)
    const targets = await page.locator('button:visible, summary:visible, a:visible').all()
    const boxes = await Promise.all(targets.map((target) => target.boundingBox()))
    expect(boxes.filter((box) => box === null || box.height < 44)).toEqual([])
  },
)

it('shows the logo of the merchant', async () => {
  const page = await open({
    ...activePage,
    merchant: { name: 'Berlin Coffee', logoUrl: 'https://logo.example/a.svg', primaryColor: null, supportEmail: null },
  })
  await page.waitForFunction('document.images[0].naturalWidth === 120')
  expect(complaints).toEqual([])
})

it('runs no script and loads no image that is not its own', async () => {
  const page = await open(activePage)
  await page.evaluate(`document.body.append(
    Object.assign(document.createElement('script'), { textContent: 'window.foreign = true' }),
    Object.assign(document.createElement('img'), { src: 'https://logo.example/a.svg' }))`)
  await page.waitForFunction('document.images[0].complete')
  expect(await page.evaluate('[window.foreign, document.images[0].naturalWidth]')).toEqual([undefined, 0])
  expect(complaints).toEqual([
    expect.stringContaining('Content Security Policy'),
    expect.stringContaining('Content Security Policy'),
  ])
})

it('is paid with the keyboard only', async () => {
  const page = await open(pages['declined'] ?? activePage)
  const before = posts().length
  await page.keyboard.press('Tab')
  expect(await page.locator(':focus').textContent()).toContain('Pay €54.97')
  expect(await page.locator(':focus').evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
  await page.keyboard.press('Enter')
  expect(await submitted(before + 1)).toEqual({
    nonce: 'the-nonce',
    payment_method: 'CREDIT_CARD',
    cc_token: 'tok_sandbox_visa',
  })
})

it('offers every test card without JavaScript', async () => {
  const page = await open(activePage, { javaScriptEnabled: false })
  const before = posts().length
  await page.getByText('Other test cards').click()
  await page.getByRole('button', { name: 'Bank account, approved' }).click()
  expect(await submitted(before + 1)).toEqual({
    nonce: 'the-nonce',
    payment_method: 'ACH',
    cc_token: 'tok_sandbox_ach',
  })
})

it('updates itself while a payment is in progress', async () => {
  const page = await open(pages['processing'] ?? activePage)
  server.show(pages['completed'] ?? activePage)
  await expect(page.getByRole('heading', { name: 'Payment complete' }).waitFor()).resolves.toBeUndefined()
})

it('reads itself ever more slowly, says when it stops, and then offers to check again', async () => {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
  const page = await context.newPage()
  const delays: number[] = []
  await page.exposeFunction('recordDelay', (delay: number) => void delays.push(delay))
  await page.addInitScript(`window.setTimeout = (run, delay) => { recordDelay(delay); queueMicrotask(run) }`)
  const before = server.received.length
  await page.goto(server.show(pages['processing'] ?? activePage))
  const again = page.getByRole('link', { name: 'Check again' })
  await again.waitFor()
  expect(await page.getByRole('status').textContent()).toContain('does not update itself any more')
  expect(server.received).toHaveLength(before + 67)
  expect(delays).toHaveLength(66)
  expect(delays).toEqual([...delays].sort((a, b) => a - b))
  expect([delays[0], delays.at(-1), delays.reduce((sum, delay) => sum + delay, 0)]).toEqual([1_000, 15_000, 600_000])
  server.show(pages['completed'] ?? activePage)
  await again.click()
  await expect(page.getByRole('heading', { name: 'Payment complete' }).waitFor()).resolves.toBeUndefined()
})

it('stops with its instruction in sight while the payer is at the bank, and says that it stops', async () => {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
  const page = await context.newPage()
  await page.addInitScript(`window.setTimeout = (run) => { queueMicrotask(run) }`)
  await page.goto(server.show(pages['confirming'] ?? activePage))
  await page.getByRole('link', { name: 'Check again' }).waitFor()
  expect(await page.getByRole('status').textContent()).toBe('This page does not update itself any more.')
  expect(await page.getByText('Your bank wants you to confirm this payment').isVisible()).toBe(true)
  expect(await page.getByRole('link', { name: 'Continue to your bank' }).isVisible()).toBe(true)
})

it('stays in progress while the page cannot be read', async () => {
  const page = await open(pages['processing'] ?? activePage)
  let failures = 0
  await page.route('**/pay/x', (route) => {
    failures += 1
    return failures % 2 === 0 ? route.abort() : route.fulfill({ status: 503, body: 'not available' })
  })
  await until(() => failures > 1)
  expect(await page.getByRole('heading').textContent()).toBe('Your payment is in progress')
})

it('learns the outcome of a payment without JavaScript', async () => {
  const page = await open(pages['processing'] ?? activePage, { javaScriptEnabled: false })
  expect(await page.locator('meta[http-equiv=refresh]').getAttribute('content')).toBe('20; url=/pay/x')
  server.show(pages['completed'] ?? activePage)
  await page.getByRole('link', { name: 'Check again' }).click()
  await expect(page.getByRole('heading', { name: 'Payment complete' }).waitFor()).resolves.toBeUndefined()
})

it('sends requests to its own origin only, and only while a payment is in progress', async () => {
  const other = async (page: Page) =>
    page.evaluate(`fetch('https://logo.example/a.svg').then(() => 'sent', () => 'blocked')`)
  const own = async (page: Page) => page.evaluate(`fetch(location.href).then(() => 'sent', () => 'blocked')`)
  const active = await open(activePage)
  expect([await other(active), await own(active)]).toEqual(['blocked', 'blocked'])
  const processing = await open(pages['processing'] ?? activePage)
  expect([await other(processing), await own(processing)]).toEqual(['blocked', 'sent'])
})

it('submits the time zone of the browser with the payment', async () => {
  const page = await open(activePage, { timezoneId: 'America/New_York' })
  const before = posts().length
  await page.getByRole('button', { name: /^Pay .* with a test card$/ }).click()
  await submitted(before + 1)
  expect(server.received.filter(({ method }) => method === 'POST').at(-1)?.path).toBe(
    '/pay/x?time_zone=America%2FNew_York',
  )
})

it('leads back to the merchant after the payment', async () => {
  const page = await open(pages['completed'] ?? activePage)
  const link = page.getByRole('link', { name: 'Return to Berlin Coffee' })
  expect(await link.getAttribute('href')).toBe('https://berlin-coffee.example/thanks')
})

/** A card page that posts `messages` to its parent when it is loaded. */
function postingCardPage(messages: readonly unknown[]): string {
  const calls = messages.map((message) => `parent.postMessage(${JSON.stringify(message)}, '*')`).join(';')
  const body = `<!doctype html><html lang="en"><title>Card</title><script>onload = () => { ${calls} }</script>`
  cardPage.respondWith(() => ({ status: 200, headers: { 'content-type': 'text/html' }, body }))
  return new URL('/card?session=1', cardPage.url).href
}

it('submits the token of the card page once', async () => {
  const before = posts().length
  const token = { type: 'payment_token', token: 'tok_1' }
  const invalid = [null, 'text', { type: 'other', token: 'x' }, { type: 'payment_token', token: 7 }]
  const wrongMethod = { type: 'payment_token', token: 'x', payment_method: 'CASH' }
  await open(framedPage(postingCardPage([...invalid, wrongMethod, token, { ...token, token: 'tok_2' }])))
  expect(await submitted(before + 1)).toEqual({
    nonce: 'the-nonce',
    payment_method: 'CREDIT_CARD',
    cc_token: 'tok_1',
  })
  expect(posts()).toHaveLength(before + 1)
  expect(cardPage.received.map(({ headers }) => headers.referer)).not.toContainEqual(expect.any(String))
})

it('accepts a bank account of the card page', async () => {
  const before = posts().length
  await open(framedPage(postingCardPage([{ type: 'payment_token', token: 'bank_1', payment_method: 'ACH' }])))
  expect(await submitted(before + 1)).toMatchObject({ payment_method: 'ACH', cc_token: 'bank_1' })
})

it('ignores a token of another window and of another origin', async () => {
  const before = posts().length
  const inner = `<!doctype html><script>top.postMessage({ type: 'payment_token', token: 'tok_inner' }, '*')</script>`
  other.respondWith(() => ({ status: 200, headers: { 'content-type': 'text/html' }, body: inner }))
  cardPage.respondWith(() => ({
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: `<!doctype html><iframe src="${other.url}"></iframe>`,
  }))
  const page = await open(framedPage(cardPage.url))
  await page.evaluate(`postMessage({ type: 'payment_token', token: 'tok_own' }, '*')
    dispatchEvent(new MessageEvent('message', {
      data: { type: 'payment_token', token: 'tok_origin' }, origin: 'https://other.example',
      source: document.getElementById('card-page').contentWindow,
    }))`)
  await page.waitForFunction('tokens.length === 3')
  await page.frames()[1]?.evaluate(`parent.postMessage({ type: 'payment_token', token: 'tok_right' }, '*')`)
  expect(await submitted(before + 1)).toMatchObject({ cc_token: 'tok_right' })
  expect(posts()).toHaveLength(before + 1)
})

it('requests JavaScript where the card page needs it', async () => {
  const page = await open(framedPage(postingCardPage([])), { javaScriptEnabled: false })
  const message = 'Card entry needs JavaScript'
  await expect(page.getByText(message).waitFor()).resolves.toBeUndefined()
  const withJavaScript = await open(framedPage(postingCardPage([])))
  await expect(withJavaScript.getByText(message).waitFor({ state: 'hidden' })).resolves.toBeUndefined()
})
