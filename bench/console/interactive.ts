/** The time until a page can be used, on a slow processor. */
import { median } from '../measure/sample-statistics.ts'
import { atMost, type Figure } from './figure.ts'
import { holdsIn, type Shop } from './shop.ts'

const runs = 5
const slowness = 4
const limitMs = 1_500
const paths = ['', '/keys', '/deliveries', '/audit'] as const

/** The slowest of the pages, by the median of its loads in browser profiles without a cache. */
export async function measureInteractive(shop: Shop): Promise<Figure> {
  const medians = new Map<string, number>()
  for (const path of paths) {
    const samples = []
    for (let run = 0; run < runs; run++) samples.push(await loadMs(shop, path))
    medians.set(path, Math.round(median(samples)))
  }
  const [path = '', ms = Number.NaN] = [...medians].sort(([, left], [, right]) => right - left)[0] ?? []
  return atMost(2, `interactive, ${slowness} × slower processor, slowest page: /console${path}`, ms, limitMs, 'ms')
}

/** From the navigation to the frame in which the page shows its data, and its script has no work left. */
async function loadMs(shop: Shop, path: string): Promise<number> {
  const page = await shop.open(path, async (opened) => {
    const session = await opened.context().newCDPSession(opened)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowness })
  })
  await holdsIn(page, isLoaded)
  const ms = await page.evaluate<number>(
    'new Promise((resolve) => requestIdleCallback(() => resolve(performance.now())))',
  )
  await page.context().close()
  return ms
}

const isLoaded = `document.querySelector('h1') !== null && !document.body.innerText.includes('Loading …')`
