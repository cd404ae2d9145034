import { listStoredAddresses, storedAddress } from '@payments/chassis/database/stored-address'
import type { SqlTx } from '@payments/chassis/database/transaction'
import { normalizeAddress } from '@payments/contracts/nouns/payer-erasure'

/** Rows that one statement reads: some tens of milliseconds. */
const scannedMax = 5_000
/** Statements of one page of an export. */
const scansMax = 20
const firstId = '00000000-0000-0000-0000-000000000000'

/** A table with an index of `tenant_id` and `id`. */
export interface PayerTable {
  readonly table: string
  /** SQL of the columns with an address. */
  readonly addresses: readonly string[]
}

export interface PayerScan {
  readonly tenantId: string
  /** As `normalizeAddress` returns it. */
  readonly address: string
  /** The position of the scan before. Null: from the first row on. */
  readonly position: string | null
  /** Null: rows of any time. */
  readonly createdUntil: Date | null
  /** Of found rows. */
  readonly limit: number
}

export interface Scanned {
  /** In their order. */
  readonly ids: readonly string[]
  /** Where the next scan continues. Null: after all rows. */
  readonly position: string | null
}

/** SQL: whether one of the columns may have an address. The parameter has the values of `listStoredAddresses`. */
const mayHaveAddress = ({ addresses }: Pick<PayerTable, 'addresses'>, parameter: string): string =>
  `ARRAY[${addresses.map((column) => storedAddress(`payer_address(${column})`)).join(', ')}] && ${parameter}::text[]`

export const hasAddress = (written: readonly (string | null)[], address: string): boolean =>
  written.some((one) => one !== null && normalizeAddress(one) === address)

interface Page {
  readonly last: string | null
  readonly scanned: number
  /** Rows that may have the address, in their order, with the texts of their columns. */
  readonly candidates: readonly { readonly id: string; readonly written: readonly (string | null)[] }[]
}

/**
 * Finds the rows of a payer among the next 5 000 of the tenant, in the order of their ids. Under row-level security,
 * PostgreSQL uses an index of `payer_address` for a superuser only, because the function is not leakproof.
 */
export async function scanForPayer(
  tx: SqlTx,
  of: PayerTable,
  { tenantId, address, position, createdUntil, limit }: PayerScan,
): Promise<Scanned> {
  const [page] = await tx.$queryRawUnsafe<[Page]>(
    `WITH scanned AS MATERIALIZED (
       SELECT * FROM ${of.table} WHERE tenant_id = $1::uuid AND id > $2::uuid ORDER BY id LIMIT $3::int)
     SELECT (SELECT id::text FROM scanned ORDER BY id DESC LIMIT 1) AS last,
       (SELECT count(*)::int FROM scanned) AS scanned,
       coalesce((SELECT jsonb_agg(one) FROM (
         SELECT jsonb_build_object('id', id, 'written', jsonb_build_array(${of.addresses.join(', ')})) AS one FROM scanned
         WHERE ${mayHaveAddress(of, '$4')} AND ($5::timestamptz IS NULL OR created_at <= $5::timestamptz)
         ORDER BY id LIMIT $6::int) AS candidates), '[]') AS candidates`,
    tenantId,
    position ?? firstId,
    scannedMax,
    listStoredAddresses(address),
    createdUntil,
    limit,
  )
  const { last, scanned, candidates } = page
  const ids = candidates.filter(({ written }) => hasAddress(written, address)).map(({ id }) => id)
  const lastRead = candidates.at(-1)?.id ?? null
  if (candidates.length === limit && lastRead !== last) return { ids, position: lastRead }
  return { ids, position: scanned < scannedMax ? null : last }
}

/** At most `limit` rows of a payer, of at most 100 000 scanned ones: a page may be empty, and not the last one. */
export async function scanPage(tx: SqlTx, of: PayerTable, query: Omit<PayerScan, 'createdUntil'>): Promise<Scanned> {
  const ids: string[] = []
  let { position } = query
  for (let scan = 0; scan < scansMax; scan += 1) {
    const limit = query.limit - ids.length
    const found = await scanForPayer(tx, of, { ...query, position, limit, createdUntil: null })
    ids.push(...found.ids)
    position = found.position
    if (position === null || ids.length === query.limit) break
  }
  return { ids, position }
}
