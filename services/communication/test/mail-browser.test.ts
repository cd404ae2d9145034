/** @slow It drives Chromium. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { languages } from '@payments/contracts/nouns/locale'
import { accessibilityViolations, type Browser, openBrowser, type Page } from '@payments/testing/peers/browser'
import type { Rendered } from '../src/domain/render.ts'
import { builtIn, merchant, renderMail } from './mails.ts'

/** Built-in mails as a mail program with the engine of Chromium shows them. MAIL_SCREENSHOTS: a folder for pictures. */

const screenshots = process.env['MAIL_SCREENSHOTS']
const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="180" height="48"><text y="36" font-size="36">LOGO</text></svg>`

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

interface View {
  readonly name: string
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
  readonly hasImages: boolean
}

const views: readonly View[] = [
  { name: 'a narrow window', width: 360, colorScheme: 'light', hasImages: true },
  { name: 'a narrow window, dark, without images', width: 360, colorScheme: 'dark', hasImages: false },
  { name: 'a wide window, dark', width: 1280, colorScheme: 'dark', hasImages: true },
]

/** A mail is a part of a page of a mail program, which has the landmarks and headings. */
const ofPages = ['landmark-one-main', 'page-has-heading-one', 'region']

async function openView({ width, colorScheme, hasImages }: View): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme })
  const page = await context.newPage()
  await page.route('https://**', (route) =>
    hasImages ? route.fulfill({ contentType: 'image/svg+xml', body: logo }) : route.abort(),
  )
  return page
}

async function show(page: Page, { html }: Rendered, name: string): Promise<void> {
  await page.setContent(html as string, { waitUntil: 'load' })
  if (screenshots === undefined) return
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true })
}

/** How much wider the mail is than the window. */
const measureOverflow = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')

async function listViolations(page: Page): Promise<string[]> {
  // The color that the browser paints behind the mail, which axe takes for white otherwise.
  await page.addStyleTag({ content: ':root { background: Canvas; color: CanvasText }' })
  return accessibilityViolations(page, { except: ofPages })
}

const long = {
  amount: 'EUR 1,234,567.89',
  payment_url: `https://pay.example.com/pay/${'a'.repeat(60)}`,
  payer_name: 'Ada'.repeat(20),
  description: 'Unbreakable'.repeat(15),
  expires_on: '2026-12-24',
  paid_at: '2026-11-27 16:20 Central European Standard Time',
  reference: 'order-'.repeat(16),
  brand: 'American Express',
  last4: '4242',
}
const items = [{ name: 'Unbreakable'.repeat(15), quantity: 1_000, amount: 'EUR 1,234,567.89' }]

const names = ['invitation', 'reminder', 'receipt', 'authorization'] as const
const colors = ['#ffd400', '#000000', '#ffffff', '#808080', '#1f2933']

describe.each(views)('$name', (view) => {
  test('mails of each language fit', async () => {
    const page = await openView(view)
    const tooWide: string[] = []
    for (const locale of languages) {
      for (const name of names) {
        await show(page, renderMail(builtIn(name), { locale, values: long, items }), `${name}-${locale}-${view.width}`)
        if ((await measureOverflow(page)) > 0) tooWide.push(`${name} ${locale}`)
      }
    }
    expect(tooWide).toEqual([])
    await page.context().close()
  })

  test('mails are accessible, with a button in any color', async () => {
    const page = await openView(view)
    const mails = [
      ...names.map((name) => renderMail(builtIn(name), { locale: 'en' })),
      ...colors.map((color) => {
        const unit = { ...merchant, branding: { ...merchant.branding, primary_color: color } }
        return renderMail(builtIn('invitation'), { locale: 'de', unit })
      }),
    ]
    const violations: string[] = []
    for (const [position, mail] of mails.entries()) {
      await show(page, mail, `mail-${position}-${view.width}-${view.colorScheme}`)
      violations.push(...(await listViolations(page)))
    }
    expect(violations).toEqual([])
    await page.context().close()
  })
})
