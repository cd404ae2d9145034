/**
 * Deliveries per second of one dispatcher process, beside a bare loop of the same client, and the latency at 500
 * deliveries per second. README.md describes the measurements.
 *
 * npm run bench dispatch -- [--events 200] [--rounds 5] [--subscriptions 50]
 */
import { freePorts } from '@payments/devkit/machine/ports'
import { serviceFlags } from '@payments/devkit/platform/process-plan'
import type { PostRequest } from './load/post-loop.ts'
import { benchOptions } from './measure/bench-options.ts'
import { type Child, startChild, withCleanup } from './measure/child-process.ts'
import { measureRate, type Rate } from './measure/cpu-time.ts'
import { median, percentile, roundTo } from './measure/sample-statistics.ts'
import { readDatabaseWork, toWorkCounts, type WorkCounts } from './webhooks/database-work.ts'
import { deliverAll, paceArrivals, payload, setUpWebhooks, startReceiver } from './webhooks/setup.ts'

const perDestinationMax = 10
const perTenant = 5
const paced = { deliveriesPerSecond: 500, seconds: 10 }
const names = ['dispatch', 'bare loop'] as const
type Round = Readonly<Record<(typeof names)[number], Rate>>

const { events, rounds, subscriptions } = benchOptions({ events: 200, rounds: 5, subscriptions: 50 })

await withCleanup(async (cleanups) => {
  const setup = await setUpWebhooks(cleanups)
  const receiver = await startReceiver(cleanups, subscriptions)
  const loop: Child<object, PostRequest, object> = await startChild(cleanups, 'load/post-loop', {
    execArgv: serviceFlags,
  })
  const { urls } = receiver.ready
  const targets = await setup.subscribeAll(urls, perTenant)
  const [port = 0] = await freePorts(1)
  const dispatcher = setup.startDispatcher({ INTERNAL_PORT: String(port) })
  const deliveries = events * urls.length
  const deliver = () => deliverAll(setup, receiver, { targets, count: events, deliveries })
  const post = async () => {
    await loop.request({ urls, posts: deliveries, perDestinationMax, payload })
  }
  await deliver()
  await post()

  const readWork = () => readDatabaseWork(`http://127.0.0.1:${port}/metrics`, setup.database.ownerUrl)
  const measured: Round[] = []
  const work: WorkCounts[] = []
  for (let round = 0; round < rounds; round += 1) {
    const before = await readWork()
    const dispatch = await measureRate(deliveries, dispatcher, deliver)
    work.push(toWorkCounts(before, await readWork(), deliveries))
    measured.push({ dispatch, 'bare loop': await measureRate(deliveries, loop.pid, post) })
  }
  print(measured)
  printWork(work)
  const { deliveriesPerSecond, seconds } = paced
  const arrivalMs = await paceArrivals(setup, receiver, {
    targets,
    perSecond: deliveriesPerSecond / perTenant,
    seconds,
    deliveries: deliveriesPerSecond * seconds,
  })
  console.table([{ 'at 500/s': 'ms to arrival', p50: percentile(arrivalMs, 0.5), p99: percentile(arrivalMs, 0.99) }])
})

function print(measured: readonly Round[]): void {
  const rates = (name: keyof Round) => measured.map((round) => round[name].perSecond)
  const loopRate = median(rates('bare loop'))
  console.table(
    names.map((name) => ({
      measured: name,
      'per second': Math.round(median(rates(name))),
      '× bare loop': roundTo(median(rates(name)) / loopRate, 2),
      'CPU µs each': Math.round(median(measured.map((round) => round[name].cpuMicroseconds))),
      rounds: rates(name).map(Math.round).join(' '),
    })),
  )
}

function printWork(work: readonly WorkCounts[]): void {
  const each = (part: keyof WorkCounts, digits: number) => roundTo(median(work.map((round) => round[part])), digits)
  console.table([
    {
      'of each delivery': 'database',
      'round trips': each('roundTrips', 3),
      'row versions': each('rowVersions', 2),
      'log bytes': each('logBytes', 0),
      'CPU µs of its sessions': each('cpuMicroseconds', 0),
    },
  ])
}
