import { type Finding, problems, type Seal } from '@payments/contracts/audit'
import { Problem } from '@payments/contracts/problem'
import type { Deps } from '../deps.ts'
import { beginning, faultOfLink, faultOfRecords, isPlausible, unkeyedVersion } from '../domain/chain.ts'
import { place } from '../domain/record.ts'
import { firstDayKept, presentSeal } from '../domain/seal.ts'
import { type ChainHead, findChain } from '../store/chains.ts'
import type { Tx } from '../store/database.ts'
import { findPositionsOutside, readStretch } from '../store/records.ts'
import { findSeal, readSeals } from '../store/seals.ts'

const sealsMax = 200
const recordsMax = 20_000
/** Read beyond the number a seal should have, so that a record too many is seen. */
const surplusMax = 100
const outsideMax = 10

/**
 * Recomputes one stretch of a chain: at most 200 seals, and no further seal once 20 000 records have been read.
 * All of it in one snapshot, so that records stored and sealed meanwhile are no findings. Throws chain_not_found.
 */
export function verifyChain(deps: Deps, tenantId: string, afterSequence: number) {
  return deps.db.inTenant(tenantId, (tx) => verifyStretch(tx, deps, tenantId, afterSequence), {
    isolationLevel: 'RepeatableRead',
  })
}

async function verifyStretch(tx: Tx, deps: Deps, tenantId: string, afterSequence: number) {
  const chain = await findChain(tx, tenantId)
  const anchor = afterSequence === 0 ? null : await findSeal(tx, tenantId, BigInt(afterSequence))
  if (chain === null || (afterSequence > 0 && anchor === null)) throw new Problem(problems.chain_not_found)
  const seals = (await readSeals(tx, tenantId, afterSequence, sealsMax)).map(presentSeal)
  const firstDay = firstDayKept(deps.now(), deps.retentionDays)
  const findings: Finding[] = []
  let before = anchor === null ? beginning : presentSeal(anchor)
  let checked = 0
  let beyond = 0
  let unkeyed = 0
  let done = 0
  for (const seal of seals) {
    if (checked >= recordsMax) break
    const link = faultOfLink(before, seal, deps.sealKeys)
    if (link !== undefined) findings.push(link)
    else if (seal.version === unkeyedVersion) unkeyed += 1
    const { records, fault } = await examine(tx, tenantId, seal, firstDay)
    if (fault === 'purged') beyond += 1
    else if (fault !== undefined) findings.push(fault)
    checked += records
    before = seal
    done += 1
  }
  const isEnd = done === seals.length && seals.length < sealsMax
  if (isEnd) findings.push(...(await examineEnd(tx, chain, before.sequence, before.to_position)))
  return {
    seals: seals.slice(0, done).map(({ sequence, hash }) => ({ sequence, hash })),
    records_checked: checked,
    beyond_retention: beyond,
    unkeyed,
    findings,
    next_after_sequence: isEnd ? null : before.sequence,
    unsealed: Number(chain.headPosition - chain.sealedPosition),
  }
}

/** Records whose day is no longer kept may be gone; while they are there, they must agree. */
async function examine(
  tx: Tx,
  tenantId: string,
  seal: Seal,
  firstDay: string,
): Promise<{ records: number; fault: Finding | 'purged' | undefined }> {
  if (!isPlausible(seal)) return { records: 0, fault: undefined }
  const [from, to] = [BigInt(seal.from_position), BigInt(seal.to_position)]
  const rowsMax = seal.to_position - seal.from_position + 1 + surplusMax
  const rows = await readStretch(tx, tenantId, { from, to, rowsMax })
  if (rows.length === 0 && seal.stored_on < firstDay) return { records: 0, fault: 'purged' }
  return { records: rows.length, fault: faultOfRecords(seal, rows.map(place)) }
}

/** The chain's own account of where it ends must agree with its last seal, and nothing may lie outside of it. */
async function examineEnd(tx: Tx, chain: ChainHead, sequence: number, position: number): Promise<Finding[]> {
  const findings: Finding[] = []
  if (Number(chain.sealedSequence) !== sequence || Number(chain.sealedPosition) !== position) {
    const detail = `the chain was sealed up to ${chain.sealedSequence}, and its last seal is ${sequence}`
    findings.push({ sequence: sequence + 1, kind: 'seal_removed', detail })
  }
  const outside = await findPositionsOutside(tx, chain.tenantId, chain.headPosition, outsideMax)
  if (outside.length > 0) {
    const detail = `positions ${outside.join(', ')} were never given out`
    findings.push({ sequence: sequence + 1, kind: 'record_inserted', detail })
  }
  return findings
}
