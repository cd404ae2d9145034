/** @slow It drives Chromium. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { until } from '../until.ts'
import { type ConsoleWorld, openConsoleWorld, type SignedIn, stepMs } from './world.ts'

/** A list of three pages, of which only the rows near the window are elements. */
const rowCount = 120
let world: ConsoleWorld
let ada: SignedIn

beforeAll(async () => {
  world = await openConsoleWorld(sharedPlatform())
  for (let number = 1; number <= rowCount; number++) {
    const { status } = await world.call('POST', '/v1/payment-proxy/transactions', {
      business_unit_id: world.tenant.business_unit_id,
      currency: 'EUR',
      amount: 1_000,
      // Of different heights in a narrow window.
      external_reference: `order ${String(number).padStart(3, '0')} ${'x'.repeat(number % 3 === 0 ? 120 : 0)}`,
    })
    expect(status).toBe(201)
  }
  ada = await world.signIn('ada')
}, 300_000)
afterAll(() => world?.stop())

/** The numbers of the rows that are elements, and whether each row begins where the one before it ends. */
const shown = () =>
  ada.page.evaluate<{ numbers: number[]; isDense: boolean }>(`(() => {
    const rows = [...document.querySelectorAll('[data-key]')].map((row) => ({
      number: Number(/order (\\d{3})/.exec(row.textContent)[1]), box: row.getBoundingClientRect(),
    }))
    rows.sort((left, right) => left.box.top - right.box.top)
    const isDense = rows.every(({ box }, index) => index === 0 || Math.abs(box.top - rows[index - 1].box.bottom) < 1)
    return { numbers: rows.map(({ number }) => number), isDense }
  })()`)

test.each([1_280, 360])(
  'every row is shown once by scrolling, and Back keeps the place, at %d px',
  async (width) => {
    const { page } = ada
    await page.setViewportSize({ width, height: 720 })
    await page.goto(`${world.platform.gatewayUrl}/console/transactions`)
    const table = page.getByRole('table', { name: 'Transactions' })
    await table.getByText(/order 120/).waitFor()
    const seen = new Set<number>()
    let elementsMax = 0
    while (!seen.has(1)) {
      const { numbers } = await shown()
      for (const number of numbers) seen.add(number)
      elementsMax = Math.max(elementsMax, numbers.length)
      await page.evaluate('scrollBy(0, 400)')
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    }
    expect([...seen]).toHaveLength(rowCount)
    expect(elementsMax).toBeLessThanOrEqual(60)
    expect(await table.getAttribute('aria-rowcount')).toBe(String(rowCount + 1))
    await until('no row overlaps another', async () => (await shown()).isDense, stepMs)
    const row = table.getByRole('row').filter({ hasText: 'order 004' })
    await row.scrollIntoViewIfNeeded()
    const readPlace = () => page.evaluate<number>('scrollY')
    const place = await readPlace()
    await row.getByRole('link').first().click()
    await page.getByText('Paid with').waitFor()
    await page.goBack()
    await row.waitFor()
    await until('the place is that of before', async () => Math.abs((await readPlace()) - place) < 50, stepMs)
    expect((await shown()).isDense).toBe(true)
  },
  240_000,
)
