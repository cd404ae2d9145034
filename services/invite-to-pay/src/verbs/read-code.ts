import type { Caller } from '@payments/chassis/base/caller'
import { Problem } from '@payments/contracts/grammar/problem'
import { type Code, problems } from '@payments/contracts/services/invite-to-pay/contract'
import type { Deps } from '../deps.ts'
import { presentSnapshot } from '../domain/code.ts'
import { findCode } from '../store/codes.ts'

/** Throws code_not_found. */
export async function readCode({ db }: Pick<Deps, 'db'>, { tenantId }: Caller, codeId: string): Promise<Code> {
  const code = await db.readInTenant(tenantId, (tx) => findCode(tx, tenantId, codeId))
  if (code === null) throw new Problem(problems.code_not_found)
  return presentSnapshot(code)
}
