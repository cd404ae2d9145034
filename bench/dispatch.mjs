/**
 * How fast one dispatcher process delivers: 1 KB payloads, 10 tenants with 5 destinations each, a receiver that answers at once.
 *
 *   pnpm bench dispatch [--events 200] [--rounds 3] [--subscriptions 50]
 *
 * Three measurements take turns, each on the far side of a process boundary from its load:
 *   dispatch   from the exchange to the 2xx: `events` for each tenant, each of which matches its five subscriptions
 *   bare loop  the same HTTP client, 10 at once to each destination, nothing else
 *   consume    take a message off a queue and acknowledge it, nothing else
 * A rate is the whole number over the time from the first to the last; CPU is that of the one process that is measured, which
 * says more than the rate where the machine has other work. The table shows medians.
 */
import { fork } from 'node:child_process'
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createLog } from '@payments/chassis/log'
import { consume } from '@payments/messaging/consume'
import { domainEvents, named, quorumQueue } from '@payments/messaging/topology'
import { privateBroker } from '@payments/testing/broker'
import { privateDatabase } from '@payments/testing/database'
import { openBroker } from '../services/webhooks/dist/broker.js'
import { laneDelaysMs, parseSchedule } from '../services/webhooks/dist/domain/schedule.js'
import { writeSecret } from '../services/webhooks/dist/domain/signature.js'
import { secretBinding } from '../services/webhooks/dist/domain/subscription.js'
import { createSender } from '../services/webhooks/dist/egress/send.js'
import { dispatcherTopology, queueNames } from '../services/webhooks/dist/queues.js'
import { openDatabase } from '../services/webhooks/dist/store/database.js'
import { insertSubscription } from '../services/webhooks/dist/store/subscriptions.js'
import { openVault } from '../services/webhooks/dist/vault.js'

const self = fileURLToPath(import.meta.url)
const dispatcherFile = fileURLToPath(new URL('../services/webhooks/dist/dispatcher.js', import.meta.url))
const written = '0s,5s,30s'
const perDestinationMax = 10
const perTenant = 5
const deadlineMs = 120_000
const payload = { note: 'x'.repeat(1_000) }
const roles = { receive, loop, measure }
const { values } = parseArgs({
  options: {
    role: { type: 'string', default: 'measure' },
    events: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '3' },
    subscriptions: { type: 'string', default: '50' },
  },
})
await roles[values.role]()

/** The receiver's process: one port per destination; tells how many requests it has answered when asked. */
async function receive() {
  let answered = 0
  const urls = []
  for (let index = 0; index < Number(values.subscriptions); index += 1) {
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        answered += 1
        response.writeHead(200).end()
      })
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    urls.push(`http://127.0.0.1:${server.address().port}/hook`)
  }
  process.on('message', () => process.send({ answered }))
  process.send({ urls })
}

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
  const children = []
  const spawn = async (role) => {
    const child = fork(self, ['--role', role, '--subscriptions', values.subscriptions])
    children.push(child)
    return { child, hello: await said(child) }
  }
  const world = await openWorld()
  try {
    const receiver = await spawn('receive')
    const { urls } = receiver.hello
    const bare = await spawn('loop')
    const answered = async () => (await asked(receiver.child, {})).answered
    const targets = await world.subscribeAll(urls)
    const dispatcher = world.startDispatcher()
    children.push(dispatcher)
    const deliver = async (count) => {
      const goal = (await answered()) + count * urls.length
      // In turn: what is published first belongs to all of them.
      const published = Array.from({ length: count }, () => targets.map((target) => world.publish(target)))
      await Promise.all(published.flat())
      await until(async () => (await answered()) >= goal)
    }
    const posts = events * urls.length
    const post = (count) => asked(bare.child, { urls, posts: count })
    await deliver(Math.ceil(events / 10))
    await post(posts / 10)

    const rounds = []
    for (let round = 0; round < Number(values.rounds); round += 1) {
      rounds.push({
        dispatch: await timed(posts, dispatcher.pid, () => deliver(events)),
        'bare loop': await timed(posts, bare.child.pid, () => post(posts)),
        consume: await world.consumeAlone(posts),
      })
    }
    print(rounds)
  } finally {
    await Promise.all(children.map(end))
    await world.close()
  }
}

