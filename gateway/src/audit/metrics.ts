import { Counter, Gauge, type Registry } from 'prom-client'

export interface SpoolMetrics {
  refused(reason: 'full' | 'unverified_full' | 'failing'): void
  folded(): void
  writeFailed(): void
  shipFailed(): void
  torn(bytes: number): void
}

/** Alerts: AuditRefusing on any increase of the first; AuditFileGrowing when the file is half of AUDIT_FILE_BYTES_MAX. */
export function createSpoolMetrics(
  registry: Registry,
  sizes: { fileBytes: () => number; unshippedBytes: () => number },
): SpoolMetrics {
  const registers = [registry]
  const refused = new Counter({
    name: 'audit_refused_requests_total',
    help: 'Requests answered 503 because no audit record could be written; they have none',
    labelNames: ['reason'],
    registers,
  })
  const writeFailures = new Counter({
    name: 'audit_file_write_failures_total',
    help: 'Writes and syncs of the audit file that the disk refused; each is tried again',
    registers,
  })
  const shipFailures = new Counter({
    name: 'audit_ship_failures_total',
    help: 'Messages of audit records that the broker did not confirm; each is sent again',
    registers,
  })
  const folded = new Counter({
    name: 'audit_folded_requests_total',
    help: 'Requests without a verified credential that were counted in a record of many',
    registers,
  })
  const torn = new Counter({ name: 'audit_torn_bytes_total', help: 'Bytes after the last whole record', registers })
  new Gauge({
    name: 'audit_file_bytes',
    help: 'Size of the audit file',
    registers,
    collect() {
      this.set(sizes.fileBytes())
    },
  })
  new Gauge({
    name: 'audit_unshipped_bytes',
    help: 'Audit records that the broker has not confirmed yet',
    registers,
    collect() {
      this.set(sizes.unshippedBytes())
    },
  })
  return {
    refused: (reason) => refused.inc({ reason }),
    folded: () => folded.inc(),
    writeFailed: () => writeFailures.inc(),
    shipFailed: () => shipFailures.inc(),
    torn: (bytes) => torn.inc(bytes),
  }
}
