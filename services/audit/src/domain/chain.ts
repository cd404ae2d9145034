import { createHash, createHmac, type KeyObject } from 'node:crypto'
import type { AuditRecord, Finding, Seal } from '@payments/contracts/services/audit/contract'

/**
 * **What it does.** The chain of a tenant makes every later change of stored records evident. The README of the service
 * has the terms and the path of a record.
 *
 * **Guarantees.**
 * 1. A sealed record that is edited, removed or inserted disagrees with its seal.
 * 2. Without the key, which is never in the database, the chain cannot be rebuilt.
 * 3. A chain that is truncated before its last checkpoint, or that the service sealed again, disagrees with a
 *    checkpoint.
 *
 * **Not guaranteed.** Protection, against write access to the database, of records that are not sealed yet, and of what
 * follows the last checkpoint.
 */
export const genesis = '0'.repeat(64)

/** Id of the chain of records without a tenant. No tenant has this id. */
const noTenant = '00000000-0000-0000-0000-000000000000'

export const toChainId = (tenantId: string | null): string =>
  tenantId === null || tenantId === 'none' ? noTenant : tenantId

export const toTenantId = (chain: string): string | null => (chain === noTenant ? null : chain)

export interface SealKeys {
  /** By id. Contains earlier keys, with which earlier seals are verified. */
  readonly keys: ReadonlyMap<string, KeyObject>
  /** The id of the key for new seals. */
  readonly current: string
}

export interface PositionedRecord {
  readonly position: number
  readonly record: AuditRecord
}

/** A record that was read from the database. The seal contains the day of all its records. */
export interface StoredRecord extends PositionedRecord {
  /** Day of storing in UTC, `2026-01-31`. */
  readonly storedOn: string
}

/** Of the canonical form of records and seals. */
export const sealVersion = 2

/** Canonical form: fields in a fixed order, the version first, since another order changes every digest. */
function canonicalRecord({ position, record }: PositionedRecord): string {
  const { actor } = record
  return JSON.stringify([
    sealVersion,
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
    record.client_gone,
    record.count,
    record.client,
  ])
}

/** SHA-256 over the records by position, one line each. JSON contains no line breaks, so the lines are unambiguous. */
export function digestRecords(records: readonly PositionedRecord[]): string {
  const hash = createHash('sha256')
  for (const positioned of records) hash.update(canonicalRecord(positioned)).update('\n')
  return hash.digest('hex')
}

/** HMAC-SHA256 over every field. Undefined when the key is not configured. */
export function hashSeal(seal: Omit<Seal, 'hash'>, keys: SealKeys['keys']): string | undefined {
  const key = keys.get(seal.key_id ?? '')
  if (key === undefined) return undefined
  const fields = [
    seal.version,
    seal.tenant_id,
    seal.sequence,
    seal.from_position,
    seal.to_position,
    seal.stored_on,
    seal.digest,
    seal.previous_hash,
    seal.sealed_at,
    seal.key_id,
  ]
  return createHmac('sha256', key).update(JSON.stringify(fields)).digest('hex')
}

/** A larger range is not of this service. The limit bounds the reads of a verification. */
export const recordsPerSealMax = 5_000

/** The seal before the first seal of a verified range. */
export type PreviousSeal = Pick<Seal, 'sequence' | 'to_position' | 'hash'>
export const chainStart: PreviousSeal = { sequence: 0, to_position: 0, hash: genesis }

/** Checks a seal against its previous seal. Returns the finding, or undefined. */
export function checkSeal(previous: PreviousSeal, seal: Seal, keys: SealKeys['keys']): Finding | undefined {
  const { sequence } = seal
  if (sequence !== previous.sequence + 1) {
    const detail = `seal ${previous.sequence} is followed by seal ${sequence}`
    return { sequence: previous.sequence + 1, kind: 'seal_removed', detail }
  }
  const faults = [
    ...hashFaults(seal, keys),
    ...(seal.previous_hash === previous.hash ? [] : ['its previous_hash is not the hash of the previous seal']),
    ...(isPlausible(seal) ? [] : ['its range of positions is empty or too large']),
    ...(seal.from_position === previous.to_position + 1
      ? []
      : ['its range does not start after the range of the previous seal']),
  ]
  return faults.length === 0 ? undefined : { sequence, kind: 'seal_rewritten', detail: faults.join('; ') }
}

function hashFaults({ hash, ...hashed }: Seal, keys: SealKeys['keys']): string[] {
  if (hashed.version !== sealVersion) return [`its version ${hashed.version} is unknown`]
  const expected = hashSeal(hashed, keys)
  if (expected === undefined) return [`its key ${hashed.key_id} is not in AUDIT_SEAL_KEYS`]
  return expected === hash ? [] : ['its hash does not match its fields']
}

export function isPlausible({ from_position: from, to_position: to }: Seal): boolean {
  return to >= from && to - from < recordsPerSealMax
}

/** Checks all stored `records` in the range of a seal, ordered by position. Returns the finding, or undefined. */
export function checkRecords(seal: Seal, records: readonly StoredRecord[]): Finding | undefined {
  const { sequence } = seal
  const counts = new Map<number, number>()
  for (const { position } of records) counts.set(position, (counts.get(position) ?? 0) + 1)
  const missing: number[] = []
  for (let position = seal.from_position; position <= seal.to_position; position++) {
    if (!counts.has(position)) missing.push(position)
  }
  if (missing.length > 0)
    return { sequence, kind: 'record_removed', detail: `no record exists at positions ${formatPositions(missing)}` }
  const doubled = [...counts].filter(([, count]) => count > 1).map(([position]) => position)
  if (doubled.length > 0) {
    return {
      sequence,
      kind: 'record_inserted',
      detail: `more than one record exists at positions ${formatPositions(doubled)}`,
    }
  }
  const edited = records.filter((record) => record.storedOn !== seal.stored_on)
  if (edited.length > 0) {
    const positions = formatPositions(edited.map(({ position }) => position))
    return {
      sequence,
      kind: 'record_edited',
      detail: `records at positions ${positions} have values that the seal rules out`,
    }
  }
  if (digestRecords(records) === seal.digest) return undefined
  const detail = `the digest of positions ${seal.from_position} to ${seal.to_position} differs from that of the seal`
  return { sequence, kind: 'record_edited', detail }
}

const positionsShownMax = 10

function formatPositions(positions: readonly number[]): string {
  const shown = positions.slice(0, positionsShownMax).join(', ')
  return positions.length > positionsShownMax ? `${shown} and ${positions.length - positionsShownMax} more` : shown
}
