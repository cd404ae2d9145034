import { Problem } from '@payments/contracts/grammar/problem'
import { type Finding, problems, type Seal } from '@payments/contracts/services/audit/contract'
import type { Deps } from '../deps.ts'
import { chainStart, checkRecords, checkSeal, isPlausible } from '../domain/chain.ts'
import { toStoredRecord } from '../domain/record.ts'
import { firstRetainedDay, presentSeal } from '../domain/seal.ts'
import { type ChainHead, findChain } from '../store/chains.ts'
import type { Tx } from '../store/database.ts'
import { findPositionsOutside, readRange } from '../store/records.ts'
import { findSeal, readSeals } from '../store/seals.ts'

const sealsMax = 200
const recordsMax = 20_000
/** Records read beyond the number of a seal, so that surplus records are found. */
const surplusMax = 100
const outsidePositionsMax = 10

/**
 * Verifies one range of a chain: at most 200 seals, and no further seal after 20 000 records are read. The transaction
 * is a snapshot (RepeatableRead): records stored and sealed meanwhile are no findings. Throws chain_not_found.
 */
export async function verifyRange(
  tx: Tx,
  deps: Pick<Deps, 'now' | 'retentionDays' | 'sealKeys'>,
  tenantId: string,
  afterSequence: number,
) {
  const chain = await findChain(tx, tenantId)
  const startSeal = afterSequence === 0 ? null : await findSeal(tx, tenantId, BigInt(afterSequence))
  if (chain === null || (afterSequence > 0 && startSeal === null)) throw new Problem(problems.chain_not_found)
  const seals = (await readSeals(tx, tenantId, afterSequence, sealsMax)).map(presentSeal)
  const firstDay = firstRetainedDay(deps.now(), deps.retentionDays)
  const findings: Finding[] = []
  let previous = startSeal === null ? chainStart : presentSeal(startSeal)
  let checked = 0
  let purged = 0
  let done = 0
  for (const seal of seals) {
    if (checked >= recordsMax) break
    const finding = checkSeal(previous, seal, deps.sealKeys.keys)
    if (finding !== undefined) findings.push(finding)
    const { records, result } = await verifySeal(tx, tenantId, seal, firstDay)
    if (result === 'purged') purged += 1
    else if (result !== undefined) findings.push(result)
    checked += records
    previous = seal
    done += 1
  }
  const isEnd = done === seals.length && seals.length < sealsMax
  if (isEnd) findings.push(...(await verifyEnd(tx, chain, previous.sequence, previous.to_position)))
  return {
    seals: seals.slice(0, done).map(({ sequence, hash }) => ({ sequence, hash })),
    records_checked: checked,
    beyond_retention: purged,
    findings,
    next_after_sequence: isEnd ? null : previous.sequence,
    unsealed: Number(chain.headPosition - chain.sealedPosition),
  }
}

/** Records beyond the retention period may be purged; stored ones must agree with the seal. */
async function verifySeal(
  tx: Tx,
  tenantId: string,
  seal: Seal,
  firstDay: string,
): Promise<{ records: number; result: Finding | 'purged' | undefined }> {
  if (!isPlausible(seal)) return { records: 0, result: undefined }
  const [from, to] = [BigInt(seal.from_position), BigInt(seal.to_position)]
  const rowsMax = seal.to_position - seal.from_position + 1 + surplusMax
  const rows = await readRange(tx, tenantId, { from, to, rowsMax })
  if (rows.length === 0 && seal.stored_on < firstDay) return { records: 0, result: 'purged' }
  return { records: rows.length, result: checkRecords(seal, rows.map(toStoredRecord)) }
}

/** The head of the chain must agree with its last seal, and no record may have a position outside of the chain. */
async function verifyEnd(tx: Tx, chain: ChainHead, sequence: number, position: number): Promise<Finding[]> {
  const findings: Finding[] = []
  if (Number(chain.sealedSequence) !== sequence || Number(chain.sealedPosition) !== position) {
    const detail = `the chain head names seal ${chain.sealedSequence} as the last seal, but seal ${sequence} is the last`
    findings.push({ sequence: sequence + 1, kind: 'seal_removed', detail })
  }
  const outside = await findPositionsOutside(tx, chain.tenantId, chain.headPosition, outsidePositionsMax)
  if (outside.length > 0) {
    const detail = `records exist at positions ${outside.join(', ')}, which were never assigned`
    findings.push({ sequence: sequence + 1, kind: 'record_inserted', detail })
  }
  return findings
}
