import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { withClient } from '@payments/devkit/servers/databases'
import type { AcceptedMessage } from './message-provider.ts'
import type { World } from './world.ts'

/** The state of the invitations since an instant, as the databases have it. */
export interface Facts {
  readonly codes: readonly Code[]
  /** By the id of the transaction. */
  readonly transactions: ReadonlyMap<string, Transaction>
  /** Messages that invite-to-pay decided to send. */
  readonly decided: readonly DecidedMessage[]
  /** Messages that the providers accepted. */
  readonly accepted: readonly AcceptedMessage[]
}

interface DecidedMessage {
  readonly id: string
  readonly codeId: string
  readonly kind: 'invitation' | 'reminder' | 'receipt'
  /** Dropped: its code had ended before it was sent. */
  readonly isDropped: boolean
}

export interface Code {
  readonly id: string
  readonly transactionId: string
  readonly status: string
  readonly recipient: string
  readonly resendCount: number
}

export interface Transaction {
  readonly id: string
  readonly amount: number
  readonly amountAuthorized: number
  readonly amountVoided: number
  /** The authorizations. */
  readonly payments: readonly { readonly id: string; readonly createdAt: string }[]
  /** In the ledger of the sandbox: numbers of authorizations that succeeded, and their captured amount. */
  readonly authorizations: number
  readonly captured: number
}

const codesSql = `
  SELECT id, transaction_id AS "transactionId", status, recipient, resend_count AS "resendCount"
  FROM codes WHERE created_at >= $1`

const transactionsSql = `
  SELECT t.id, t.amount::float8 AS amount, t.amount_authorized::float8 AS "amountAuthorized",
    t.amount_voided::float8 AS "amountVoided",
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'createdAt', o.created_at)), '[]') FROM operations o
      WHERE o.transaction_id = t.id AND o.type = 'authorize') AS payments,
    ledger.authorizations, ledger.captured
  FROM transactions t CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE s.type = 'authorize')::int AS authorizations,
      coalesce(sum(s.amount) FILTER (WHERE s.type = 'capture'), 0)::float8 AS captured
    FROM sandbox_operations s JOIN operations o ON o.id = s.id
    WHERE o.transaction_id = t.id AND s.state = 'succeeded') ledger
  WHERE t.i2p AND t.created_at >= $1`

const decidedSql = 'SELECT id, code_id AS "codeId", kind FROM messages WHERE created_at >= $1'

const acceptedSql = `
  SELECT id, recipient, content->>'text' AS text FROM outbox_messages WHERE created_at >= $1`

export async function readFacts({ databaseUrl, provider, platform }: World, since: Date): Promise<Facts> {
  const rows = async <R extends object>(url: string, sql: string) =>
    (await withClient(url, (admin) => admin.query<R>(sql, [since]))).rows
  const codes = await rows<Code>(databaseUrl('invite-to-pay'), codesSql)
  const transactions = await rows<Transaction>(databaseUrl('payment-proxy'), transactionsSql)
  const decided = await rows<DecidedMessage>(databaseUrl('invite-to-pay'), decidedSql)
  const stored = await rows<AcceptedMessage>(databaseUrl('communication'), acceptedSql)
  const dropped = droppedIn(logsBelow(platform.logDirectory))
  return {
    codes,
    transactions: new Map(transactions.map((transaction) => [transaction.id, transaction])),
    decided: decided.map((message) => ({ ...message, isDropped: dropped.has(message.id) })),
    accepted: [...stored, ...provider.accepted()],
  }
}

/** The log of each replica of invite-to-pay. */
function logsBelow(directory: string): string {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const own = files.filter((file) => basename(file) === 'invite-to-pay.log')
  return own.map((file) => readFileSync(join(directory, file), 'utf8')).join('')
}

/** The ids of messages that a log says were dropped. */
function droppedIn(log: string): ReadonlySet<string> {
  const lines = log.split('\n').filter((line) => line.includes('"outcome":"dropped"'))
  return new Set(lines.map((line) => /"message_id":"([^"]+)"/.exec(line)?.[1] ?? ''))
}

const hastening = [
  // The time of payers at their bank is over too.
  [
    'payment-proxy',
    `UPDATE operations SET due_at = now(), action = action || jsonb_build_object('expires_at', operations.created_at)
     WHERE due_at > now()`,
  ],
  ['invite-to-pay', 'UPDATE messages SET due_at = now() WHERE due_at > now()'],
  ['communication', 'UPDATE communications SET due_at = now() WHERE due_at > now()'],
  // A payment starts within 10 s of its claim or never; so the first read of its transaction is not hastened.
  [
    'invite-to-pay',
    `UPDATE codes SET recover_at = now() WHERE recover_at > now() AND claimed_at < now() - interval '30 seconds'`,
  ],
] as const

/** Makes waiting attempts due at once. */
export async function hasten({ databaseUrl }: World): Promise<void> {
  for (const [service, sql] of hastening) await withClient(databaseUrl(service), (admin) => admin.query(sql))
}
