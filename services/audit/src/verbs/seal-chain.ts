import type { Deps } from '../deps.ts'
import { digestRecords, genesis, hashSeal, recordsPerSealMax, sealVersion } from '../domain/chain.ts'
import { toStoredRecord } from '../domain/record.ts'
import { presentSeal, type SealFacts } from '../domain/seal.ts'
import { countRequests, listHours } from '../domain/statistics.ts'
import { advanceSealed, findChain, tryLockSealing } from '../store/chains.ts'
import { readRange } from '../store/records.ts'
import { findSeal, insertSeal } from '../store/seals.ts'
import { addCounts, findCodes } from '../store/statistics.ts'

/**
 * Seals the next range of a chain: at most 5000 records of one day, so that dropping the partition of a day removes
 * whole ranges. Counts their requests by hour in the same transaction, so each request is counted once. Returns false
 * when all records are sealed, or while another process seals.
 */
export function sealChain(deps: Deps, tenantId: string): Promise<boolean> {
  return deps.db.inTenant(tenantId, async (tx) => {
    if (!(await tryLockSealing(tx))) return false
    const chain = await findChain(tx, tenantId)
    if (chain === null || chain.headPosition <= chain.sealedPosition) return false
    const from = chain.sealedPosition + 1n
    const rows = await readRange(tx, tenantId, { from, to: chain.headPosition, rowsMax: recordsPerSealMax })
    const [first] = rows
    const sameDay = rows.filter((row) => row.storedOn.getTime() === first?.storedOn.getTime())
    const last = rows[sameDay.length - 1]
    if (first === undefined || last === undefined || Number(last.position - from) !== sameDay.length - 1) {
      throw new Error(`the chain of ${tenantId} lacks a record at a position from ${from} on`)
    }
    const stored = sameDay.map(toStoredRecord)
    const previous = await findSeal(tx, tenantId, chain.sealedSequence)
    const seal: SealFacts = {
      version: sealVersion,
      keyId: deps.sealKeys.current,
      tenantId,
      sequence: chain.sealedSequence + 1n,
      fromPosition: from,
      toPosition: last.position,
      storedOn: first.storedOn,
      digest: digestRecords(stored),
      previousHash: previous?.hash ?? genesis,
      hash: '',
      sealedAt: deps.now(),
    }
    const hash = hashSeal(presentSeal(seal), deps.sealKeys.keys)
    if (hash === undefined) throw new Error(`the seal key ${seal.keyId} is not configured`)
    await insertSeal(tx, tenantId, { ...seal, hash })
    await advanceSealed(tx, tenantId, seal.toPosition, seal.sequence)
    const records = stored.map(({ record }) => record)
    await addCounts(tx, tenantId, countRequests(records, await findCodes(tx, tenantId, listHours(records))))
    return true
  })
}
