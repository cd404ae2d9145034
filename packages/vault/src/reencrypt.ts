import type { Transact } from './rewrap.ts'
import type { Vault } from './vault.ts'
import { VaultError } from './vault-error.ts'

/**
 * **What it does.** Re-encrypts every secret of a service under data keys created at `since` or later, one batch per
 * call. For a data key that may have leaked.
 *
 * **Guarantees.**
 * - A row is replaced only if it still has the bytes that were read. Concurrent runs and changes of a secret are safe.
 * - An interrupted run that starts again with the same `since` continues with the remaining rows.
 *
 * **Not guaranteed.** Another process may encrypt with a previous data key that it has cached. The next run after its
 * restart finds those secrets. Previous data keys stay stored, unused.
 */
export interface EncryptedColumn {
  readonly table: string
  /** The column of the record id to which the secret is bound. */
  readonly id: string
  readonly column: string
  readonly purpose: string
}

export interface Reencrypted {
  readonly done: number
  /** Secrets that cannot be decrypted, to be logged. They stay unchanged. */
  readonly failures: readonly {
    readonly table: string
    readonly tenantId: string
    readonly id: string
    readonly error: VaultError
  }[]
  readonly remaining: number
  /** `after` of the next batch; null at the end. */
  readonly next: string | null
}

interface Batch {
  readonly since: Date
  readonly after: string | null
  readonly limit: number
}

interface StaleSecret {
  /** Index into the list of encrypted columns. */
  readonly columnIndex: number
  readonly tenantId: string
  readonly id: string
  readonly encrypted: Uint8Array
}

interface ReencryptedSecret extends StaleSecret {
  readonly reencrypted: Uint8Array
}

export async function reencryptBatch(
  vault: Vault,
  transact: Transact,
  columns: readonly EncryptedColumn[],
  { since, after, limit }: Batch,
): Promise<Reencrypted> {
  const stale = staleSql(columns)
  const rows = await transact((tx) =>
    tx.$queryRawUnsafe<StaleSecret[]>(
      `WITH stale AS (${stale}), batch AS (SELECT DISTINCT id FROM stale ORDER BY id LIMIT $3::int)
       SELECT column_index AS "columnIndex", tenant_id::text AS "tenantId", id::text AS id, encrypted
         FROM stale JOIN batch USING (id) ORDER BY id, column_index`,
      since.toISOString(),
      after,
      limit,
    ),
  )
  const { secrets, failures } = await reencryptAll(vault, columns, rows, since)
  const ids = [...new Set(rows.map(({ id }) => id))]
  const next = ids.length < limit ? null : (ids.at(-1) ?? null)
  const { done, remaining } = await transact(async (tx) => {
    let replaced = 0
    for (const [index, column] of columns.entries()) {
      const own = secrets.filter((secret) => secret.columnIndex === index).map(toRow)
      replaced += await tx.$executeRawUnsafe(replaceSql(column), JSON.stringify(own))
    }
    if (next === null) return { done: replaced, remaining: 0 }
    const count = `WITH stale AS (${stale}) SELECT count(*)::int AS n FROM stale`
    const [left] = await tx.$queryRawUnsafe<[{ n: number }]>(count, since.toISOString(), next)
    return { done: replaced, remaining: left.n }
  })
  return { done, failures, remaining, next }
}

async function reencryptAll(
  vault: Vault,
  columns: readonly EncryptedColumn[],
  rows: readonly StaleSecret[],
  since: Date,
): Promise<{ secrets: ReencryptedSecret[]; failures: Reencrypted['failures'] }> {
  const secrets: ReencryptedSecret[] = []
  const failures: Reencrypted['failures'][number][] = []
  for (const row of rows) {
    const { columnIndex, tenantId, id, encrypted } = row
    const { table, purpose } = columns[columnIndex] as EncryptedColumn
    try {
      secrets.push({
        ...row,
        reencrypted: await vault.reencrypt({ purpose, tenantId, recordId: id }, encrypted, since),
      })
    } catch (error) {
      if (!(error instanceof VaultError)) throw error
      failures.push({ table, tenantId, id, error })
    }
  }
  return { secrets, failures }
}

/** Bytes 2 to 17 of an encrypted secret are its data key id (vault.ts). A secret with an unknown id is selected too. */
function staleSql(columns: readonly EncryptedColumn[]): string {
  const selects = columns.map(
    ({ table, id, column }, index) => `
      SELECT ${index} AS column_index, t.tenant_id, t.${id} AS id, t.${column} AS encrypted FROM ${table} t
        LEFT JOIN data_keys d ON d.tenant_id = t.tenant_id AND uuid_send(d.id) = substring(t.${column} FROM 2 FOR 16)
       WHERE t.${column} IS NOT NULL AND (d.id IS NULL OR d.created_at < $1::timestamptz)
         AND ($2::uuid IS NULL OR t.${id} > $2::uuid)`,
  )
  return selects.join(' UNION ALL ')
}

/** Locks the rows in the order of their ids, as every statement that locks many of them. */
function replaceSql({ table, id, column }: EncryptedColumn): string {
  return `
    WITH locked AS (
      SELECT t.${id} AS id, decode(secret.reencrypted, 'hex') AS reencrypted
        FROM jsonb_to_recordset($1::jsonb) AS secret (tenant_id uuid, id uuid, encrypted text, reencrypted text)
        JOIN ${table} t ON t.tenant_id = secret.tenant_id AND t.${id} = secret.id
          AND t.${column} = decode(secret.encrypted, 'hex')
       ORDER BY t.${id} FOR UPDATE OF t
    )
    UPDATE ${table} SET ${column} = locked.reencrypted FROM locked WHERE ${table}.${id} = locked.id`
}

function toRow({ tenantId, id, encrypted, reencrypted }: ReencryptedSecret) {
  return { tenant_id: tenantId, id, encrypted: hex(encrypted), reencrypted: hex(reencrypted) }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
