import type { Caller } from '@payments/chassis/base/caller'
import { once } from '@payments/chassis/request/idempotency'
import { Problem } from '@payments/contracts/grammar/problem'
import { type Code, problems } from '@payments/contracts/services/invite-to-pay/contract'
import { changeCode } from '../code/change-code.ts'
import type { Deps } from '../deps.ts'
import { notActive } from '../domain/changes.ts'
import { presentSnapshot } from '../domain/code.ts'
import { allows, columnsAfter } from '../domain/code-state.ts'
import { lockCode } from '../store/codes.ts'
import type { Tx } from '../store/database.ts'

/** Throws code_not_found, code_not_active. */
export function cancelCode({ db }: Pick<Deps, 'db'>, caller: Caller, codeId: string): Promise<Code> {
  const { tenantId, traceId } = caller
  const cancel = async (tx: Tx) => {
    const code = await lockCode(tx, tenantId, codeId)
    if (code === null) throw new Problem(problems.code_not_found)
    if (!allows(code.status, 'cancelByRequest')) throw notActive(code.status)
    return presentSnapshot(await changeCode(tx, code, columnsAfter('cancelByRequest'), traceId))
  }
  return once(db, caller, cancel)
}
