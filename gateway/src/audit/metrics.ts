import { Counter, Gauge, type Registry } from 'prom-client'

export interface SpoolMetrics {
  rejected(reason: 'full' | 'unverified_full' | 'failing'): void
  folded(): void
  writeFailed(): void
  shipFailed(): void
  torn(bytes: number): void
}

/** Alerts: any increase of `audit_refused_requests_total`; `audit_file_bytes` above half of AUDIT_FILE_BYTES_MAX. */
export function createSpoolMetrics(
  registry: Registry,
  sizes: { fileBytes: () => number; unshippedBytes: () => number },
): SpoolMetrics {
  const registers = [registry]
  const rejected = new Counter({
    name: 'audit_refused_requests_total',
    help: 'Requests without an audit record, rejected with 503 because none could be written',
    labelNames: ['reason'],
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
  const torn = new Counter({
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
    name: 'audit_unshipped_bytes',
    help: 'Bytes of audit records that the broker has not confirmed',
    registers,
    collect() {
      this.set(sizes.unshippedBytes())
    },
  })
  return {
    rejected: (reason) => rejected.inc({ reason }),
    folded: () => folded.inc(),
    writeFailed: () => writeFailures.inc(),
    shipFailed: () => shipFailures.inc(),
    torn: (bytes) => torn.inc(bytes),
  }
}
