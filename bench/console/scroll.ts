/** A long list, from its first to its last row. */
import { atMost, type Figure } from './figure.ts'
import type { Shop } from './shop.ts'

const longTaskMsMax = 100
const rowsMax = 60

interface Scrolled {
  readonly rows: number
  readonly elementsMax: number
  readonly longestMs: number
}

/** Scrolls through the deliveries until `rows` are loaded. */
export async function measureScroll(shop: Shop, rows: number): Promise<Figure[]> {
  const page = await shop.open('/deliveries')
  await page.getByRole('table').waitFor()
  const scrolled = await page.evaluate<Scrolled>(scroll(rows))
  await page.context().close()
  const through = `scrolling through ${scrolled.rows} rows`
  if (scrolled.rows < rows) throw new Error(`the list ended after ${scrolled.rows} rows`)
  return [
    atMost(9, `longest task, ${through}`, Math.round(scrolled.longestMs), longTaskMsMax, 'ms'),
    atMost(9, `rows in the document, ${through}`, scrolled.elementsMax, rowsMax, 'rows'),
  ]
}

const scroll = (rows: number) => `(async () => {
  let longestMs = 0
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestMs = Math.max(longestMs, duration)
  })
  observer.observe({ type: 'longtask', buffered: false })
  const table = document.querySelector('[role=table]')
  const count = () => Number(table.getAttribute('aria-rowcount')) - 1
  let elementsMax = 0
  let unchanged = 0
  for (let before = 0; count() < ${rows} && unchanged < 2_000; before = count()) {
    window.scrollBy(0, 600)
    await new Promise((resolve) => requestAnimationFrame(resolve))
    elementsMax = Math.max(elementsMax, table.querySelectorAll('[role=row]').length)
    unchanged = count() === before ? unchanged + 1 : 0
  }
  return { rows: count(), elementsMax, longestMs }
})()`
