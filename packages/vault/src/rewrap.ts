import type { SqlTx } from '@payments/chassis/database/transaction'
import type { StoredDataKey } from './data-key.ts'
import type { Vault } from './vault.ts'
import { VaultError } from './vault-error.ts'

/**
 * **What it does.** Rotates the key-encryption key: wraps the data keys of all tenants with the current key, one batch
 * per call. Data keys and secrets do not change, so encryption and decryption continue meanwhile.
 *
 * **Guarantees.** A row is replaced only if it still has the key-encryption key that was read. Concurrent runs are
 * safe.
 *
 * **Not guaranteed.** A process that was not restarted wraps new data keys with the previous key. The next run finds
 * those.
 */
export type Transact = <R>(work: (tx: SqlTx) => Promise<R>) => Promise<R>

export interface Rewrapped {
  readonly current: string
  readonly done: number
  /** Data keys that cannot be unwrapped, to be logged. They stay unchanged. */
  readonly failures: readonly {
    readonly dataKey: Pick<StoredDataKey, 'tenantId' | 'id' | 'kekId'>
    readonly error: VaultError
  }[]
  readonly remaining: number
  /** `after` of the next batch; null at the end. */
  readonly next: string | null
}

interface Batch {
  readonly after: string | null
  readonly limit: number
}

export async function rewrapBatch(vault: Vault, transact: Transact, { after, limit }: Batch): Promise<Rewrapped> {
  const current = vault.currentKekId
  const stale = await transact((tx) => tx.$queryRawUnsafe<StoredDataKey[]>(selectSql, current, after, limit))
  const rewrapped: { previous: StoredDataKey; key: StoredDataKey }[] = []
  const failures: Rewrapped['failures'][number][] = []
  for (const dataKey of stale) {
    try {
      rewrapped.push({ previous: dataKey, key: await vault.rewrap(dataKey) })
    } catch (error) {
      if (!(error instanceof VaultError)) throw error
      failures.push({ dataKey: { tenantId: dataKey.tenantId, id: dataKey.id, kekId: dataKey.kekId }, error })
    }
  }
  const next = stale.length < limit ? null : (stale.at(-1)?.id ?? null)
  const { done, remaining } = await transact(async (tx) => ({
    done: await tx.$executeRawUnsafe(replaceSql, JSON.stringify(rewrapped.map(toRow))),
    remaining: next === null ? 0 : (await tx.$queryRawUnsafe<[{ n: number }]>(countSql, current, next))[0].n,
  }))
  return { current, done, failures, remaining, next }
}

const selectSql = `
  SELECT tenant_id AS "tenantId", id, kek_id AS "kekId", wrapped, created_at AS "createdAt" FROM data_keys
  WHERE kek_id <> $1 AND ($2::uuid IS NULL OR id > $2::uuid) ORDER BY id LIMIT $3::int`

const countSql = `SELECT count(*)::int AS n FROM data_keys WHERE kek_id <> $1 AND id > $2::uuid`

const replaceSql = `
  UPDATE data_keys SET kek_id = rewrapped.kek_id, wrapped = decode(rewrapped.wrapped, 'hex')
  FROM jsonb_to_recordset($1::jsonb)
    AS rewrapped (tenant_id uuid, id uuid, previous_kek_id text, kek_id text, wrapped text)
  WHERE data_keys.tenant_id = rewrapped.tenant_id AND data_keys.id = rewrapped.id
    AND data_keys.kek_id = rewrapped.previous_kek_id`

function toRow({ previous, key }: { previous: StoredDataKey; key: StoredDataKey }) {
  return {
    tenant_id: key.tenantId,
    id: key.id,
    previous_kek_id: previous.kekId,
    kek_id: key.kekId,
    wrapped: Buffer.from(key.wrapped).toString('hex'),
  }
}
