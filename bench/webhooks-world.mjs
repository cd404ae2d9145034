/**
 * What the benches of the dispatcher stand on: a private database and a private corner of the broker, a dispatcher process, tenants
 * with subscriptions, and a receiver in a process of its own.
 */
import { fork } from 'node:child_process'
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createLog } from '@payments/chassis/log'
import { createMetrics } from '@payments/chassis/metrics'
import { nodeFlags } from '@payments/devkit/process-plan'
import { consume } from '@payments/messaging/consume'
import { domainEvents, named, quorumQueue } from '@payments/messaging/topology'
import { privateBroker } from '@payments/testing/broker'
import { privateDatabase } from '@payments/testing/database'
import { openBroker } from '../services/webhooks/dist/broker/broker.js'
import { bucketDelaysMs, parseSchedule } from '../services/webhooks/dist/domain/schedule.js'
import { writeSecret } from '../services/webhooks/dist/domain/signature.js'
import { secretBinding } from '../services/webhooks/dist/domain/subscription.js'
import { dispatcherTopology, queueNames } from '../services/webhooks/dist/broker/queues.js'
import { openDatabase } from '../services/webhooks/dist/store/database.js'
import { insertSubscription } from '../services/webhooks/dist/store/subscriptions.js'
import { openVault } from '../services/webhooks/dist/store/vault.js'
import { onMessage } from './plain-http.mjs'

const self = fileURLToPath(import.meta.url)
const dispatcherFile = fileURLToPath(new URL('../services/webhooks/dist/dispatcher.js', import.meta.url))
const written = '0s,5s,30s'
const deadlineMs = 120_000
export const payload = { note: 'x'.repeat(1_000) }

if (process.argv[1] === self) await receive(Number(process.argv[2]))

/**
 * The receiver's process: one port per destination, and one that hangs. Asked, tells what it has answered since it was asked. Over
 * plain sockets, so that what is sent costs little here beside what it cost to send.
 */
async function receive(count) {
  let answered = 0
  let waits = []
  const listen = async (received) => {
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      onMessage(socket, (_head, body) => received(body, socket))
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${server.address().port}/hook`
  }
  const urls = []
  for (let index = 0; index < count; index += 1) {
    const url = await listen((body, socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
      answered += 1
      const at = /"sent_at":(\d+)/.exec(body.slice(0, 300))
      if (at !== null) waits.push(Date.now() - Number(at[1]))
    })
    urls.push(url)
  }
  const hanging = await listen(() => {})
  process.on('message', () => {
    process.send({ answered, waits })
    waits = []
  })
  process.send({ urls, hanging })
}

/** The receiver as the bench sees it. */
export async function startReceiver(count) {
  const child = fork(self, [String(count)])
  const { urls, hanging } = await said(child)
  return { urls, hanging, ask: () => asked(child, {}), stop: () => end(child) }
}

export async function openWorld() {
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
  const keys = { VAULT_KEYS: new Map([['k1', createSecretKey(key)]]), VAULT_KEY_CURRENT: 'k1' }
  const vault = openVault(keys, db, createMetrics('bench').registry)
  const publish = (exchange, routingKey, body) =>
    broker.publisher.publish({ exchange, routingKey, body: Buffer.from(JSON.stringify(body)), messageId: randomUUID() })

  return {
    /** A subscription for each URL, `perTenant` of each tenant's only business unit. */
    subscribeAll: async (urls, perTenant) => {
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
    startDispatcher: (environment = {}) =>
      fork(dispatcherFile, {
        env: {
          ENVIRONMENT: 'dev',
          LOG_LEVEL: 'error',
          INTERNAL_PORT: '0',
          DATABASE_URL: database.url,
          AMQP_URL: url,
          MESSAGING_PREFIX: prefix,
          WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true',
          WEBHOOKS_RETRY_SCHEDULE: written,
          VAULT_KEYS: JSON.stringify({ k1: key.toString('base64') }),
          VAULT_KEY_CURRENT: 'k1',
          ...environment,
        },
        execArgv: [...nodeFlags, ...(process.env.BENCH_NODE_OPTIONS?.split(' ') ?? [])],
      }),
    database,
    publish: (target, given = payload) => {
      const type = 'payment-proxy.transactions.capture'
      const event = {
        id: randomUUID(),
        type,
        trace_id: randomUUID(),
        occurred_at: new Date().toISOString(),
        payload: given,
      }
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
      const lanes = bucketDelaysMs(schedule).map((delayMs) => names.retry(delayMs))
      const queues = [names.events, names.deliveries, names.deadLetters, names.quarantine, ...lanes]
      await discard({ queues: [...queues, ...Object.values(plain)], exchanges: [domainEvents(prefix)] })
      await database.drop()
    },
  }
}

export function said(child) {
  return new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`a process of the bench ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message)
    })
  })
}

export async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

export function asked(child, question) {
  const answer = said(child)
  child.send(question)
  return answer
}

export async function until(condition) {
  const deadline = performance.now() + deadlineMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not done in ${deadlineMs} ms: ${condition.toString()}`)
    await delay(10)
  }
}

export async function timed(count, pid, work) {
  const from = performance.now()
  const cpuFrom = cpuMs(pid)
  await work()
  const seconds = (performance.now() - from) / 1_000
  return { rate: count / seconds, cpuMicroseconds: ((cpuMs(pid) - cpuFrom) * 1_000) / count }
}

/** User and system time of a process so far: fields 14 and 15 of its stat, in ticks of 10 ms; the name before them has a bracket. */
export function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

export const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
export const percentile = (numbers, share) =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length * share)] ?? null

/** Publishes `perSecond` events for `seconds`, to the targets in turn, each saying when; whatever the answers do. */
export async function pace(world, targets, { perSecond, seconds }) {
  const from = performance.now()
  for (let sent = 0; sent < perSecond * seconds; sent += 1) {
    const dueMs = from + (sent * 1_000) / perSecond - performance.now()
    if (dueMs > 1) await delay(dueMs)
    void world.publish(targets[sent % targets.length], { sent_at: Date.now(), ...payload })
  }
}
