/** Many bounded waits at one gateway: its memory, the latency of other requests, and the end of all at a drain. */
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { TestStack } from '@payments/testing/platform/local-stack'
import type { LoadRequest, LoadResult } from '../load/http-load.ts'
import { type Child, until } from '../measure/child-process.ts'
import { residentMemory } from '../measure/resident-memory.ts'
import { roundTo } from '../measure/sample-statistics.ts'
import { atMost, type Figure } from './figure.ts'
import { createCaller, onboard, type Tenant } from './shop.ts'

const waitsPerTenant = 20
const waitsPerKey = 6
const together = 4
const path = '/v1/webhooks/changes'
const waitSeconds = 20
const loadPerSecond = 100
const loadSeconds = 10
const settleMs = 3_000

interface Wait {
  readonly headers: Readonly<Record<string, string>>
  /** The cursor of the last response. */
  readonly after: string
}

export async function measureWaits(
  stack: TestStack,
  load: Child<object, LoadRequest, LoadResult>,
  count: number,
): Promise<Figure[]> {
  const tenants = await onboardAll(stack, Math.ceil(count / waitsPerTenant))
  const all = (await Promise.all(tenants.map((tenant) => startWaits(stack, tenant)))).flat().slice(0, count)
  const other = tenants[0] as Tenant
  const p99 = () => latency(stack, load, other)
  await p99()
  const before = { p99Ms: await p99(), rssMb: residentMemory(stack.pid('gateway')).rssMb }
  const waits = openWaits(stack, all)
  await until(() => waits.open() === count)
  await delay(settleMs)
  const after = { p99Ms: await p99(), rssMb: residentMemory(stack.pid('gateway')).rssMb }
  const drainMs = await drain(stack, waits)
  const slower = roundTo(((after.p99Ms - before.p99Ms) / before.p99Ms) * 100, 0)
  return [
    atMost(10, `memory of the gateway with ${count} waits, more`, after.rssMb - before.rssMb, 60, 'MiB'),
    atMost(10, `p99 of other requests (${roundTo(before.p99Ms, 1)} ms), more`, slower, 5, '%'),
    atMost(10, 'end of all waits at a drain', Math.round(drainMs), 1_000, 'ms'),
  ]
}

async function onboardAll(stack: TestStack, count: number): Promise<Tenant[]> {
  const tenants: Tenant[] = []
  const worker = async () => {
    while (tenants.length < count) tenants.push(await onboard(stack, 'Waiting'))
  }
  await Promise.all(Array.from({ length: together }, worker))
  return tenants
}

/** The waits of a tenant, from its present state on: a key may have six. */
async function startWaits({ gatewayUrl }: TestStack, { headers, call }: Tenant): Promise<Wait[]> {
  const { body: roles } = await call('GET', '/v1/rbac/roles?limit=200')
  const viewer = roles.data.find(({ name }: { name: string }) => name === 'viewer').id
  const keys: Wait[] = []
  while (keys.length * waitsPerKey < waitsPerTenant) {
    const { body: key } = await call('POST', '/v1/api-key/keys', { name: 'page' })
    await call('PUT', `/v1/api-key/keys/${key.id}/roles`, { role_ids: [viewer] })
    const own = { ...headers, Authorization: `Bearer ${key.value}` }
    const { body: now } = await createCaller(gatewayUrl, own)('GET', path)
    keys.push({ headers: own, after: now.next_cursor })
  }
  return keys.flatMap((key) => Array.from({ length: waitsPerKey }, () => key)).slice(0, waitsPerTenant)
}

async function latency(
  { ports }: TestStack,
  load: Child<object, LoadRequest, LoadResult>,
  { headers }: Tenant,
): Promise<number> {
  const { p99Ms, failures } = await load.request({
    port: ports.gateway,
    path: '/v1/rbac/permissions?limit=1',
    headers,
    seconds: loadSeconds,
    connections: 8,
    perSecond: loadPerSecond,
  })
  if (Object.keys(failures).length > 0) throw new Error(`requests failed: ${JSON.stringify(failures)}`)
  return p99Ms
}

interface OpenWaits {
  readonly open: () => number
  /** Ends the repetition: a wait that ends is not sent again. */
  readonly last: () => void
  readonly statuses: Readonly<Record<string, number>>
}

/** Keeps the waits open. A rejected wait is counted by its status. */
function openWaits({ gatewayUrl }: TestStack, all: readonly Wait[]): OpenWaits {
  const agent = new Agent({ keepAlive: true, maxSockets: all.length })
  const statuses: Record<string, number> = {}
  let open = 0
  let isLast = false
  const send = (wait: Wait) => {
    open += 1
    const ended = (status: string, body = '') => {
      open -= 1
      statuses[status] = (statuses[status] ?? 0) + 1
      if (isLast) return
      if (status === '200') send({ ...wait, after: JSON.parse(body).next_cursor })
      else setTimeout(send, 1_000, wait)
    }
    const headers = { ...wait.headers, 'Trace-ID': randomUUID() }
    const call = request(
      `${gatewayUrl}${path}?wait_seconds=${waitSeconds}&after=${wait.after}`,
      { headers, agent },
      (response) =>
        text(response).then(
          (body) => ended(String(response.statusCode), body),
          () => ended('lost'),
        ),
    )
    call.on('error', () => ended('lost')).end()
  }
  // Spread over the duration of a wait, as the waits of people are.
  for (const [index, wait] of all.entries()) setTimeout(send, (index / all.length) * waitSeconds * 1_000, wait)
  return {
    open: () => open,
    last: () => {
      isLast = true
    },
    statuses,
  }
}

/** From the signal to the end of the last wait. Throws where a wait was lost. */
async function drain(stack: TestStack, waits: OpenWaits): Promise<number> {
  waits.last()
  const lostBefore = waits.statuses['lost'] ?? 0
  const from = performance.now()
  const ended = stack.kill('gateway', 'SIGTERM')
  await until(() => waits.open() === 0)
  const ms = performance.now() - from
  await ended
  const lost = (waits.statuses['lost'] ?? 0) - lostBefore
  if (lost > 0) throw new Error(`${lost} waits were lost at the drain`)
  return ms
}
