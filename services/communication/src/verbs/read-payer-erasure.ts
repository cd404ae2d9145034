import { Problem } from '@payments/contracts/grammar/problem'
import { type PayerErasure, payerProblems } from '@payments/contracts/services/communication/payers'
import type { Deps } from '../deps.ts'
import { presentErasure } from '../domain/payer-erasure.ts'
import { findRequest } from '../store/payer-erasures.ts'

/** For operators. Throws payer_erasure_not_found. */
export function readPayerErasure({ db }: Pick<Deps, 'db'>, erasureId: string): Promise<PayerErasure> {
  return db.acrossTenants(async (tx) => {
    const request = await findRequest(tx, erasureId)
    if (request === null) throw new Problem(payerProblems.payer_erasure_not_found)
    return presentErasure(request)
  })
}
