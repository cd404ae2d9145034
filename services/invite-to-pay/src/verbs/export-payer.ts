import { type Exported, type ExportQuery, exportedOf } from '@payments/contracts/endpoints/payer-export'
import { addressOf } from '@payments/contracts/nouns/payer-erasure'
import type { Deps } from '../deps.ts'
import { type CodeSnapshot, presentSnapshot } from '../domain/code.ts'
import { listPayerCodes } from '../store/payers.ts'

/** For operators: the codes of a payer of a tenant, without their links. */
export async function exportPayer(
  { db }: Pick<Deps, 'db'>,
  tenantId: string,
  { recipient, after, limit }: ExportQuery,
): Promise<Exported<CodeSnapshot>> {
  const query = { address: addressOf(recipient), after, limit }
  const codes = await db.readInTenant(tenantId, (tx) => listPayerCodes(tx, tenantId, query))
  return exportedOf(codes.map(presentSnapshot), limit)
}
