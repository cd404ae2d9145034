/** @slow It drives Chromium. */
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals'
import { html } from '@payments/chassis/base/html'
import { languages } from '@payments/contracts/nouns/locale'
import { accessibilityViolations, type Browser, openBrowser, type Page } from '@payments/testing/peers/browser'
import { en } from '@payments/texts/en'
import type { PayPageTexts, Texts } from '@payments/texts/texts'
import type { PayPage } from '../src/page/model.ts'
import { activePage, pageServer, pages } from './pay-pages.ts'

const screenshots = process.env['PAY_PAGE_SCREENSHOTS']

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

async function openPage(width: number, options = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 740 }, reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.route('https://cards.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><html lang="en"><title>Card</title><p>Card page' }),
  )
  return page
}

async function show(page: Page, model: PayPage, texts?: Texts): Promise<void> {
  await page.goto(server.show(model, texts))
  await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`)
}

/**
 * The faults of the layout: a page that scrolls sideways, a text outside of the window or cut off, and parts of a row
 * that overlap.
 */
const listFaults = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const faults = []
    const name = (one) => one.tagName + ' ' + one.textContent.trim().slice(0, 60)
    const width = document.documentElement.clientWidth
    if (document.documentElement.scrollWidth > width) faults.push('scrolls sideways')
    for (const one of document.querySelectorAll('header, main *, footer *')) {
      const box = one.getBoundingClientRect()
      if (box.width === 0 || one.closest('svg')) continue
      if (box.left < -0.5 || box.right > width + 0.5) faults.push('outside: ' + name(one))
      if (one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1) faults.push('cut off: ' + name(one))
      if (one.tagName === 'BUTTON' && one.scrollHeight > one.clientHeight + 1) faults.push('cut off: ' + name(one))
    }
    for (const row of document.querySelectorAll('header, main, footer, .items li, .facts, .trust, summary, .languages ul')) {
      const boxes = [...row.children].map((one) => one.getBoundingClientRect()).filter(({ width }) => width > 0)
      for (const [index, one] of boxes.entries()) {
        for (const other of boxes.slice(index + 1)) {
          const beside = one.right <= other.left + 0.5 || other.right <= one.left + 0.5
          const above = one.bottom <= other.top + 0.5 || other.bottom <= one.top + 0.5
          if (!beside && !above) faults.push('overlap in: ' + name(row))
        }
      }
    }
    return faults
  })()`)

it.each(languages)('fits a phone of 360 px on each page, and obeys its policy, in %s', async (language) => {
  const page = await openPage(360)
  for (const [name, model] of Object.entries(pages)) {
    await show(page, { ...model, locale: language })
    expect([name, await listFaults(page)]).toEqual([name, []])
    if (screenshots !== undefined)
      await page.screenshot({ path: join(screenshots, `${language}-${name}.png`), fullPage: true })
  }
  expect(complaints).toEqual([])
})

it('chooses a language without JavaScript', async () => {
  const page = await openPage(360, { javaScriptEnabled: false })
  await page.goto(server.show(activePage))
  await page.locator('summary', { hasText: 'English' }).click()
  await page.getByRole('link', { name: 'Polski' }).click()
  await page.waitForURL(/\?lang=pl$/)
  expect(server.received.at(-1)?.path).toBe('/pay/x?lang=pl')
})

/** Words of Arabic for tests of the layout alone: no reader of the language has approved them. */
const arabicPage: PayPageTexts = {
  ...en.payPage,
  amountToPay: 'المبلغ المستحق',
  payBy: (time, zone) => html`الدفع قبل ${time} ${zone}`,
  greeting: (payer, merchant) => html`مرحبًا ${payer}، يطلب ${merchant} هذه الدفعة.`,
  amount: 'المبلغ',
  purpose: 'الغرض',
  reference: 'المرجع',
  referenceLine: (reference) => html`المرجع: ${reference}`,
  questions: (address) => html`هل لديك أسئلة؟ ${address}`,
  completed: { heading: 'اكتمل الدفع', text: 'شكرًا لك. يمكنك إغلاق هذه الصفحة.' },
  unknown: { heading: 'هذا الرابط لا يعمل', text: 'تحقق من أنك فتحت الرابط كاملًا.' },
  returnTo: (merchant) => html`العودة إلى ${merchant}`,
  sandbox: { ...en.payPage.sandbox, heading: 'دفعة تجريبية', pay: (amount) => `ادفع ${amount} ببطاقة تجريبية` },
}

const arabic: Texts = { ...en, tag: 'ar', direction: 'rtl', name: 'العربية', payPage: arabicPage }

const looks = [360, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
)

it.each(Object.entries(pages))('is laid out from right to left, and is accessible so: %s', async (name, model) => {
  const page = await openPage(360)
  await show(page, { ...model, locale: 'ar' }, arabic)
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    expect(await listFaults(page)).toEqual([])
    expect(await accessibilityViolations(page)).toEqual([])
    if (screenshots !== undefined)
      await page.screenshot({ path: join(screenshots, `ar-${name}-${width}-${colorScheme}.png`), fullPage: true })
  }
  expect(complaints).toEqual([])
})

it('mirrors the sides of each row, and the edges to which texts are aligned', async () => {
  const page = await openPage(1280)
  /** Whether the first part of each row is left of the second. */
  const sides = () =>
    page.evaluate(`['header', '.items li', '.facts', 'footer summary'].map((selector) => {
      const row = document.querySelector(selector)
      if (row === null) return null
      const [one, other] = row.children
      return one.getBoundingClientRect().left < other.getBoundingClientRect().left
    })`)
  /** The edge of each block at which its text is. */
  const edges = () =>
    page.evaluate(`['h1', '.facts dt', '.facts dd'].map((selector) => {
      const block = document.querySelector(selector)
      const range = document.createRange()
      range.selectNodeContents(block)
      const [text, box] = [range.getBoundingClientRect(), block.getBoundingClientRect()]
      return ['left', 'right'].filter((side) => Math.abs(text[side] - box[side]) < 1).join(' ')
    })`)
  const completed = pages['completed'] ?? activePage
  await show(page, activePage, en)
  expect(await sides()).toEqual([true, true, null, true])
  await show(page, { ...activePage, locale: 'ar' }, arabic)
  expect(await sides()).toEqual([false, false, null, false])
  await show(page, completed, en)
  expect([await sides(), await edges()]).toEqual([
    [true, null, true, true],
    ['left', 'left', 'right'],
  ])
  await show(page, { ...completed, locale: 'ar' }, arabic)
  expect([await sides(), await edges()]).toEqual([
    [false, null, false, false],
    ['right', 'right', 'left'],
  ])
})
