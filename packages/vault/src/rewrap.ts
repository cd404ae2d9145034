import type { RestingDataKey } from './data-key.ts'
import type { Vault } from './vault.ts'
import { VaultError } from './vault-error.ts'

/**
 * Rotation of the key-encryption key: wraps the data keys of all tenants, batch by batch, with the current one. No secret is
 * touched, and the data keys themselves stay what they are, so sealing and opening go on meanwhile.
 *
 * Works on the table `data_keys` (README). A row is replaced only where it still is what was read, so two that rewrap at once do
 * no harm; one that was made meanwhile under a former key, by a process that has not been restarted, is found by the next run.
 */
interface SqlTx {
  $queryRawUnsafe<T = unknown>(query: string, ...values: unknown[]): Promise<T>
  $executeRawUnsafe(query: string, ...values: unknown[]): Promise<number>
}

/** One transaction over every tenant. */
export type Transact = <R>(work: (tx: SqlTx) => Promise<R>) => Promise<R>

export interface Rewrapped {
  readonly current: string
  readonly done: number
  /** What does not unwrap, for the log; it stays as it is. */
  readonly failures: readonly {
    readonly dataKey: Pick<RestingDataKey, 'tenantId' | 'id' | 'kekId'>
    readonly error: VaultError
  }[]
  readonly remaining: number
  /** Where to go on; null at the end. */
  readonly next: string | null
}

interface Batch {
  readonly after: string | null
  readonly limit: number
}

export async function rewrapDataKeys(vault: Vault, transact: Transact, { after, limit }: Batch): Promise<Rewrapped> {
  const current = vault.currentKekId
  const former = await transact((tx) => tx.$queryRawUnsafe<RestingDataKey[]>(formerSql, current, after, limit))
  const moved: { former: RestingDataKey; key: RestingDataKey }[] = []
  const failures: Rewrapped['failures'][number][] = []
  for (const dataKey of former) {
    try {
      moved.push({ former: dataKey, key: await vault.rewrap(dataKey) })
    } catch (error) {
      if (!(error instanceof VaultError)) throw error
      failures.push({ dataKey: { tenantId: dataKey.tenantId, id: dataKey.id, kekId: dataKey.kekId }, error })
    }
  }
  const next = former.length < limit ? null : (former.at(-1)?.id ?? null)
  const { done, remaining } = await transact(async (tx) => ({
    done: await tx.$executeRawUnsafe(replaceSql, JSON.stringify(moved.map(rowOf))),
    remaining: next === null ? 0 : (await tx.$queryRawUnsafe<[{ n: number }]>(countSql, current, next))[0].n,
  }))
  return { current, done, failures, remaining, next }
}

const formerSql = `
  SELECT tenant_id AS "tenantId", id, kek_id AS "kekId", wrapped, created_at AS "createdAt" FROM data_keys
  WHERE kek_id <> $1 AND ($2::uuid IS NULL OR id > $2::uuid) ORDER BY id LIMIT $3::int`

const countSql = `SELECT count(*)::int AS n FROM data_keys WHERE kek_id <> $1 AND id > $2::uuid`

const replaceSql = `
  UPDATE data_keys SET kek_id = moved.kek_id, wrapped = decode(moved.wrapped, 'hex')
  FROM jsonb_to_recordset($1::jsonb) AS moved (tenant_id uuid, id uuid, former_kek_id text, kek_id text, wrapped text)
  WHERE data_keys.tenant_id = moved.tenant_id AND data_keys.id = moved.id AND data_keys.kek_id = moved.former_kek_id`

function rowOf({ former, key }: { former: RestingDataKey; key: RestingDataKey }) {
  return {
    tenant_id: key.tenantId,
    id: key.id,
    former_kek_id: former.kekId,
    kek_id: key.kekId,
    wrapped: Buffer.from(key.wrapped).toString('hex'),
  }
}
