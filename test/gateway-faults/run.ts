import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { adminUrlOf, withClient } from '@payments/devkit/servers/databases'
import type { TestStack } from '@payments/testing/platform/local-stack'
import { type PressureCounts, press } from '@payments/testing/platform/pressure'
import { type OtherTenant, observe } from './other-tenant.ts'
import type { NamedPressure } from './pressures.ts'

/** Bounds under every pressure; docs/faults.md explains the values. */
const bounds = { failedMax: 0, lostMax: 0, p99MsMax: 2_000, p99RatioMax: 10, rssMiBMax: 512 } as const

export interface Row {
  readonly pressure: string
  readonly seconds: number
  readonly before: { readonly p50Ms: number; readonly p99Ms: number }
  readonly during: { readonly p50Ms: number; readonly p99Ms: number }
  readonly sent: number
  readonly failures: readonly string[]
  readonly rssBeforeMiB: number
  readonly rssPeakMiB: number
  readonly lost: number
  readonly counts: PressureCounts
  readonly broken: readonly string[]
}

interface Scenario {
  readonly platform: TestStack
  readonly databaseUrl: string
  readonly other: OtherTenant
  /** How long each pressure lasts, and half of it the observation before. */
  readonly seconds: number
  /** False where other programs share the processors: latency then says nothing of the gateway. */
  readonly boundsLatency: boolean
}

const sampleMs = 100

export async function runPressure(scenario: Scenario, pressure: NamedPressure): Promise<Row> {
  const { platform, other, seconds } = scenario
  const before = await observe(other, delay((seconds * 1000) / 2))
  const rssBeforeMiB = rssMiB(platform)
  let rssPeakMiB = rssBeforeMiB
  const sampler = setInterval(() => {
    rssPeakMiB = Math.max(rssPeakMiB, rssMiB(platform))
  }, sampleMs)
  const pressed = press({ ...pressure, port: platform.ports.gateway, seconds })
  const during = await observe(other, pressed)
  clearInterval(sampler)
  const lost = await lostRecords(scenario, [...before.traceIds, ...during.traceIds])
  const row = {
    pressure: pressure.name,
    seconds,
    before,
    during,
    sent: during.traceIds.length,
    failures: [...before.failures, ...during.failures],
    rssBeforeMiB,
    rssPeakMiB,
    lost,
    counts: await pressed,
  }
  return { ...row, broken: [...brokenBounds(row), ...(scenario.boundsLatency ? brokenLatency(row) : [])] }
}

function brokenBounds({ failures, lost, sent, rssPeakMiB, counts }: Omit<Row, 'broken'>): string[] {
  const broken: string[] = []
  if (failures.length > bounds.failedMax) {
    broken.push(`${failures.length} requests of the other tenant failed: ${[...new Set(failures)].join(', ')}`)
  }
  if (lost > bounds.lostMax) broken.push(`${lost} audit records of the other tenant are missing`)
  if (sent === 0) broken.push('the other tenant sent no request: nothing was shown')
  if (rssPeakMiB > bounds.rssMiBMax) broken.push(`the gateway took ${rssPeakMiB} MiB`)
  if (counts.written === 0) broken.push('no connection was made: there was no pressure')
  return broken
}

function brokenLatency({ before, during }: Omit<Row, 'broken'>): string[] {
  const p99MsMax = Math.max(bounds.p99MsMax, before.p99Ms * bounds.p99RatioMax)
  return during.p99Ms <= p99MsMax ? [] : [`p99 of the other tenant ${Math.round(during.p99Ms)} ms`]
}

function rssMiB(platform: TestStack): number {
  const status = readFileSync(`/proc/${platform.pid('gateway')}/status`, 'utf8')
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024)
}

const auditTimeoutMs = 60_000

/** The number of requests without a record in the audit service, after a delay for shipping. */
async function lostRecords({ platform, databaseUrl, other }: Scenario, traceIds: readonly string[]): Promise<number> {
  const name = new URL(platform.databases.audit.url).pathname.slice(1)
  return withClient(adminUrlOf(databaseUrl, name), async (client) => {
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
