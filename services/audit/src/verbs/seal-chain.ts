import type { Deps } from '../deps.ts'
import { digestOf, genesis, hashOf, keyedVersion, recordsPerSealMax } from '../domain/chain.ts'
import { place } from '../domain/record.ts'
import { presentSeal, type SealFacts } from '../domain/seal.ts'
import { advanceSealed, becomeSealer, findChain } from '../store/chains.ts'
import { readStretch } from '../store/records.ts'
import { findSeal, insertSeal } from '../store/seals.ts'

/**
 * Seals the next stretch of a chain: at most 5000 records, all stored on one day, so that a day's partition can be dropped
 * without tearing a seal apart. False where there is nothing to seal, or another process is sealing.
 */
export function sealChain(deps: Deps, tenantId: string): Promise<boolean> {
  return deps.db.inTenant(tenantId, async (tx) => {
    if (!(await becomeSealer(tx))) return false
    const chain = await findChain(tx, tenantId)
    if (chain === null || chain.headPosition <= chain.sealedPosition) return false
    const from = chain.sealedPosition + 1n
    const rows = await readStretch(tx, tenantId, { from, to: chain.headPosition, rowsMax: recordsPerSealMax })
    const [first] = rows
    const ofOneDay = rows.filter((row) => row.storedOn.getTime() === first?.storedOn.getTime())
    const last = rows[ofOneDay.length - 1]
    if (first === undefined || last === undefined || Number(last.position - from) !== ofOneDay.length - 1) {
      throw new Error(`the chain of ${tenantId} has no record at some position from ${from} on: it cannot be sealed`)
    }
    const previous = await findSeal(tx, tenantId, chain.sealedSequence)
    const seal: SealFacts = {
      version: keyedVersion,
      keyId: deps.sealKeys.current,
      tenantId,
      sequence: chain.sealedSequence + 1n,
      fromPosition: from,
      toPosition: last.position,
      storedOn: first.storedOn,
      digest: digestOf(keyedVersion, ofOneDay.map(place)),
      previousHash: previous?.hash ?? genesis,
      hash: '',
      sealedAt: deps.now(),
    }
    const hash = hashOf(presentSeal(seal), deps.sealKeys.keys)
    if (hash === undefined) throw new Error(`there is no key ${seal.keyId} to seal with`)
    await insertSeal(tx, tenantId, { ...seal, hash })
    await advanceSealed(tx, tenantId, seal.toPosition, seal.sequence)
    return true
  })
}
