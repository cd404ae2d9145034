import type { Metrics } from '@payments/chassis/process/metrics'
import { contracts } from '@payments/contracts/edges/contracts'
import type { Endpoint } from '@payments/contracts/grammar/contract'
import { commonProblems } from '@payments/contracts/grammar/problem'
import type { AuditRecord } from '@payments/contracts/services/audit/contract'
import { Counter, Gauge, type Registry } from 'prom-client'

export type SpoolCounters = ReturnType<typeof createSpoolCounters>

export function createSpoolCounters(
  registry: Registry,
  sizes: { fileBytes: () => number; fileBytesMax: number; unshippedBytes: () => number },
) {
  const registers = [registry]
  const rejected = new Counter({
    name: 'audit_refused_requests_total',
    help: 'Requests without an audit record, rejected with 503 because none could be written',
    labelNames: ['reason'] as const,
    registers,
  })
  const writeFailures = new Counter({
    name: 'audit_file_write_failures_total',
    help: 'Failed writes and syncs of the audit spool; each is retried',
    registers,
  })
  const shipFailures = new Counter({
    name: 'audit_ship_failures_total',
    help: 'Messages of audit records that the broker did not confirm; each is published again',
    registers,
  })
  const folded = new Counter({
    name: 'audit_folded_requests_total',
    help: 'Requests without a verified credential that share an audit record with others',
    registers,
  })
  const tornBytes = new Counter({
    name: 'audit_torn_bytes_total',
    help: 'Bytes of truncated audit records, skipped by the shipper',
    registers,
  })
  new Gauge({
    name: 'audit_file_bytes',
    help: 'Size of the audit spool in bytes',
    registers,
    collect() {
      this.set(sizes.fileBytes())
    },
  })
  new Gauge({
    name: 'audit_file_limit_bytes',
    help: 'Size at which the audit spool is full: AUDIT_FILE_BYTES_MAX',
    registers,
  }).set(sizes.fileBytesMax)
  new Gauge({
    name: 'audit_unshipped_bytes',
    help: 'Bytes of audit records that the broker has not confirmed',
    registers,
    collect() {
      this.set(sizes.unshippedBytes())
    },
  })
  // An alert on an increase requires the series from the start.
  for (const reason of ['full', 'unverified_full', 'failing']) rejected.inc({ reason }, 0)
  return { rejected, folded, writeFailures, shipFailures, tornBytes }
}

/** Measures each recorded request: its duration, and its problem if it has one. */
export function createRecordObserver({ registry, observeRequest }: Metrics): (record: AuditRecord) => void {
  const problems = new Counter({
    name: 'gateway_problems_total',
    help: 'Recorded responses with a problem, by its code; those of services included',
    labelNames: ['code'],
    registers: [registry],
  })
  for (const { code } of Object.values(commonProblems)) problems.inc({ code }, 0)
  const waits = listWaitingOperations()
  return ({ operation, status, duration_ms: durationMs, code }) => {
    // The duration of a wait says nothing about the gateway.
    const seconds = operation !== null && waits.has(operation) ? 0 : durationMs / 1000
    observeRequest(operation ?? 'none', status, seconds)
    if (code !== null) problems.inc({ code })
  }
}

function listWaitingOperations(): ReadonlySet<string> {
  const endpoints = contracts.flatMap((contract): [string, Endpoint][] => Object.entries(contract.endpoints))
  return new Set(endpoints.filter(([, { waits }]) => waits === true).map(([operation]) => operation))
}
