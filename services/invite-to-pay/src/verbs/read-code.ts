import type { Caller } from '@payments/chassis/caller'
import { type Code, problems } from '@payments/contracts/invite-to-pay'
import { Problem } from '@payments/contracts/problem'
import { decryptLink } from '../code/link.ts'
import type { Deps } from '../deps.ts'
import { presentCode } from '../domain/code.ts'
import { findCode } from '../store/codes.ts'

/** Throws code_not_found. */
export async function readCode(
  deps: Pick<Deps, 'db' | 'vault' | 'payBaseUrl'>,
  { tenantId }: Caller,
  codeId: string,
): Promise<Code> {
  const code = await deps.db.inTenant(tenantId, (tx) => findCode(tx, tenantId, codeId))
  if (code === null) throw new Problem(problems.code_not_found)
  return presentCode(code, await decryptLink(deps, code))
}
