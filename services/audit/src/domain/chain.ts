import { createHash, createHmac } from 'node:crypto'
import type { AuditRecord, Finding, Seal } from '@payments/contracts/services/audit/contract'
import type { SealKeys } from './seal-keys.ts'

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
 * **Not guaranteed.** Protection, against write access to the database, of records that are not sealed yet, of what
 * follows the last checkpoint, and of seals of version 1, which only a later keyed seal or a checkpoint protects.
 */
export const genesis = '0'.repeat(64)

/** Id of the chain of records without a tenant. No tenant has this id. */
const noTenant = '00000000-0000-0000-0000-000000000000'

export const chainOf = (tenantId: string | null): string =>
  tenantId === null || tenantId === 'none' ? noTenant : tenantId

export const tenantOf = (chain: string): string | null => (chain === noTenant ? null : chain)

export interface PositionedRecord {
  readonly position: number
  readonly record: AuditRecord
}

/** A record that was read from the database. The seal contains the day of all its records. */
export interface StoredRecord extends PositionedRecord {
  /** Day of storing in UTC, `2026-01-31`. */
  readonly storedOn: string
}

export const unkeyedVersion = 1
export const keyedVersion = 2

/**
 * Canonical form: fields in a fixed order, the version first, since another order changes every digest. The form of a
 * record without a client is that of the releases before `client`, so their seals verify.
 */
function canonicalRecord(version: number, { position, record }: PositionedRecord): string {
  const { actor } = record
  return JSON.stringify([
    version,
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
    ...(version === unkeyedVersion ? [] : [record.client_gone, record.count, ...clientOf(record)]),
  ])
}

const clientOf = ({ client }: AuditRecord) => (client === null ? [] : [client])

/** SHA-256 over the records by position, one line each. JSON contains no line breaks, so the lines are unambiguous. */
export function digestOf(version: number, records: readonly PositionedRecord[]): string {
  const hash = createHash('sha256')
  for (const positioned of records) hash.update(canonicalRecord(version, positioned)).update('\n')
  return hash.digest('hex')
}

/** SHA-256 (version 1) or HMAC-SHA256 (version 2) over every field. Undefined when the key is not configured. */
export function hashOf(seal: Omit<Seal, 'hash'>, keys: SealKeys['keys']): string | undefined {
  const fields: unknown[] = [
    seal.version,
    seal.tenant_id,
    seal.sequence,
    seal.from_position,
    seal.to_position,
    seal.stored_on,
    seal.digest,
    seal.previous_hash,
    seal.sealed_at,
  ]
  if (seal.version === unkeyedVersion) return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
  const key = keys.get(seal.key_id ?? '')
  if (key === undefined || seal.version !== keyedVersion) return undefined
  return createHmac('sha256', key)
    .update(JSON.stringify([...fields, seal.key_id]))
    .digest('hex')
}

/** A larger range is not of this service. The limit bounds the reads of a verification. */
export const recordsPerSealMax = 5_000

/** The seal before the first seal of a verified range. */
export type PreviousSeal = Pick<Seal, 'version' | 'sequence' | 'to_position' | 'hash'>
export const chainStart: PreviousSeal = { version: unkeyedVersion, sequence: 0, to_position: 0, hash: genesis }

/** Checks a seal against its previous seal. Returns the finding, or undefined. */
export function checkSeal(previous: PreviousSeal, seal: Seal, sealKeys: SealKeys): Finding | undefined {
  const { sequence } = seal
  if (sequence !== previous.sequence + 1) {
    const detail = `seal ${previous.sequence} is followed by seal ${sequence}`
    return { sequence: previous.sequence + 1, kind: 'seal_removed', detail }
  }
  const faults = [
    ...hashFaults(seal, sealKeys.keys),
    ...(seal.previous_hash === previous.hash ? [] : ['its previous_hash is not the hash of the previous seal']),
    ...(isPlausible(seal) ? [] : ['its range of positions is empty or too large']),
    ...(seal.from_position === previous.to_position + 1
      ? []
      : ['its range does not start after the range of the previous seal']),
  ]
  if (faults.length > 0) return { sequence, kind: 'seal_rewritten', detail: faults.join('; ') }
  return checkVersion(previous, seal, sealKeys)
}

function hashFaults({ hash, ...hashed }: Seal, keys: SealKeys['keys']): string[] {
  const expected = hashOf(hashed, keys)
  if (expected === undefined) return [`its key ${hashed.key_id} is not in AUDIT_SEAL_KEYS`]
  return expected === hash ? [] : ['its hash does not match its fields']
}

/** Checks a seal without a key, which the owner of the database can compute. */
function checkVersion(previous: PreviousSeal, seal: Seal, { unkeyedBefore }: SealKeys): Finding | undefined {
  const { version, sequence, sealed_at: sealedAt, stored_on: storedOn } = seal
  if (version !== unkeyedVersion) return undefined
  if (previous.version !== unkeyedVersion) {
    return { sequence, kind: 'seal_unkeyed', detail: 'a seal without a key follows a keyed seal' }
  }
  const isEarly = unkeyedBefore !== null && Date.parse(sealedAt) < unkeyedBefore.getTime()
  if (isEarly && Date.parse(storedOn) < unkeyedBefore.getTime()) return undefined
  return {
    sequence,
    kind: 'seal_unkeyed',
    detail: 'a seal without a key is accepted only before AUDIT_UNKEYED_SEALS_BEFORE',
  }
}

export function isPlausible({ from_position: from, to_position: to }: Seal): boolean {
  return to >= from && to - from < recordsPerSealMax
}

/** Checks all stored `records` in the range of a seal, ordered by position. Returns the finding, or undefined. */
export function checkRecords(seal: Seal, records: readonly StoredRecord[]): Finding | undefined {
  const { sequence, version } = seal
  const counts = new Map<number, number>()
  for (const { position } of records) counts.set(position, (counts.get(position) ?? 0) + 1)
  const missing: number[] = []
  for (let position = seal.from_position; position <= seal.to_position; position++) {
    if (!counts.has(position)) missing.push(position)
  }
  if (missing.length > 0)
    return { sequence, kind: 'record_removed', detail: `no record exists at positions ${listed(missing)}` }
  const doubled = [...counts].filter(([, count]) => count > 1).map(([position]) => position)
  if (doubled.length > 0) {
    return { sequence, kind: 'record_inserted', detail: `more than one record exists at positions ${listed(doubled)}` }
  }
  const edited = records.filter((record) => record.storedOn !== seal.stored_on || hasUnsealedField(version, record))
  if (edited.length > 0) {
    const positions = listed(edited.map(({ position }) => position))
    return {
      sequence,
      kind: 'record_edited',
      detail: `records at positions ${positions} have values that the seal rules out`,
    }
  }
  if (digestOf(version, records) === seal.digest) return undefined
  const detail = `the digest of positions ${seal.from_position} to ${seal.to_position} differs from that of the seal`
  return { sequence, kind: 'record_edited', detail }
}

/** A digest of version 1 does not cover these fields; all records of its time have their default values. */
function hasUnsealedField(version: number, { record }: PositionedRecord): boolean {
  return version === unkeyedVersion && (record.client_gone || record.count !== 1 || record.client !== null)
}

const positionsShownMax = 10

function listed(positions: readonly number[]): string {
  const shown = positions.slice(0, positionsShownMax).join(', ')
  return positions.length > positionsShownMax ? `${shown} and ${positions.length - positionsShownMax} more` : shown
}
