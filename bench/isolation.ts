/**
 * The effect of one destination that never responds on the others: 20 tenants with a destination each, 500 events per
 * second, to the tenants in turn.
 *
 *   npm run bench isolation -- [--rounds 3] [--seconds 10]
 *
 * Two measurements alternate: all destinations healthy, and one of the twenty, hence 5 % of the events, hanging. The
 * circuit breaker is configured never to open, so in-flight limits alone protect the others, as in the seconds before a
 * breaker opens. The table shows the time from publishing to arrival at the healthy destinations; medians of the
 * rounds.
 */
import { benchOptions } from './measure/bench-options.ts'
import { withCleanup } from './measure/child-process.ts'
import { median, percentile, roundTo } from './measure/sample-statistics.ts'
import { paceArrivals, setUpWebhooks, startReceiver, type Target } from './webhooks/setup.ts'

const tenants = 20
const perSecond = 500
const { rounds, seconds } = benchOptions({ rounds: 3, seconds: 10 })

interface Arrival {
  readonly p50: number
  readonly p99: number
}

await withCleanup(async (cleanups) => {
  const setup = await setUpWebhooks(cleanups)
  const receiver = await startReceiver(cleanups, tenants)
  const targets = await setup.subscribeAll([...receiver.ready.urls, receiver.ready.hangingUrl], 1)
  setup.startDispatcher({ WEBHOOKS_BREAKER_ATTEMPTS_MIN: '100000' })

  const arrivals = async (among: readonly Target[], healthyShare: number): Promise<Arrival> => {
    const deliveries = perSecond * seconds * healthyShare
    const arrivalMs = await paceArrivals(setup, receiver, { targets: among, perSecond, seconds, deliveries })
    return { p50: percentile(arrivalMs, 0.5), p99: percentile(arrivalMs, 0.99) }
  }
  const healthy = targets.slice(0, tenants)
  const oneHanging = [...targets.slice(0, tenants - 1), ...targets.slice(tenants)]
  const variants = {
    'all healthy': () => arrivals(healthy, 1),
    '5 % hanging': () => arrivals(oneHanging, (tenants - 1) / tenants),
  }
  const names = Object.keys(variants) as (keyof typeof variants)[]
  await variants['all healthy']()
  const measured: Record<keyof typeof variants, Arrival>[] = []
  for (let round = 0; round < rounds; round += 1) {
    measured.push({ 'all healthy': await variants['all healthy'](), '5 % hanging': await variants['5 % hanging']() })
  }
  const of = (name: keyof typeof variants, share: keyof Arrival) => median(measured.map((round) => round[name][share]))
  console.table(
    names.map((name) => ({
      measured: name,
      'p50 ms': of(name, 'p50'),
      'p99 ms': of(name, 'p99'),
      'p99 × all healthy': roundTo(of(name, 'p99') / of('all healthy', 'p99'), 2),
      'p99 of the rounds': measured.map((round) => round[name].p99).join(' '),
    })),
  )
})
