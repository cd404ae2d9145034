import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { type CodeWithLink, problems } from '@payments/contracts/services/invite-to-pay/contract'
import { decryptLink } from '../code/link.ts'
import type { Deps } from '../deps.ts'
import { presentSnapshot } from '../domain/code.ts'
import { findCode } from '../store/codes.ts'

/** Throws code_not_found. */
export async function revealCode(
  deps: Pick<Deps, 'db' | 'vault' | 'payBaseUrl'>,
  { tenantId }: Caller,
  codeId: string,
): Promise<CodeWithLink> {
  const code = await deps.db.readInTenant(tenantId, (tx) => findCode(tx, tenantId, codeId))
  if (code === null) throw new Problem(problems.code_not_found)
  return { ...presentSnapshot(code), url: await decryptLink(deps, code) }
}
