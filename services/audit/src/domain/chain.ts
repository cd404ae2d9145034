import { createHash, createHmac } from 'node:crypto'
import type { AuditRecord, Finding, Seal } from '@payments/contracts/audit'
import type { SealKeys } from './seal-keys.ts'

/**
 * The chain of a tenant.
 *
 * **What it does.** It makes every change to stored records evident. A job seals new records every few seconds; verification
 * recomputes the seals.
 *
 * **Participants.** A record has a position, 1, 2, 3, … in the order of storing, assigned under a lock, so positions are
 * committed in order and without gaps. A seal is an HMAC over a stretch of records (their number and a digest of them all) and
 * over the hash of the seal before it; the key is in the configuration, never in the database. A checkpoint is a seal that was
 * exported to write-once storage.
 *
 * **Guarantees.** Without the key, no chain can be rebuilt: a sealed record that is edited, removed or inserted later no longer
 * agrees with its seal, and a new seal cannot be computed. A chain that was cut off at its end, or that the service itself was
 * made to seal again, no longer agrees with a checkpoint.
 *
 * **Not guaranteed.** Records before they are sealed, some seconds; and the newest records and seals of a chain between two
 * exports of checkpoints, against a person who can write to the database. Seals of version 1 have no key: the first keyed seal
 * after them fixes them, and before that only a checkpoint does.
 */
export const genesis = '0'.repeat(64)

/** The chain of records without a tenant: never the id of a tenant. */
export const noTenant = '00000000-0000-0000-0000-000000000000'

export const chainOf = (tenantId: string | null): string =>
  tenantId === null || tenantId === 'none' ? noTenant : tenantId

export const tenantOf = (chain: string): string | null => (chain === noTenant ? null : chain)

export interface PlacedRecord {
  readonly position: number
  readonly record: AuditRecord
}

/** A record as it was read back; the seal names the day for all its records. */
export interface StoredRecord extends PlacedRecord {
  /** The day (UTC) on which it was stored, `2026-01-31`. */
  readonly storedOn: string
}

export const unkeyedVersion = 1
export const keyedVersion = 2

/** Each field by its place: a change of the order would change every digest, so the version comes first. */
function imprintOf(version: number, { position, record }: PlacedRecord): string {
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
    ...(version === unkeyedVersion ? [] : [record.client_gone, record.count]),
  ])
}

/** SHA-256 over the records in the order of their positions, one line each. JSON has no line breaks, so none can be moved. */
export function digestOf(version: number, records: readonly PlacedRecord[]): string {
  const hash = createHash('sha256')
  for (const placed of records) hash.update(imprintOf(version, placed)).update('\n')
  return hash.digest('hex')
}

/** SHA-256 or HMAC-SHA256 over every field, by the seal's version. Undefined where its key is not configured. */
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

/** A seal of more is none of ours; reading what it claims could take for ever. */
export const recordsPerSealMax = 5_000

/** What comes before the first seal of a stretch. */
export type Anchor = Pick<Seal, 'version' | 'sequence' | 'to_position' | 'hash'>
export const beginning: Anchor = { version: unkeyedVersion, sequence: 0, to_position: 0, hash: genesis }

/** What is wrong with a seal as the successor of another. */
export function faultOfLink(before: Anchor, seal: Seal, sealKeys: SealKeys): Finding | undefined {
  const { sequence } = seal
  if (sequence !== before.sequence + 1) {
    const detail = `after seal ${before.sequence} comes seal ${sequence}`
    return { sequence: before.sequence + 1, kind: 'seal_removed', detail }
  }
  const faults = [
    ...faultsOfHash(seal, sealKeys.keys),
    ...(seal.previous_hash === before.hash ? [] : ['it does not name the hash of the seal before']),
    ...(isPlausible(seal) ? [] : ['it claims more records than a seal has']),
    ...(seal.from_position === before.to_position + 1 ? [] : ['it does not begin where the seal before ends']),
  ]
  if (faults.length > 0) return { sequence, kind: 'seal_rewritten', detail: faults.join('; ') }
  return faultOfVersion(before, seal, sealKeys)
}

function faultsOfHash({ hash, ...hashed }: Seal, keys: SealKeys['keys']): string[] {
  const expected = hashOf(hashed, keys)
  if (expected === undefined) return [`its key ${hashed.key_id} is not in AUDIT_SEAL_KEYS`]
  return expected === hash ? [] : ['its hash is not that of its fields']
}

/** A person who owns the database can compute a seal without a key. */
function faultOfVersion(before: Anchor, seal: Seal, { unkeyedBefore }: SealKeys): Finding | undefined {
  const { version, sequence, sealed_at: sealedAt, stored_on: storedOn } = seal
  if (version !== unkeyedVersion) return undefined
  if (before.version !== unkeyedVersion) {
    return { sequence, kind: 'seal_unkeyed', detail: 'a seal without a key follows a keyed seal' }
  }
  const isEarly = unkeyedBefore !== null && Date.parse(sealedAt) < unkeyedBefore.getTime()
  if (isEarly && Date.parse(storedOn) < unkeyedBefore.getTime()) return undefined
  return {
    sequence,
    kind: 'seal_unkeyed',
    detail: 'a seal without a key is accepted before AUDIT_UNKEYED_SEALS_BEFORE only',
  }
}

export function isPlausible({ from_position: from, to_position: to }: Seal): boolean {
  return to >= from && to - from < recordsPerSealMax
}

/** What is wrong with the records of a seal; `records` are all that are stored within its positions, in their order. */
export function faultOfRecords(seal: Seal, records: readonly StoredRecord[]): Finding | undefined {
  const { sequence, version } = seal
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
  const edited = records.filter((record) => record.storedOn !== seal.stored_on || hasUnsealedField(version, record))
  if (edited.length > 0) {
    const positions = some(edited.map(({ position }) => position))
    return { sequence, kind: 'record_edited', detail: `positions ${positions} have values that the seal excludes` }
  }
  if (digestOf(version, records) === seal.digest) return undefined
  const detail = `the digest of positions ${seal.from_position} to ${seal.to_position} is another`
  return { sequence, kind: 'record_edited', detail }
}

/** A digest of version 1 does not cover these fields: when its records were sealed, each had the default. */
function hasUnsealedField(version: number, { record }: PlacedRecord): boolean {
  return version === unkeyedVersion && (record.client_gone || record.count !== 1)
}

const shownMax = 10

function some(positions: readonly number[]): string {
  const shown = positions.slice(0, shownMax).join(', ')
  return positions.length > shownMax ? `${shown} and ${positions.length - shownMax} more` : shown
}
