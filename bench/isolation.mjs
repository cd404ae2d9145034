/**
 * What one endpoint that hangs costs the others: 20 tenants with a destination each, 500 events a second, to the tenants in turn.
 *
 *   pnpm bench isolation [--rounds 3] [--seconds 10]
 *
 * Two measurements take turns: all destinations healthy, and one of the twenty, so 5 % of the traffic, hanging. The breaker is set
 * so that it never opens: what is measured is what windows and caps do alone, as in the seconds before it would. The table shows
 * how long it took the healthy ones' events from their publishing to their arrival; medians of the rounds.
 */
import { parseArgs } from 'node:util'
import { end, median, openWorld, pace, percentile, startReceiver, until } from './webhooks-world.mjs'

const tenants = 20
const perSecond = 500
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, seconds: { type: 'string', default: '10' } },
})
const seconds = Number(values.seconds)
const world = await openWorld()
const receiver = await startReceiver(tenants)
const targets = await world.subscribeAll([...receiver.urls, receiver.hanging], 1)
const dispatcher = world.startDispatcher({ WEBHOOKS_BREAKER_ATTEMPTS_MIN: '100000' })
try {
  const healthy = targets.slice(0, tenants)
  const spoilt = [...targets.slice(0, tenants - 1), targets[tenants]]
  const measure = async (among) => {
    const share = among === healthy ? 1 : (tenants - 1) / tenants
    const { answered } = await receiver.ask()
    await pace(world, among, { perSecond, seconds })
    const waits = []
    await until(async () => {
      const told = await receiver.ask()
      waits.push(...told.waits)
      return told.answered - answered >= perSecond * seconds * share
    })
    return { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) }
  }
  await measure(healthy)
  const rounds = []
  for (let round = 0; round < Number(values.rounds); round += 1) {
    rounds.push({ 'all healthy': await measure(healthy), '5 % hanging': await measure(spoilt) })
  }
  const of = (name, share) => median(rounds.map((round) => round[name][share]))
  console.table(
    Object.keys(rounds[0]).map((name) => ({
      measured: name,
      'p50 ms': of(name, 'p50'),
      'p99 ms': of(name, 'p99'),
      'p99 × all healthy': Number((of(name, 'p99') / of('all healthy', 'p99')).toFixed(2)),
      'p99 of the rounds': rounds.map((round) => round[name].p99).join(' '),
    })),
  )
} finally {
  await end(dispatcher)
  await receiver.stop()
  await world.close()
}
