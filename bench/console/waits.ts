/** Many bounded waits at one gateway: its memory, the latency of other requests, and the end of all at a drain. */
import { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { TestStack } from '@payments/testing/platform/local-stack'
import { until } from '@payments/testing/services/until'
import { type Generator, requireSuccess } from '../load/paced-cpu.ts'
import { buildHeaders, type Credential, send } from '../load/request.ts'
import { createTenant, type Tenant } from '../load/tenant.ts'
import { residentMemory } from '../measure/resident-memory.ts'
import { roundTo } from '../measure/sample-statistics.ts'
import { atMost, type Figure } from './figure.ts'
import { backlogMsMax, createCaller } from './shop.ts'

const waitsPerTenant = 20
const waitsPerKey = 6
const together = 4
const path = '/v1/webhooks/changes'
const waitSeconds = 20
const loadPerSecond = 100
const loadSeconds = 10
const settleMs = 3_000

interface Wait {
  readonly credential: Credential
  /** The cursor of the last response. */
  readonly after: string
}

export async function measureWaits(stack: TestStack, load: Generator, count: number): Promise<Figure[]> {
  const tenants = await onboardAll(stack, Math.ceil(count / waitsPerTenant))
  const all = (await Promise.all(tenants.map((tenant) => startWaits(stack, tenant)))).flat().slice(0, count)
  const other = tenants[0] as Tenant
  const p99 = () => latency(stack, load, other)
  await p99()
  const before = { p99Ms: await p99(), rssMb: residentMemory(stack.pid('gateway')).rssMb }
  const waits = openWaits(stack, all)
  await until(() => waits.open() === count, backlogMsMax)
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
    while (tenants.length < count) tenants.push(await createTenant(stack))
  }
  await Promise.all(Array.from({ length: together }, worker))
  return tenants
}

/** The waits of a tenant, from its present state on: a key may have six. */
async function startWaits({ gatewayUrl }: TestStack, { credential, roles }: Tenant): Promise<Wait[]> {
  const call = createCaller(gatewayUrl, credential)
  const keys: Wait[] = []
  while (keys.length * waitsPerKey < waitsPerTenant) {
    const { body: key } = await call('POST', '/v1/api-key/keys', { name: 'page' })
    await call('PUT', `/v1/api-key/keys/${key.id}/roles`, { role_ids: [roles.viewer] })
    const own = { ...credential, bearer: key.value }
    const { body: now } = await createCaller(gatewayUrl, own)('GET', path)
    keys.push({ credential: own, after: now.next_cursor })
  }
  return keys.flatMap((key) => Array.from({ length: waitsPerKey }, () => key)).slice(0, waitsPerTenant)
}

async function latency({ ports }: TestStack, load: Generator, { credential }: Tenant): Promise<number> {
  const result = await load.request({
    port: ports.gateway,
    path: '/v1/rbac/permissions?limit=1',
    headers: buildHeaders(credential),
    seconds: loadSeconds,
    connections: 8,
    perSecond: loadPerSecond,
  })
  return requireSuccess('a read beside the waits', result).p99Ms
}

/** The status of a wait without a response. */
const lost = 0

/** Keeps the waits open. A rejected wait is counted by its status. */
function openWaits({ gatewayUrl }: TestStack, all: readonly Wait[]) {
  const how = { agent: new Agent({ keepAlive: true }), timeoutMs: 2 * waitSeconds * 1_000 }
  const statuses: Record<string, number> = {}
  let open = 0
  let isLast = false
  const keepOpen = async (wait: Wait): Promise<void> => {
    open += 1
    const target = `${path}?wait_seconds=${waitSeconds}&after=${wait.after}`
    const { status, body } = await send(gatewayUrl, { path: target, ...how, ...wait.credential })
    open -= 1
    statuses[status] = (statuses[status] ?? 0) + 1
    if (isLast) return
    if (status === 200) void keepOpen({ ...wait, after: JSON.parse(body).next_cursor })
    else setTimeout(keepOpen, 1_000, wait)
  }
  // Spread over the duration of a wait, as the waits of people are.
  for (const [index, wait] of all.entries()) setTimeout(keepOpen, (index / all.length) * waitSeconds * 1_000, wait)
  return {
    open: () => open,
    /** Ends the repetition: a wait that ends is not sent again. */
    last: () => {
      isLast = true
    },
    statuses,
  }
}

/** From the signal to the end of the last wait. Throws where a wait was lost. */
async function drain(stack: TestStack, waits: ReturnType<typeof openWaits>): Promise<number> {
  waits.last()
  const lostBefore = waits.statuses[lost] ?? 0
  const from = performance.now()
  const ended = stack.kill('gateway', 'SIGTERM')
  await until(() => waits.open() === 0, backlogMsMax)
  const ms = performance.now() - from
  await ended
  const lostAtDrain = (waits.statuses[lost] ?? 0) - lostBefore
  if (lostAtDrain > 0) throw new Error(`${lostAtDrain} waits were lost at the drain`)
  return ms
}
