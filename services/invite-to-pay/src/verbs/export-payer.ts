import type { Exported, ExportQuery } from '@payments/contracts/endpoints/payer-export'
import { normalizeAddress } from '@payments/contracts/nouns/payer-erasure'
import type { CodeOfPayer } from '@payments/contracts/services/invite-to-pay/contract'
import type { Deps } from '../deps.ts'
import { type CodeFacts, presentSnapshot } from '../domain/code.ts'
import { listPayerCodes } from '../store/payers.ts'

/** For operators: the codes of a payer of a tenant, without their links. */
export async function exportPayer(
  { db }: Pick<Deps, 'db'>,
  tenantId: string,
  { recipient, after, limit }: ExportQuery,
): Promise<Exported<CodeOfPayer>> {
  const page = { tenantId, address: normalizeAddress(recipient), position: after, limit }
  const { codes, position } = await db.readInTenant(tenantId, (tx) => listPayerCodes(tx, page))
  return { data: codes.map(presentCode), next_after: position }
}

const presentCode = (code: CodeFacts): CodeOfPayer => ({
  ...presentSnapshot(code),
  payer_locale: code.payerLocale,
  payer_time_zone: code.payerTimeZone,
})
