/**
 * How fast one dispatcher process delivers: 1 KB payloads, 10 tenants with 5 destinations each, a receiver that answers at once.
 *
 *   pnpm bench dispatch [--events 200] [--rounds 5] [--subscriptions 50]
 *
 * Three measurements take turns, each on the far side of a process boundary from its load, after a round that is not counted,
 * in which code is compiled and connections are opened:
 *   dispatch   from the exchange to the 2xx: `events` for each tenant, each of which matches its five subscriptions
 *   bare loop  the same HTTP client, 10 at once to each destination, nothing else
 *   consume    take a message off a queue and acknowledge it, nothing else
 * Then the same at a pace of 500 deliveries a second: how long from the publishing of an event to its arrival.
 * A rate is the whole number over the time from the first to the last; CPU is that of the one process that is measured, which
 * says more than the rate where the machine has other work. The table shows medians.
 */
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { nodeFlags } from '@payments/devkit/process-plan'
import { createSender } from '../services/webhooks/dist/egress/send.js'
import {
  asked,
  end,
  median,
  openWorld,
  pace,
  payload,
  percentile,
  said,
  startReceiver,
  timed,
  until,
} from './webhooks-world.mjs'

const self = fileURLToPath(import.meta.url)
const perDestinationMax = 10
const perTenant = 5
const roles = { loop, measure }
const { values } = parseArgs({
  options: {
    role: { type: 'string', default: 'measure' },
    events: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '5' },
    subscriptions: { type: 'string', default: '50' },
  },
})
await roles[values.role]()

/** The bare loop's process: told `{urls, posts}`, answers when all are made. */
async function loop() {
  const { send } = createSender({ allowPrivate: true, stop: new AbortController().signal })
  const body = Buffer.from(JSON.stringify({ trace_id: randomUUID(), metadata: { payload } }))
  const headers = { 'Content-Type': 'application/json', 'webhook-id': randomUUID() }
  process.on('message', async ({ urls, posts }) => {
    let left = posts
    const worker = async (url) => {
      while (left > 0) {
        left -= 1
        const { errorKind, errorDetail } = await send({ url, headers, body })
        if (errorKind !== null) throw new Error(`${errorKind}: ${errorDetail}`)
      }
    }
    await Promise.all(urls.flatMap((url) => Array.from({ length: perDestinationMax }, () => worker(url))))
    process.send({})
  })
  process.send({})
}

async function measure() {
  const events = Number(values.events)
  const stops = []
  const world = await openWorld()
  try {
    const receiver = await startReceiver(Number(values.subscriptions))
    stops.push(receiver.stop)
    const { urls } = receiver
    const bare = fork(self, ['--role', 'loop'], { execArgv: nodeFlags })
    stops.push(() => end(bare))
    await said(bare)
    const targets = await world.subscribeAll(urls, perTenant)
    const dispatcher = world.startDispatcher()
    stops.push(() => end(dispatcher))
    const answered = async () => (await receiver.ask()).answered
    const deliver = async (count) => {
      const goal = (await answered()) + count * urls.length
      // In turn: what is published first belongs to all of them.
      const published = Array.from({ length: count }, () => targets.map((target) => world.publish(target)))
      await Promise.all(published.flat())
      await until(async () => (await answered()) >= goal)
    }
    const posts = events * urls.length
    const post = (count) => asked(bare, { urls, posts: count })
    await deliver(events)
    await post(posts)

    const rounds = []
    for (let round = 0; round < Number(values.rounds); round += 1) {
      rounds.push({
        dispatch: await timed(posts, dispatcher.pid, () => deliver(events)),
        'bare loop': await timed(posts, bare.pid, () => post(posts)),
        consume: await world.consumeAlone(posts),
      })
    }
    print(rounds)
    const goal = (await receiver.ask()).answered + 500 * 10
    await pace(world, targets, { perSecond: 500 / perTenant, seconds: 10 })
    const waits = []
    await until(async () => {
      const told = await receiver.ask()
      waits.push(...told.waits)
      return told.answered >= goal
    })
    console.table([{ 'at 500/s': 'ms to arrival', p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) }])
  } finally {
    await Promise.all(stops.map((stop) => stop()))
    await world.close()
  }
}

function print(rounds) {
  const rates = (name) => rounds.map((round) => round[name].rate)
  const loopRate = median(rates('bare loop'))
  const rows = Object.keys(rounds[0]).map((name) => ({
    measured: name,
    'per second': Math.round(median(rates(name))),
    '× bare loop': Number((median(rates(name)) / loopRate).toFixed(2)),
    'CPU µs each': Math.round(median(rounds.map((round) => round[name].cpuMicroseconds))),
    rounds: rates(name).map(Math.round).join(' '),
  }))
  console.table(rows)
}
