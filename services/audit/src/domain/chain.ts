import { createHash } from 'node:crypto'
import type { AuditRecord, Finding, Seal } from '@payments/contracts/audit'

/**
 * The chain of a tenant.
 *
 * Its people: a record has a position, 1, 2, 3, … in the order of storing, given under a lock, so positions are committed in
 * order and have no gaps. A seal vouches for the records of a stretch of positions (by their number and a digest over them all)
 * and for the seal before it (by its hash). A checkpoint is a seal that somebody keeps where nobody of ours can write.
 *
 * Guarantees. A sealed record that is edited, removed, or put in later no longer agrees with its seal. A seal that is made anew
 * to agree no longer agrees with the next one, and a chain that is made anew from there on, or cut off, no longer agrees with a
 * checkpoint taken since. Because the order is that of storing, a record that arrives late is sealed late and breaks nothing.
 *
 * Not promised: anything about records before they are sealed, some seconds; or that nobody forges the newest records who
 * can write to the database and does so before a checkpoint is taken.
 */
export const genesis = '0'.repeat(64)

/** Stands for "no tenant": never the id of one. */
export const noTenant = '00000000-0000-0000-0000-000000000000'

export const chainOf = (tenantId: string | null): string =>
  tenantId === null || tenantId === 'none' ? noTenant : tenantId

export const tenantOf = (chain: string): string | null => (chain === noTenant ? null : chain)

export interface PlacedRecord {
  readonly position: number
  readonly record: AuditRecord
}

/** Each field by its place: a change of the order would change every digest, so there is a version in front. */
function imprintOf({ position, record }: PlacedRecord): string {
  const { actor } = record
  return JSON.stringify([
    1,
    position,
    record.id,
    record.occurred_at,
    record.trace_id,
    record.tenant_id,
    actor.type,
    actor.id,
    record.method,
    record.path,
    record.operation,
    record.permission,
    record.outcome,
    record.status,
    record.code,
    record.ip,
    record.user_agent,
    record.duration_ms,
  ])
}

/** SHA-256 over the records in the order of their positions, one line each. JSON has no line breaks, so none can be moved. */
export function digestOf(records: readonly PlacedRecord[]): string {
  const hash = createHash('sha256')
  for (const placed of records) hash.update(imprintOf(placed)).update('\n')
  return hash.digest('hex')
}

export function hashOf(seal: Omit<Seal, 'hash'>): string {
  const fields = [
    1,
    seal.tenant_id,
    seal.sequence,
    seal.from_position,
    seal.to_position,
    seal.stored_on,
    seal.digest,
    seal.previous_hash,
    seal.sealed_at,
  ]
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}

/** A seal of more is none of ours; reading what it claims could take for ever. */
export const recordsPerSealMax = 5_000

/** What comes before the first seal of a stretch. */
export type Anchor = Pick<Seal, 'sequence' | 'to_position' | 'hash'>
export const beginning: Anchor = { sequence: 0, to_position: 0, hash: genesis }

/** What is wrong with a seal as the successor of another. */
export function faultOfLink(before: Anchor, seal: Seal): Finding | undefined {
  const { sequence } = seal
  if (sequence !== before.sequence + 1) {
    const detail = `after seal ${before.sequence} comes seal ${sequence}`
    return { sequence: before.sequence + 1, kind: 'seal_removed', detail }
  }
  const { hash, ...hashed } = seal
  const faults = [
    ...(hashOf(hashed) === hash ? [] : ['its hash is not that of its fields']),
    ...(seal.previous_hash === before.hash ? [] : ['it does not name the hash of the seal before']),
    ...(isPlausible(seal) ? [] : ['it claims more records than a seal has']),
    ...(seal.from_position === before.to_position + 1 ? [] : ['it does not begin where the seal before ends']),
  ]
  return faults.length === 0 ? undefined : { sequence, kind: 'seal_rewritten', detail: faults.join('; ') }
}

export function isPlausible({ from_position: from, to_position: to }: Seal): boolean {
  return to >= from && to - from < recordsPerSealMax
}

/** What is wrong with the records of a seal; `records` are all that are stored within its positions, in their order. */
export function faultOfRecords(seal: Seal, records: readonly PlacedRecord[]): Finding | undefined {
  const { sequence } = seal
  const counts = new Map<number, number>()
  for (const { position } of records) counts.set(position, (counts.get(position) ?? 0) + 1)
  const missing: number[] = []
  for (let position = seal.from_position; position <= seal.to_position; position++) {
    if (!counts.has(position)) missing.push(position)
  }
  if (missing.length > 0) return { sequence, kind: 'record_removed', detail: `positions ${some(missing)} are empty` }
  const doubled = [...counts].filter(([, count]) => count > 1).map(([position]) => position)
  if (doubled.length > 0) {
    return { sequence, kind: 'record_inserted', detail: `positions ${some(doubled)} have more than one record` }
  }
  if (digestOf(records) === seal.digest) return undefined
  const detail = `the digest of positions ${seal.from_position} to ${seal.to_position} is another`
  return { sequence, kind: 'record_edited', detail }
}

const shownMax = 10

function some(positions: readonly number[]): string {
  const shown = positions.slice(0, shownMax).join(', ')
  return positions.length > shownMax ? `${shown} and ${positions.length - shownMax} more` : shown
}
