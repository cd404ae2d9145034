import type { Transact } from './rewrap.ts'
import type { Vault } from './vault.ts'
import { VaultError } from './vault-error.ts'

/**
 * Seals every secret of a service anew, batch by batch, each under a data key made at `since` or later: for when a data key
 * may have become known, which wrapping it anew (rewrap.ts) does not mend. Former data keys stay, unused.
 *
 * A row is replaced only where it still is what was read, so two runs, or a run and a change of the secret, do no harm. What
 * another process has sealed meanwhile with the data key that it remembers is found by the next run, once that process has been
 * restarted. An interrupted run is begun again with the same `since` and goes on with what is left.
 */
export interface SealedPlace {
  readonly table: string
  /** The column of the id that the secret is bound to. */
  readonly id: string
  readonly column: string
  readonly purpose: string
}

export interface Reencrypted {
  readonly done: number
  /** What does not open, for the log; it stays as it is. */
  readonly failures: readonly {
    readonly table: string
    readonly tenantId: string
    readonly id: string
    readonly error: VaultError
  }[]
  readonly remaining: number
  /** Where to go on; null at the end. */
  readonly next: string | null
}

interface Batch {
  readonly since: Date
  readonly after: string | null
  readonly limit: number
}

interface FormerRow {
  readonly place: number
  readonly tenantId: string
  readonly id: string
  readonly sealed: Uint8Array
}

export async function reencryptSecrets(
  vault: Vault,
  transact: Transact,
  places: readonly SealedPlace[],
  { since, after, limit }: Batch,
): Promise<Reencrypted> {
  const former = formerSql(places)
  const rows = await transact((tx) =>
    tx.$queryRawUnsafe<FormerRow[]>(
      `WITH former AS (${former}), batch AS (SELECT DISTINCT id FROM former ORDER BY id LIMIT $3::int)
       SELECT place, tenant_id::text AS "tenantId", id::text AS id, sealed FROM former JOIN batch USING (id) ORDER BY id, place`,
      since.toISOString(),
      after,
      limit,
    ),
  )
  const moved: (FormerRow & { readonly anew: Uint8Array })[] = []
  const failures: Reencrypted['failures'][number][] = []
  for (const row of rows) {
    const { table, purpose } = places[row.place] as SealedPlace
    try {
      moved.push({
        ...row,
        anew: await vault.reseal({ purpose, tenantId: row.tenantId, recordId: row.id }, row.sealed, since),
      })
    } catch (error) {
      if (!(error instanceof VaultError)) throw error
      failures.push({ table, tenantId: row.tenantId, id: row.id, error })
    }
  }
  const ids = [...new Set(rows.map(({ id }) => id))]
  const next = ids.length < limit ? null : (ids.at(-1) ?? null)
  const { done, remaining } = await transact(async (tx) => {
    let replaced = 0
    for (const [i, place] of places.entries()) {
      const own = JSON.stringify(moved.filter((row) => row.place === i).map(rowOf))
      replaced += await tx.$executeRawUnsafe(replaceSql(place), own)
    }
    if (next === null) return { done: replaced, remaining: 0 }
    const count = `WITH former AS (${former}) SELECT count(*)::int AS n FROM former`
    const [left] = await tx.$queryRawUnsafe<[{ n: number }]>(count, since.toISOString(), next)
    return { done: replaced, remaining: left.n }
  })
  return { done, failures, remaining, next }
}

/** A sealed secret names its data key in its bytes 2 to 17 (vault.ts). What names none that there is, is found too, and does not open. */
function formerSql(places: readonly SealedPlace[]): string {
  const selects = places.map(
    ({ table, id, column }, i) => `
      SELECT ${i} AS place, t.tenant_id, t.${id} AS id, t.${column} AS sealed FROM ${table} t
        LEFT JOIN data_keys d ON d.tenant_id = t.tenant_id AND uuid_send(d.id) = substring(t.${column} FROM 2 FOR 16)
       WHERE t.${column} IS NOT NULL AND (d.id IS NULL OR d.created_at < $1::timestamptz) AND ($2::uuid IS NULL OR t.${id} > $2::uuid)`,
  )
  return selects.join(' UNION ALL ')
}

/** The rows are locked in the order of their ids, as by whatever else locks many of them. */
function replaceSql({ table, id, column }: SealedPlace): string {
  return `
    WITH locked AS (
      SELECT t.${id} AS id, decode(moved.anew, 'hex') AS anew
        FROM jsonb_to_recordset($1::jsonb) AS moved (tenant_id uuid, id uuid, former text, anew text)
        JOIN ${table} t ON t.tenant_id = moved.tenant_id AND t.${id} = moved.id AND t.${column} = decode(moved.former, 'hex')
       ORDER BY t.${id} FOR UPDATE OF t
    )
    UPDATE ${table} SET ${column} = locked.anew FROM locked WHERE ${table}.${id} = locked.id`
}

function rowOf({ tenantId, id, sealed, anew }: FormerRow & { readonly anew: Uint8Array }) {
  return { tenant_id: tenantId, id, former: hex(sealed), anew: hex(anew) }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
