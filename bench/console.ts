/**
 * The bars of the console that need a running platform and a browser.
 *
 *   npm run bench console -- [--seconds 20] [--changes 10000] [--waits 2000]
 *
 * README.md has what counts. `npm run console:check` prints these figures with the bars that tests check. A figure
 * above its limit makes the exit code 1.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '@payments/devkit/machine/ports'
import { root } from '@payments/devkit/machine/profile'
import { tcpProxy } from '@payments/testing/peers/tcp-proxy'
import { startTestStack } from '@payments/testing/platform/local-stack'
import { measureChanges } from './console/changes.ts'
import type { Figure } from './console/figure.ts'
import { measureInteractive } from './console/interactive.ts'
import { measureLive, measureWithoutBroker } from './console/live.ts'
import { measureScroll } from './console/scroll.ts'
import { openShop } from './console/shop.ts'
import { measureWaits } from './console/waits.ts'
import type { LoadRequest, LoadResult } from './load/http-load.ts'
import { unlimitedRates } from './load/unlimited-rates.ts'
import { benchOptions } from './measure/bench-options.ts'
import { startChild, withCleanup } from './measure/child-process.ts'
import { machineDescription } from './measure/sample-statistics.ts'

const { seconds, changes, waits } = benchOptions({ seconds: 20, changes: 10_000, waits: 2_000 })
const figures: Figure[] = []

await withCleanup(async (cleanups) => {
  const [port = 0] = await freePorts(1)
  const broker = await tcpProxy(port)
  cleanups.push(() => broker.cut())
  // All clients of the bench have one address.
  const env = { ...unlimitedRates, CONNECTIONS_PER_ADDRESS_MAX: '5000' }
  const stack = await startTestStack({ amqpUrl: broker.url, env })
  cleanups.push(() => stack.stop())
  const load = await startChild<object, LoadRequest, LoadResult>(cleanups, 'load/http-load')
  console.log(machineDescription())
  const shop = await openShop(stack, cleanups)
  report(await measureInteractive(shop))
  report(await measureLive(shop, seconds))
  report(await measureWithoutBroker(shop, broker))
  report(await measureChanges(shop, changes))
  report(...(await measureScroll(shop, changes)))
  report(...(await measureWaits(stack, load, waits)))
})
writeFileSync(join(root, '.data', 'console-figures.json'), `${JSON.stringify(figures, null, 2)}\n`)
process.exit(figures.every(({ isMet }) => isMet) ? 0 : 1)

function report(...more: readonly Figure[]): void {
  figures.push(...more)
  for (const { bar, what, value, limit, isMet } of more) {
    console.log(`${isMet ? '✓' : '✗'} ${String(bar).padStart(2)}  ${what}: ${value} (${limit})`)
  }
}
