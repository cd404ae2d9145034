import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { withClient } from '@payments/devkit/servers/databases'
import { type PressureCounts, press } from '@payments/testing/platform/pressure'
import { onboard } from '../../tenant.ts'
import { createLoad } from '../runner/load.ts'
import type { Checked, Round, Scenario } from '../runner/runner.ts'
import { type Opening, openServers, openSite, type Site } from '../runner/site.ts'
import { type Attack, attacks } from './attacks.ts'
import { closeConnections, measureLatencies, type OtherTenant, type Sent, sendRequest } from './other-tenant.ts'

/** The platform under pressure, with the attacker's tenant and another one. */
interface World extends Site {
  readonly other: OtherTenant
  readonly attacker: { readonly tenantId: string; readonly key: string }
  readonly isLong: boolean
}

interface PressureRound extends Round<World> {
  /** Observes the other tenant, then puts the gateway under pressure. Returns the number of writes. */
  readonly press: (attack: Attack) => Promise<number>
}

export const gateway: Scenario<PressureRound> = {
  faults: attacks.map((attack) => ({ ...attack, run: (round) => round.press(attack) })),
  open: openWorld,
  begin: beginRound,
}

/** Bounds under every pressure; docs/faults.md explains the values. */
const bounds = { failedMax: 0, lostMax: 0, p99MsMax: 2_000, p99RatioMax: 10, rssMiBMax: 512 } as const

/** As in production, but for the tenants' addresses; all processes get them, and only the gateway reads them. */
const env = {
  FAILED_AUTHENTICATIONS_PER_MINUTE: '20',
  UNVERIFIED_REQUESTS_PER_MINUTE: '300',
  CONNECTIONS_PER_ADDRESS_MAX: '500',
}
const without = ['webhooks', 'webhooks-dispatcher'] as const

async function openWorld(opening: Opening): Promise<World> {
  const site = await openSite(opening, await openServers(opening), { env, without })
  opening.closing.push(closeConnections)
  const { platform } = site
  const [acme, globex] = [await onboard(platform, 'Acme'), await onboard(platform, 'Globex')]
  const other = { url: platform.gatewayUrl, tenantId: acme.tenant_id, key: acme.api_key.value }
  const attacker = { tenantId: globex.tenant_id, key: globex.api_key.value }
  return { ...site, other, attacker, isLong: opening.isLong }
}

const perSecond = 20
const sampleMs = 100

async function beginRound(world: World): Promise<PressureRound> {
  const { platform, other, attacker, isLong } = world
  const seconds = isLong ? 12 : 4
  const before: Promise<Sent>[] = []
  const during: Promise<Sent>[] = []
  const rss = { beforeMiB: 0, peakMiB: 0 }
  let sent = before
  let counts: PressureCounts | undefined
  // At a steady rate: a slow response does not delay the next request.
  const send = async () => sent.push(sendRequest(other))
  const load = createLoad(send, { clients: 1, pauseMs: 1_000 / perSecond })
  const own = (text: string) => text.replaceAll('{tenant}', attacker.tenantId).replaceAll('{key}', attacker.key)
  const observed: PressureRound['press'] = async ({ opening, repeated, ...attack }) => {
    await load.ended((perSecond * seconds) / 2)
    sent = during
    await Promise.all(before)
    rss.beforeMiB = rss.peakMiB = rssMiB(world)
    const sampler = setInterval(() => {
      rss.peakMiB = Math.max(rss.peakMiB, rssMiB(world))
    }, sampleMs)
    const texts = { opening: own(opening), ...(repeated && { repeated: { ...repeated, text: own(repeated.text) } }) }
    counts = await press({ ...attack, ...texts, port: platform.ports.gateway, seconds }).finally(() =>
      clearInterval(sampler),
    )
    return counts.written
  }
  const check = async () =>
    checkPromises(world, { before: await Promise.all(before), during: await Promise.all(during), rss, counts })
  return { world, load, press: observed, check }
}

interface Observed {
  readonly before: readonly Sent[]
  readonly during: readonly Sent[]
  readonly rss: { readonly beforeMiB: number; readonly peakMiB: number }
  readonly counts: PressureCounts | undefined
}

async function checkPromises(world: World, { before, during, rss, counts }: Observed): Promise<Checked> {
  const sent = [...before, ...during]
  const failures = sent.flatMap(({ failure }) => failure ?? [])
  const lost = await lostRecords(
    world,
    sent.map(({ traceId }) => traceId),
  )
  const earlier = measureLatencies(before)
  const latencies = measureLatencies(during)
  const broken: string[] = []
  if (failures.length > bounds.failedMax)
    broken.push(`${failures.length} requests of the other tenant failed: ${[...new Set(failures)].join(', ')}`)
  if (lost > bounds.lostMax) broken.push(`${lost} audit records of the other tenant are missing`)
  if (during.length === 0) broken.push('the other tenant sent no request: nothing was shown')
  if (rss.peakMiB > bounds.rssMiBMax) broken.push(`the gateway took ${rss.peakMiB} MiB`)
  // In the short form, other programs share the processors: latency then says nothing of the gateway.
  const p99MsMax = Math.max(bounds.p99MsMax, earlier.p99Ms * bounds.p99RatioMax)
  if (world.isLong && !(latencies.p99Ms <= p99MsMax))
    broken.push(`p99 of the other tenant ${Math.round(latencies.p99Ms)} ms`)
  const measured = {
    'p50 before': ms(earlier.p50Ms),
    'p50 during': ms(latencies.p50Ms),
    'p99 before': ms(earlier.p99Ms),
    'p99 during': ms(latencies.p99Ms),
    requests: during.length,
    failed: failures.length,
    'RSS before': `${rss.beforeMiB} MiB`,
    'RSS peak': `${rss.peakMiB} MiB`,
    'audit lost': lost,
  }
  return { measured, broken, notes: counts === undefined ? [] : [formatCounts(counts)] }
}

const ms = (value: number) => `${value.toFixed(1)} ms`

function formatCounts({ opened, closed, statuses }: PressureCounts): string {
  const read = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`)
  const responses = read.length === 0 ? 'no response read' : read.join(', ')
  return `${opened} connections, ${closed} closed by the gateway, ${responses}`
}

function rssMiB({ platform }: World): number {
  const status = readFileSync(`/proc/${platform.pid('gateway')}/status`, 'utf8')
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024)
}

const auditTimeoutMs = 60_000

/** The number of requests without a record in the audit service, after a delay for shipping. */
async function lostRecords({ databaseUrl, other }: World, traceIds: readonly string[]): Promise<number> {
  return withClient(databaseUrl('audit'), async (client) => {
    const deadline = Date.now() + auditTimeoutMs
    for (;;) {
      const { rows } = await client.query<{ count: number }>(
        'SELECT count(DISTINCT trace_id)::int AS count FROM audit_records WHERE tenant_id = $1 AND trace_id = ANY($2::uuid[])',
        [other.tenantId, traceIds],
      )
      const lost = traceIds.length - (rows[0]?.count ?? 0)
      if (lost === 0 || Date.now() > deadline) return lost
      await delay(200)
    }
  })
}
