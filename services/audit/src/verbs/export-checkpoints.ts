import type { ExportCheckpoint } from '../checkpoints/exporter.ts'
import type { Deps } from '../deps.ts'
import { presentSeal } from '../domain/seal.ts'
import { listNewestSeals } from '../store/seals.ts'

const chainsPerPage = 200
const exportedUpToMax = 100_000

export interface Exported {
  readonly exported: number
  /** Rewritten chains: their newest seal differs from the exported checkpoint of the same sequence. */
  readonly conflicts: readonly string[]
}

/** Exports the newest seal of every chain, unless `exportedUpTo` has its hash: the last exported hash per chain. */
export async function exportCheckpoints(
  deps: Pick<Deps, 'db'>,
  exportCheckpoint: ExportCheckpoint,
  exportedUpTo: Map<string, string>,
): Promise<Exported> {
  let exported = 0
  const conflicts: string[] = []
  if (exportedUpTo.size > exportedUpToMax) exportedUpTo.clear()
  for (let before: string | undefined; ; ) {
    const cursor = before
    const rows = await deps.db.acrossTenants((tx) => listNewestSeals(tx, cursor, chainsPerPage))
    for (const row of rows.slice(0, chainsPerPage)) {
      before = row.tenantId
      if (exportedUpTo.get(row.tenantId) === row.hash) continue
      const result = await exportCheckpoint(presentSeal(row))
      if (result === 'conflict') conflicts.push(row.tenantId)
      else exportedUpTo.set(row.tenantId, row.hash)
      if (result === 'exported') exported += 1
    }
    if (rows.length <= chainsPerPage) return { exported, conflicts }
  }
}
