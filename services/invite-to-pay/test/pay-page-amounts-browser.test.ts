/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { type Browser, openBrowser } from '@payments/testing/peers/browser'
import { activePage, pageServer, pages, payment } from './pay-pages.ts'

/** A phone at a zoom of 200 %. */
const width = 180
let browser: Browser
let server: Awaited<ReturnType<typeof pageServer>>

beforeAll(async () => {
  ;[browser, server] = await Promise.all([openBrowser(), pageServer()])
})
afterAll(async () => {
  await Promise.all([browser?.close(), server?.close()])
})

it.each(['active', 'completed'])('keeps each amount on one line, inside of a window of 180 px: %s', async (name) => {
  const page = await browser.newPage({ viewport: { width, height: 600 } })
  const model = { ...(pages[name] ?? activePage), payment: { ...payment, amount: 12_345_678, currency: 'KWD' } }
  await page.goto(server.show(model))
  await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`)
  const amounts = await page.evaluate<{ lines: number; right: number }[]>(
    `[...document.querySelectorAll('.amount, .sum, .primary')].map((one) => {
      const range = document.createRange()
      range.selectNodeContents(one)
      if (one.matches('.primary')) {
        const [text, amount] = [one.firstChild, document.querySelector('.amount').textContent]
        range.setStart(text, text.data.indexOf(amount))
        range.setEnd(text, text.data.indexOf(amount) + amount.length)
      }
      return { lines: range.getClientRects().length, right: range.getBoundingClientRect().right }
    })`,
  )
  expect(amounts.length).toBeGreaterThan(0)
  expect(amounts.filter(({ lines, right }) => lines !== 1 || right > width)).toEqual([])
})
