import { lockForTransaction } from '@payments/chassis/database/advisory-lock'
import { bytesSql, partOfList, type SizedTable } from '@payments/chassis/database/list-part'
import { searchIds } from '@payments/chassis/database/search-ids'
import type { ListPart } from '@payments/contracts/grammar/page'
import type { CodeError, CodeFacts, Confirmation, Item } from '../domain/code.ts'
import type { CanceledBy, CodeStatus } from '../domain/code-state.ts'
import { Prisma } from '../generated/client.ts'
import type { CodeModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

type CodeInsert = Omit<Prisma.CodeCreateManyInput, 'tenantId' | 'communicationDetails'> &
  Pick<CodeFacts, 'communicationDetails'>

/** Null, and nothing is stored, for a transaction with an open code. */
export async function insertCode(tx: Tx, tenantId: string, code: CodeInsert): Promise<CodeFacts | null> {
  const communicationDetails = code.communicationDetails as Prisma.InputJsonObject
  const data = [{ ...code, tenantId, communicationDetails }]
  const [row] = await tx.code.createManyAndReturn({ data, skipDuplicates: true })
  return row === undefined ? null : toCode(row)
}

export async function findCode(tx: Tx, tenantId: string, id: string): Promise<CodeFacts | null> {
  const row = await tx.code.findFirst({ where: { tenantId, id } })
  return row && toCode(row)
}

/** The newest code of the transaction: the earlier ones have ended. */
export async function findByTransaction(tx: Tx, tenantId: string, transactionId: string): Promise<CodeFacts | null> {
  const row = await tx.code.findFirst({ where: { tenantId, transactionId }, orderBy: { id: 'desc' } })
  return row && toCode(row)
}

/** Of any tenant: a payer has the link, and so the hash. */
export async function findByHash(tx: Tx, codeHash: Uint8Array<ArrayBuffer>): Promise<CodeFacts | null> {
  const row = await tx.code.findFirst({ where: { codeHash } })
  return row && toCode(row)
}

/** Of any tenant: its hash proves a ticket of the card page. */
export async function findById(tx: Tx, id: string): Promise<CodeFacts | null> {
  const row = await tx.code.findFirst({ where: { id } })
  return row && toCode(row)
}

/** As findCode; concurrent changes wait until this transaction ends. */
export async function lockCode(tx: Tx, tenantId: string, id: string): Promise<CodeFacts | null> {
  await tx.$queryRaw`SELECT 1 FROM codes WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid FOR NO KEY UPDATE`
  return findCode(tx, tenantId, id)
}

/** As findByTransaction; changes of the code, and other codes of the transaction, wait until this transaction ends. */
export async function lockByTransaction(tx: Tx, tenantId: string, transactionId: string): Promise<CodeFacts | null> {
  await lockForTransaction(tx, `codes of ${transactionId}`)
  const newest = await findByTransaction(tx, tenantId, transactionId)
  return newest && lockCode(tx, tenantId, newest.id)
}

interface CodeFilters {
  readonly businessUnitId?: string | undefined
  readonly transactionId?: string | undefined
  readonly recipient?: string | undefined
  readonly status?: CodeStatus | undefined
}

interface CodeQuery {
  readonly before: string | undefined
  readonly limit: number
  readonly filters: CodeFilters
}

const sized: SizedTable = { table: 'codes', bytes: bytesSql(['items', 'communication_details', 'return_url']) }

/** Newest first. Recipient and transaction each have an index. */
export async function list(
  tx: Tx,
  tenantId: string,
  { before, limit, filters: { transactionId, recipient, businessUnitId, status } }: CodeQuery,
): Promise<ListPart<CodeFacts, string>> {
  const ofTransaction = transactionId === undefined ? [] : [Prisma.sql`transaction_id = ${transactionId}::uuid`]
  const ofRecipient = recipient === undefined ? [] : [Prisma.sql`recipient = ${recipient}`]
  const { rows, searchedTo } = await searchIds(tx, tenantId, {
    table: sized.table,
    among: transactionId === undefined ? ofRecipient : ofTransaction,
    where: [
      ...(transactionId === undefined ? [] : ofRecipient),
      ...(businessUnitId === undefined ? [] : [Prisma.sql`business_unit_id = ${businessUnitId}::uuid`]),
      ...(status === undefined ? [] : [Prisma.sql`status = ${status}::"CodeStatus"`]),
    ],
    before,
    limit,
  })
  const part = await listPart(tx, tenantId, { ids: rows.map(({ id }) => id), limit, order: 'desc' })
  return { ...part, continuesAfter: part.continuesAfter ?? searchedTo }
}

/** Part of a list of codes. `ids`: one more than `limit`, where the list has more. */
export function listPart(
  tx: Tx,
  tenantId: string,
  { order, ...listed }: { ids: readonly string[]; limit: number; order: 'asc' | 'desc' },
): Promise<ListPart<CodeFacts, string>> {
  return partOfList(tx, tenantId, { of: sized, ...listed }, async (ids) => {
    const rows = await tx.code.findMany({ where: { tenantId, id: { in: ids } }, orderBy: { id: order } })
    return rows.map(toCode)
  })
}

/** Columns of a code that a change sets, `recoverAt` and `remindDueAt` included. */
export type CodeChange = Partial<
  Omit<
    CodeFacts,
    | 'id'
    | 'tenantId'
    | 'businessUnitId'
    | 'transactionId'
    | 'version'
    | 'amount'
    | 'currency'
    | 'items'
    | 'createdAt'
    | 'codeHash'
    | 'codeEncrypted'
    | 'confirmation'
  > &
    Record<'recoverAt' | 'remindDueAt', Date | null> & { readonly confirmation: null }
>

/** Changes the code and increments its version. The transaction holds the lock of the code. */
export async function change(tx: Tx, tenantId: string, id: string, changes: CodeChange): Promise<CodeFacts> {
  const { lastError, communicationDetails, confirmation, ...columns } = changes
  const row = await tx.code.update({
    where: { id, tenantId },
    data: {
      ...columns,
      ...(communicationDetails === undefined
        ? {}
        : { communicationDetails: communicationDetails as Prisma.InputJsonValue }),
      ...(confirmation === undefined ? {} : { confirmation: Prisma.DbNull }),
      ...(lastError === undefined ? {} : { lastError: errorColumn(lastError) }),
      version: { increment: 1 },
    },
  })
  return toCode(row)
}

/** Records a queued message, or its failure. No event reports it, so the version stays. */
export async function recordMessage(
  tx: Tx,
  tenantId: string,
  id: string,
  { lastError, ...columns }: { lastSentAt?: Date; communicationId?: string; lastError?: CodeError | null },
): Promise<void> {
  const error = lastError === undefined ? {} : { lastError: errorColumn(lastError) }
  await tx.code.update({ where: { id, tenantId }, data: { ...columns, ...error } })
}

/** Records the bank that the payment waits for. No event reports it, so the version and the form stay valid. */
export async function recordConfirmation(
  tx: Tx,
  tenantId: string,
  id: string,
  confirmation: Confirmation | null,
): Promise<void> {
  const data = { confirmation: confirmation === null ? Prisma.DbNull : { ...confirmation } }
  await tx.code.update({ where: { id, tenantId }, data })
}

const errorColumn = (error: CodeError | null) => (error === null ? Prisma.DbNull : { ...error })

export function toCode(model: CodeModel): CodeFacts {
  const { amount, canceledBy, items, communicationDetails, confirmation, lastError, ...row } = model
  return {
    ...row,
    amount: Number(amount),
    canceledBy: canceledBy as CanceledBy | null,
    items: items as unknown as Item[],
    communicationDetails: communicationDetails as CodeFacts['communicationDetails'],
    confirmation: confirmation as Confirmation | null,
    lastError: lastError as CodeError | null,
  }
}
