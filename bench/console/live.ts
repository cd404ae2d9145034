/** The time from the outcome of a delivery to its row on the screen. */
import { setTimeout as delay } from 'node:timers/promises'
import { withClient } from '@payments/devkit/servers/databases'
import type { Page } from '@payments/testing/peers/browser'
import { until } from '@payments/testing/services/until'
import { atEvenIntervals } from '../load/even-intervals.ts'
import { percentile } from '../measure/sample-statistics.ts'
import { atMost, type Figure } from './figure.ts'
import { backlogMsMax, holdsIn, type Shop } from './shop.ts'

const perSecond = 50
const limitMs = 1_000
const withoutBrokerLimitMs = 2_000
/** Below the limit of attempts in flight to one destination. */
const attempts = 8
/** Between two responses of the endpoint without the broker, so that each outcome is its own change. */
const pauseMs = 400

interface Shown {
  /** When the row of a delivery first showed that it was delivered, by id. */
  readonly delivered: Readonly<Record<string, number>>
  /** The newest delivery on the screen, with the time of its appearance. */
  readonly newest: readonly (readonly [at: number, id: string])[]
}

/** 50 events a second, with the page of deliveries open. */
export async function measureLive(shop: Shop, seconds: number): Promise<Figure> {
  const page = await openObserved(shop)
  const from = Date.now()
  const calls: Promise<unknown>[] = []
  await atEvenIntervals(perSecond, performance.now() + seconds * 1_000, () => calls.push(emitEvent(shop)))
  await Promise.all(calls)
  await until(async () => (await outcomes(shop, from)).size === calls.length, backlogMsMax)
  const latenciesMs = await measureLatencies(shop, page, from)
  await page.context().close()
  const p99 = Math.round(percentile(latenciesMs, 0.99))
  return atMost(8, `outcome to row, p99 of ${latenciesMs.length} at ${perSecond}/s`, p99, limitMs, 'ms')
}

/** Attempts in flight when the broker is cut off: their responses arrive afterwards. */
export async function measureWithoutBroker(
  shop: Shop,
  broker: { cut(): Promise<void>; restore(): Promise<void> },
): Promise<Figure> {
  const { endpoint } = shop
  const page = await openObserved(shop)
  const from = Date.now()
  endpoint.isHeld = true
  await Promise.all(Array.from({ length: attempts }, () => emitEvent(shop)))
  await until(() => endpoint.held.length === attempts, backlogMsMax)
  await broker.cut()
  endpoint.isHeld = false
  for (const respond of endpoint.held.splice(0)) {
    respond()
    await delay(pauseMs)
  }
  await until(async () => (await outcomes(shop, from)).size === attempts, backlogMsMax)
  const latenciesMs = await measureLatencies(shop, page, from)
  await broker.restore()
  await page.context().close()
  const slowest = Math.round(Math.max(...latenciesMs))
  return atMost(8, `the same without the broker, slowest of ${latenciesMs.length}`, slowest, withoutBrokerLimitMs, 'ms')
}

/** Creates a transaction, whose event has one delivery. */
export async function emitEvent({ call, unitId }: Shop): Promise<void> {
  const created = { business_unit_id: unitId, currency: 'EUR', amount: 1_000 }
  const { status, body } = await call('POST', '/v1/payment-proxy/transactions', created)
  if (status !== 201) throw new Error(`the response to a transaction was ${status} ${JSON.stringify(body)}`)
}

/** The ends of the attempts since `from`, by delivery, on the clock of the dispatcher. */
export function outcomes({ stack, tenantId }: Shop, from: number): Promise<Map<string, number>> {
  return withClient(stack.databases.webhooks.ownerUrl, async (owner) => {
    await owner.query(`SET app.tenant_id = '*'`)
    const { rows } = await owner.query(
      `SELECT delivery_id, max(started_at + make_interval(secs => duration_ms / 1000.0)) AS ended_at
       FROM attempts WHERE tenant_id = $1 AND started_at >= $2 AND error_kind IS NULL GROUP BY delivery_id`,
      [tenantId, new Date(from)],
    )
    return new Map(rows.map(({ delivery_id: id, ended_at: at }) => [id as string, (at as Date).getTime()]))
  })
}

async function openObserved(shop: Shop): Promise<Page> {
  const page = await shop.open('/deliveries')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByText('Loading …').waitFor({ state: 'detached' })
  await page.evaluate(observe)
  return page
}

/** From each outcome to the first moment at which its row, or a newer one, shows a delivery. */
async function measureLatencies(shop: Shop, page: Page, from: number): Promise<number[]> {
  const ended = await outcomes(shop, from)
  const newest = [...ended.keys()].sort().slice(-attempts)
  await holdsIn(page, `${JSON.stringify(newest)}.every((id) => window.shown.delivered[id] !== undefined)`)
  const shown = await page.evaluate<Shown>('window.shown')
  return [...ended].map(([id, at]) => {
    const later =
      shown.newest.find(([shownAt, newestId]) => newestId > id && shownAt >= at)?.[0] ?? Number.POSITIVE_INFINITY
    return Math.max(0, Math.min(shown.delivered[id] ?? Number.POSITIVE_INFINITY, later) - at)
  })
}

const observe = `(() => {
  const shown = { delivered: {}, newest: [] }
  window.shown = shown
  const look = () => {
    const at = Date.now()
    let newest = ''
    for (const row of document.querySelectorAll('[role=row]')) {
      const id = /([^/]+)$/.exec(row.querySelector('a')?.pathname ?? '')?.[1]
      if (id === undefined) continue
      if (id > newest) newest = id
      if (row.innerText.includes('delivered')) shown.delivered[id] ??= at
    }
    if (newest > (shown.newest.at(-1)?.[1] ?? '')) shown.newest.push([at, newest])
  }
  look()
  shown.delivered = {}
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true })
})()`