async function openWorld() {
  const schedule = parseSchedule(written)
  const database = await privateDatabase('webhooks')
  const { url, prefix, discard } = await privateBroker()
  const log = createLog('bench', 'fatal')
  const names = queueNames(prefix)
  const plain = { queue: named(prefix, 'bench.plain'), quarantine: named(prefix, 'bench.quarantine') }
  const plainTopology = Object.values(plain).map((queue) => quorumQueue(queue, { deliveryLimit: null }))
  const topology = [...dispatcherTopology(prefix, schedule), ...plainTopology]
  const broker = await openBroker({ url, prefix, name: 'bench', topology, log })
  const db = openDatabase(database.url)
  const key = randomBytes(32)
  const vault = openVault({ VAULT_KEYS: new Map([['k1', createSecretKey(key)]]), VAULT_KEY_CURRENT: 'k1' }, db)
  const publish = (exchange, routingKey, body) =>
    broker.publisher.publish({ exchange, routingKey, body: Buffer.from(JSON.stringify(body)), messageId: randomUUID() })

  return {
    /** A subscription for each URL, `perTenant` of a tenant's only business unit. */
    subscribeAll: async (urls) => {
      const targets = []
      for (const [index, destinationUrl] of urls.entries()) {
        if (index % perTenant === 0) targets.push({ tenant_id: randomUUID(), business_unit_id: randomUUID() })
        const { tenant_id: tenantId, business_unit_id: businessUnitId } = targets.at(-1)
        const id = randomUUID()
        const secretSealed = await vault.seal(secretBinding(tenantId, id), writeSecret(randomBytes(32)))
        const kept = { label: null, eventTypes: [], secretMasked: '', secretSealed }
        const facts = { id, businessUnitId, destinationUrl, ...kept }
        await db.inTenant(tenantId, (tx) => insertSubscription(tx, tenantId, facts))
      }
      return targets
    },
    startDispatcher: () =>
      fork(dispatcherFile, {
        env: {
          ENVIRONMENT: 'dev',
          LOG_LEVEL: 'warn',
          INTERNAL_PORT: '0',
          DATABASE_URL: database.url,
          AMQP_URL: url,
          MESSAGING_PREFIX: prefix,
          WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true',
          WEBHOOKS_RETRY_SCHEDULE: written,
          VAULT_KEYS: JSON.stringify({ k1: key.toString('base64') }),
          VAULT_KEY_CURRENT: 'k1',
        },
        execArgv: process.env.BENCH_NODE_OPTIONS?.split(' ') ?? [],
      }),
    publish: (target) => {
      const type = 'payment-proxy.transactions.capture'
      const event = { id: randomUUID(), type, trace_id: randomUUID(), occurred_at: new Date().toISOString(), payload }
      return publish(domainEvents(prefix), type, { ...event, ...target })
    },
    /** Messages a second. */
    consumeAlone: async (messages) => {
      const batch = 5_000
      for (let sent = 0; sent < messages; sent += batch) {
        const size = Math.min(batch, messages - sent)
        await Promise.all(Array.from({ length: size }, () => publish('', plain.queue, { payload })))
      }
      let taken = 0
      const options = {
        connection: broker.consuming,
        publisher: broker.publisher,
        topology: plainTopology,
        ...plain,
        prefetch: 200,
        read: (body) => JSON.parse(body.toString('utf8')),
        handle: async () => {
          taken += 1
        },
        log,
      }
      return timed(messages, process.pid, async () => {
        const consumer = consume(options)
        await until(async () => taken >= messages)
        await consumer.stop()
      })
    },
    close: async () => {
      await broker.close()
      await db.close()
      const lanes = laneDelaysMs(schedule).map((delayMs) => names.retry(delayMs))
      const queues = [names.events, names.deliveries, names.deadLetters, names.quarantine, ...lanes]
      await discard({ queues: [...queues, ...Object.values(plain)], exchanges: [domainEvents(prefix)] })
      await database.drop()
    },
  }
}

function said(child) {
  return new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`a process of the bench ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message)
    })
  })
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

function asked(child, question) {
  const answer = said(child)
  child.send(question)
  return answer
}

async function until(condition) {
  const deadline = performance.now() + deadlineMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not done in ${deadlineMs} ms: ${condition.toString()}`)
    await delay(10)
  }
}

async function timed(count, pid, work) {
  const from = performance.now()
  const cpuFrom = cpuMs(pid)
  await work()
  const seconds = (performance.now() - from) / 1_000
  return { rate: count / seconds, cpuMicroseconds: ((cpuMs(pid) - cpuFrom) * 1_000) / count }
}

/** User and system time of a process so far: fields 14 and 15 of its stat, in ticks of 10 ms; the name before them has a bracket. */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function print(rounds) {
  const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
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
