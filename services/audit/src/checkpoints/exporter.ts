import type { Seal } from '@payments/contracts/services/audit/contract'

/** exported: written now · present: the same content exists · conflict: another content exists. */
export type ExportResult = 'exported' | 'present' | 'conflict'

/** Write-once storage for checkpoints. No process, this service included, changes or deletes an exported checkpoint. */
export interface CheckpointExporter {
  /** Resolves when the checkpoint is durable. Rejects when the storage fails; the next run tries again. */
  export(checkpoint: Seal): Promise<ExportResult>
}
