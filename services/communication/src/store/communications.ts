import { searchIds } from '@payments/chassis/database/search-ids'
import type { Searched } from '@payments/contracts/grammar/searched-page'
import type { CommunicationFacts, Content } from '../domain/communication.ts'
import { Prisma } from '../generated/client.ts'
import type { CommunicationModel } from '../generated/models.ts'
import type { Tx } from './database.ts'

export interface CommunicationInsert
  extends Pick<
    CommunicationFacts,
    | 'id'
    | 'businessUnitId'
    | 'communicationType'
    | 'recipient'
    | 'templateId'
    | 'templateName'
    | 'templateVersion'
    | 'amount'
    | 'provider'
  > {
  readonly traceId: string
  readonly content: Content
  readonly dueAt: Date
}

export async function insertCommunication(
  tx: Tx,
  tenantId: string,
  communication: CommunicationInsert,
): Promise<CommunicationFacts> {
  const { content, ...columns } = communication
  return toCommunication(
    await tx.communication.create({
      data: { ...columns, tenantId, content: { ...content }, createdAt: columns.dueAt },
    }),
  )
}

export async function findCommunication(tx: Tx, tenantId: string, id: string): Promise<CommunicationFacts | null> {
  const row = await tx.communication.findFirst({ where: { tenantId, id } })
  return row === null ? null : toCommunication(row)
}

export interface CommunicationQuery {
  readonly before: string | undefined
  readonly limit: number
  readonly businessUnitId: string | undefined
  readonly recipient: string | undefined
  readonly status: CommunicationFacts['status'] | undefined
  readonly templateId: string | undefined
}

/** Newest first; one more than `limit`. */
export async function list(
  tx: Tx,
  tenantId: string,
  { before, limit, businessUnitId, recipient, status, templateId }: CommunicationQuery,
): Promise<Searched<CommunicationFacts, string>> {
  const { rows: found, searchedTo } = await searchIds(tx, tenantId, {
    table: 'communications',
    among: recipient === undefined ? [] : [Prisma.sql`recipient = ${recipient}`],
    where: [
      ...(businessUnitId === undefined ? [] : [Prisma.sql`business_unit_id = ${businessUnitId}::uuid`]),
      ...(status === undefined ? [] : [Prisma.sql`status = ${status}::"CommunicationStatus"`]),
      ...(templateId === undefined ? [] : [Prisma.sql`template_id = ${templateId}::uuid`]),
    ],
    before,
    limit,
  })
  const rows = await tx.communication.findMany({
    where: { tenantId, id: { in: found.map(({ id }) => id) } },
    orderBy: { id: 'desc' },
    omit: { content: true },
  })
  return { rows: rows.map(toCommunication), searchedTo }
}

/** A queued message that this process may attempt until its lease expires. */
export interface Claimed extends Pick<CommunicationFacts, 'id' | 'communicationType' | 'recipient'> {
  readonly tenantId: string
  /** Null: on behalf of the tenant. */
  readonly businessUnitId: string | null
  readonly traceId: string
  /** This attempt included. */
  readonly attemptCount: number
  readonly content: Content
}

/** The tables of queued messages, each with the columns of `Claimed` that the other one has not. */
const ownColumns = {
  communications: Prisma.raw('business_unit_id::text AS "businessUnitId", communication_type::text'),
  user_invitation_mails: Prisma.raw(`NULL AS "businessUnitId", 'EMAIL'`),
}

export type MessageTable = keyof typeof ownColumns

/** Claims messages that the transaction has locked, until `leaseUntil`. */
export function claim(tx: Tx, table: MessageTable, ids: readonly string[], leaseUntil: Date): Promise<Claimed[]> {
  return tx.$queryRaw`
    UPDATE ${Prisma.raw(table)} SET due_at = ${leaseUntil}, attempt_count = attempt_count + 1
    WHERE id = ANY(${ids}::uuid[])
    RETURNING id::text AS "id", tenant_id::text AS "tenantId", ${ownColumns[table]} AS "communicationType",
      recipient AS "recipient", trace_id::text AS "traceId", attempt_count AS "attemptCount", content AS "content"`
}

/** Sets the time of the next attempt, unless another attempt has started or the message has ended. */
export async function postpone(
  tx: Tx,
  table: MessageTable,
  { tenantId, id, attemptCount }: Pick<Claimed, 'tenantId' | 'id' | 'attemptCount'>,
  dueAt: Date,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE ${Prisma.raw(table)} SET due_at = ${dueAt} WHERE tenant_id = ${tenantId}::uuid AND id = ${id}::uuid
      AND status = 'queued' AND attempt_count = ${attemptCount}`
}

/** The number of queued communications and mails of the tenant, or `max` where it has more. */
export async function countQueued(tx: Tx, tenantId: string, max: number): Promise<number> {
  const [row] = await tx.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int AS count FROM (
      (SELECT FROM communications WHERE tenant_id = ${tenantId}::uuid AND due_at IS NOT NULL)
      UNION ALL (SELECT FROM user_invitation_mails WHERE tenant_id = ${tenantId}::uuid AND due_at IS NOT NULL)
      LIMIT ${max}) AS queued`
  return row.count
}

export type Ending =
  | Pick<CommunicationFacts, 'provider' | 'providerMessageId' | 'sentAt'>
  | { readonly provider: CommunicationFacts['provider']; readonly error: NonNullable<CommunicationFacts['error']> }

/** Ends a queued communication and deletes its text. Null, and nothing is changed, for one that has ended. */
export async function end(tx: Tx, tenantId: string, id: string, result: Ending): Promise<CommunicationFacts | null> {
  const changes =
    'error' in result
      ? { status: 'failed' as const, ...result, error: { ...result.error } }
      : { status: 'sent' as const, ...result }
  const [row] = await tx.communication.updateManyAndReturn({
    where: { tenantId, id, status: 'queued' },
    data: { ...changes, dueAt: null, content: Prisma.DbNull },
  })
  return row === undefined ? null : toCommunication(row)
}

function toCommunication({ provider, error, ...row }: Omit<CommunicationModel, 'content'>): CommunicationFacts {
  return {
    ...row,
    provider: provider as CommunicationFacts['provider'],
    error: error as CommunicationFacts['error'],
  }
}
