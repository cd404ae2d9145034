import type { Caller } from '@payments/chassis/base/caller'
import type { RequestOf } from '@payments/contracts/grammar/contract'
import { encodeCursor, idBefore, type Page, pageOfPart } from '@payments/contracts/grammar/page'
import { Problem } from '@payments/contracts/grammar/problem'
import {
  type Code,
  type CodeWithLink,
  type inviteToPay,
  problems,
} from '@payments/contracts/services/invite-to-pay/contract'
import { decryptLink } from '../code/link.ts'
import type { Deps } from '../deps.ts'
import { type CodeFacts, presentSnapshot } from '../domain/code.ts'
import { findCode, list } from '../store/codes.ts'

export async function listCodes(
  { db }: Pick<Deps, 'db'>,
  { tenantId }: Caller,
  { cursor, limit, status, recipient, ...ids }: RequestOf<typeof inviteToPay.endpoints.listCodes>['query'],
): Promise<Page<Code>> {
  const before = idBefore(cursor)
  const filters = { businessUnitId: ids.business_unit_id, transactionId: ids.transaction_id, recipient, status }
  const part = await db.inTenant(tenantId, (tx) => list(tx, tenantId, { before, limit, filters }))
  return pageOfPart(part, encodeCursor, presentSnapshot)
}

/** Throws code_not_found. */
export async function readCode(deps: Pick<Deps, 'db'>, caller: Caller, codeId: string): Promise<Code> {
  return presentSnapshot(await requireCode(deps, caller, codeId))
}

/** Throws code_not_found. */
export async function revealCode(
  deps: Pick<Deps, 'db' | 'vault' | 'payBaseUrl'>,
  caller: Caller,
  codeId: string,
): Promise<CodeWithLink> {
  const code = await requireCode(deps, caller, codeId)
  return { ...presentSnapshot(code), url: await decryptLink(deps, code) }
}

async function requireCode({ db }: Pick<Deps, 'db'>, { tenantId }: Caller, codeId: string): Promise<CodeFacts> {
  const code = await db.readInTenant(tenantId, (tx) => findCode(tx, tenantId, codeId))
  if (code === null) throw new Problem(problems.code_not_found)
  return code
}
