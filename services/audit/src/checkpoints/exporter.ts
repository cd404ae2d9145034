import type { Seal } from '@payments/contracts/audit'

/** exported: now written · present: written before, the same · conflict: written before, and another. */
export type ExportResult = 'exported' | 'present' | 'conflict'

/** Write-once storage for checkpoints: what was exported is never changed or deleted, not by this service either. */
export interface CheckpointExporter {
  /** Resolves when the checkpoint is durable. Rejects where the storage does not take it; the next run tries again. */
  export(checkpoint: Seal): Promise<ExportResult>
}
