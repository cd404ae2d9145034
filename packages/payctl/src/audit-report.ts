import type { Finding } from '@payments/contracts/services/audit/contract'

/** The result of the verification of one chain. */
export interface AuditReport {
  readonly tenant_id: string | null
  seals: number
  records_checked: number
  beyond_retention: number
  unsealed: number
  checkpoints_met: number
  findings: (Pick<Finding, 'sequence' | 'detail'> & { kind: Finding['kind'] | 'checkpoint_missed' })[]
}
