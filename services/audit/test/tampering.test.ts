import { createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type AuditRecord, auditRecord, type Seal, seal } from '@payments/contracts/services/audit/contract'
import { digestRecords, hashSeal } from '../src/domain/chain.ts'
import { toStoredRecord } from '../src/domain/record.ts'
import { presentSeal } from '../src/domain/seal.ts'
import { readRange } from '../src/store/records.ts'
import { readSeals } from '../src/store/seals.ts'
import { createRecord, startWorld, type World } from './world.ts'

/** An attacker with full access to the database, and without the seal key unless a test states otherwise. */
let world: World
let tenantId: string
beforeAll(async () => {
  world = await startWorld()
})
beforeEach(() => {
  tenantId = randomUUID()
})
afterAll(() => world.stop())

const found = async (of = tenantId) => (await world.findings(of)).map(({ kind, sequence }) => [kind, sequence])

/** All columns of a model in the schema, so that a new column gets its case. */
function listColumns(model: string): string[] {
  const schema = readFileSync(new URL('../prisma/schema.prisma', import.meta.url), 'utf8')
  const body = new RegExp(`^model ${model} \\{\\n(.*?)^\\}`, 'ms').exec(schema)?.[1] ?? ''
  const fields = body.split('\n').filter((line) => /^\s+[a-z]/.test(line))
  return fields.map((line) => /@map\("(\w+)"\)/.exec(line)?.[1] ?? String(line.trim().split(/\s/)[0]))
}

const restricted: Readonly<Record<string, string>> = {
  actor_type: `CASE actor_type WHEN 'user' THEN 'operator' ELSE 'user' END`,
  outcome: `CASE outcome WHEN 'error' THEN 'success' ELSE 'error' END`,
  client: `CASE client WHEN 'cli' THEN 'console' ELSE 'cli' END`,
  position: 'position + 1000',
  sequence: 'sequence + 1000',
}

const byType: Readonly<Record<string, (column: string) => string>> = {
  uuid: () => 'gen_random_uuid()',
  text: (column) => `coalesce(${column}, '') || 'x'`,
  boolean: (column) => `NOT ${column}`,
  date: (column) => `${column} - 1`,
  integer: (column) => `${column} + 1`,
  bigint: (column) => `${column} + 1`,
  'double precision': (column) => `${column} + 0.001`,
  'timestamp with time zone': (column) => `${column} + interval '1 ms'`,
}

async function otherValue(table: string, column: string): Promise<string> {
  const sql = 'SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_name = $1'
  const { rows } = await world.owner.query<{ name: string; type: string }>(sql, [table])
  expect(rows.map(({ name }) => name).sort()).toEqual(listColumns(models[table] ?? '').sort())
  const type = rows.find(({ name }) => name === column)?.type ?? ''
  return restricted[column] ?? byType[type]?.(column) ?? `no other value of type ${type}`
}
const models: Readonly<Record<string, string>> = { audit_records: 'AuditRecord', audit_seals: 'AuditSeal' }

describe('verification finds a change of a sealed record:', () => {
  test.each(listColumns('AuditRecord'))('%s', async (column) => {
    await world.sealedChain(tenantId)
    // For stored_on: a record can be moved only to an existing partition.
    await world.moveToDay(1, 'false')
    const value = await otherValue('audit_records', column)
    const sql = `UPDATE audit_records SET ${column} = ${value} WHERE tenant_id = $1 AND position = 6`
    expect(await world.tamper(sql, tenantId)).toBe(1)
    const isMoved = column === 'position' || column === 'tenant_id'
    expect((await found())[0]).toEqual([isMoved ? 'record_removed' : 'record_edited', 2])
  })

  const nullable = ['actor_id', 'method', 'path', 'operation', 'permission', 'user_agent']
  test.each(nullable)('%s, set to null', async (column) => {
    await world.sealedChain(tenantId)
    await world.tamper(`UPDATE audit_records SET ${column} = NULL WHERE tenant_id = $1 AND position = 6`, tenantId)
    expect(await found()).toEqual([['record_edited', 2]])
  })
})

test.each([null, 'cli'])('verification finds a change of the client of a person to %s', async (client) => {
  await world.store([createRecord(tenantId, { actor: { type: 'user', id: 'alice' }, client: 'console' })])
  await world.seal()
  expect(await found()).toEqual([])
  await world.tamper('UPDATE audit_records SET client = $2 WHERE tenant_id = $1', tenantId, client)
  expect(await found()).toEqual([['record_edited', 1]])
})

describe('verification finds a change of a seal:', () => {
  test.each(listColumns('AuditSeal'))('%s', async (column) => {
    await world.sealedChain(tenantId)
    const value = await otherValue('audit_seals', column)
    if (column === 'version') await world.tamper('ALTER TABLE audit_seals DROP CONSTRAINT audit_seals_version')
    const sql = `UPDATE audit_seals SET ${column} = ${value} WHERE tenant_id = $1 AND sequence = 2`
    expect(await world.tamper(sql, tenantId)).toBe(1)
    const isMoved = column === 'sequence' || column === 'tenant_id'
    expect(await found()).toContainEqual([isMoved ? 'seal_removed' : 'seal_rewritten', 2])
  })
})

describe('every field changes', () => {
  const keys = new Map([['a', createSecretKey(randomBytes(32))]])
  const another = (value: unknown): unknown => {
    if (typeof value === 'number') return value + 1
    if (typeof value === 'boolean') return !value
    return typeof value === 'string' ? `${value}x` : 'x'
  }
  const sealFields = Object.keys(seal.shape).filter((field) => field !== 'hash') as (keyof Seal)[]
  test.each(sealFields)('the hash of a seal: %s', (field) => {
    const recomputed = {
      tenant_id: randomUUID(),
      sequence: 2,
      from_position: 5,
      to_position: 8,
      stored_on: '2026-01-31',
    }
    const sealed = {
      ...recomputed,
      version: 2,
      key_id: 'a',
      digest: 'd',
      previous_hash: 'p',
      sealed_at: '2026-01-31T00:00:00Z',
    }
    const changed = { ...sealed, [field]: another(sealed[field as keyof typeof sealed]) }
    expect(hashSeal(changed, new Map([...keys, ['ax', keys.get('a') ?? createSecretKey(randomBytes(32))]]))).not.toBe(
      hashSeal(sealed, keys),
    )
  })

  const record = createRecord(randomUUID(), { code: 'x' })
  const recordFields = [
    ...Object.keys(auditRecord.shape).filter((field) => field !== 'actor'),
    'type',
    'id of the actor',
  ]
  test.each(recordFields)('the digest of a record: %s', (field) => {
    const actor = field === 'type' ? { ...record.actor, type: 'user' } : { ...record.actor, id: 'another' }
    const isOfActor = field === 'type' || field === 'id of the actor'
    const change = isOfActor ? { actor } : { [field]: another(record[field as keyof AuditRecord]) }
    const changed = { ...record, ...change } as AuditRecord
    const digest = (of: AuditRecord) => digestRecords([{ position: 1, record: of }])
    expect(digest(changed)).not.toBe(digest(record))
  })
})

type Keys = Parameters<typeof hashSeal>[1]

/** Recomputes the seals `first` to `last` from the current records, each with the hash of its previous seal. */
async function recomputeSeals(first: number, last: number, changes: Partial<Seal>, keys: Keys): Promise<void> {
  const seals = await world.deps.db.inTenant(tenantId, (tx) => readSeals(tx, tenantId, first - 1, last - first + 1))
  let previous: string | undefined
  for (const row of seals) {
    const { fromPosition: from, toPosition: to } = row
    const rows = await world.deps.db.inTenant(tenantId, (tx) => readRange(tx, tenantId, { from, to, rowsMax: 100 }))
    const { hash: _hash, ...before } = { ...presentSeal(row), ...changes }
    const recomputed = {
      ...before,
      digest: digestRecords(rows.map(toStoredRecord)),
      previous_hash: previous ?? before.previous_hash,
    }
    previous = hashSeal(recomputed, keys)
    const sql = `UPDATE audit_seals SET version = $3, key_id = $4, digest = $5, previous_hash = $6, hash = $7
      WHERE tenant_id = $1 AND sequence = $2`
    const values = [
      recomputed.sequence,
      recomputed.version,
      recomputed.key_id,
      recomputed.digest,
      recomputed.previous_hash,
      previous,
    ]
    expect(await world.tamper(sql, tenantId, ...values)).toBe(1)
  }
}

const editRecord = () =>
  world.tamper('UPDATE audit_records SET status = 201 WHERE tenant_id = $1 AND position = 6', tenantId)

describe('verification finds a chain that was recomputed after an edit:', () => {
  beforeEach(async () => {
    await world.sealedChain(tenantId)
    await editRecord()
  })

  test('one seal, with the key: the next seal contains another hash', async () => {
    await recomputeSeals(2, 2, {}, world.deps.sealKeys.keys)
    expect(await found()).toEqual([['seal_rewritten', 3]])
  })

  test('all seals from the edit on, without the key', async () => {
    await recomputeSeals(2, 3, {}, new Map([['first', createSecretKey(randomBytes(32))]]))
    expect(await found()).toEqual([
      ['seal_rewritten', 2],
      ['seal_rewritten', 3],
    ])
  })

  test('all seals, with another key under another id', async () => {
    await recomputeSeals(1, 3, { key_id: 'mine' }, new Map([['mine', createSecretKey(randomBytes(32))]]))
    expect((await world.findings(tenantId))[0]).toMatchObject({
      kind: 'seal_rewritten',
      detail: 'its key mine is not in AUDIT_SEAL_KEYS',
    })
  })

  test('as the chain of another tenant', async () => {
    const other = randomUUID()
    for (const table of ['audit_records', 'audit_seals', 'audit_chains']) {
      await world.tamper(`UPDATE ${table} SET tenant_id = $2 WHERE tenant_id = $1`, tenantId, other)
    }
    expect(await found(other)).toContainEqual(['seal_rewritten', 1])
  })
})

test('after a key rotation, seals of both keys verify, and seals of a removed key do not', async () => {
  const { sealKeys } = world.deps
  const first = sealKeys.keys
  await world.sealedChain(tenantId)
  const second = createSecretKey(randomBytes(32))
  Object.assign(sealKeys, { keys: new Map([...first, ['second', second]]), current: 'second' })
  await world.store([createRecord(tenantId)])
  await world.seal()
  expect(await found()).toEqual([])
  Object.assign(sealKeys, { keys: new Map([['second', second]]) })
  expect(await found()).toEqual([1, 2, 3].map((sequence) => ['seal_rewritten', sequence]))
  Object.assign(sealKeys, { keys: first, current: 'first' })
})
