import { newId } from '@payments/chassis/base/id'
import type { Invitation } from '@payments/contracts/nouns/invitation'
import type { Transaction } from '@payments/contracts/nouns/transaction'
import type { Vault } from '@payments/vault/vault'
import type { CodeError, CodeFacts } from '../domain/code.ts'
import { codePurpose, hashCode, newCodeValue } from '../domain/code-value.ts'
import type { Lifetime } from '../domain/lifetime.ts'
import { insertCode, recordMessage } from '../store/codes.ts'
import type { Tx } from '../store/database.ts'
import { insertMessage } from '../store/messages.ts'
import { emitCode } from './change-code.ts'

/** Id and value of a code that is not stored yet. Never inside a transaction. */
export async function newCodeSecret(vault: Vault, tenantId: string) {
  const [id, value] = [newId(), newCodeValue()]
  const codeEncrypted = await vault.encrypt({ purpose: codePurpose, tenantId, recordId: id }, value)
  return { id, value, codeEncrypted }
}

interface NewCode {
  readonly tenantId: string
  readonly traceId: string
  readonly secret: Awaited<ReturnType<typeof newCodeSecret>>
  readonly transaction: Transaction
  readonly invitation: Omit<Invitation, 'expires_at' | 'reminder_at'>
  readonly lifetime: Lifetime
  readonly capture: boolean
  /** Whether events of the transaction may have arrived before its code is stored. */
  readonly isTransactionOlder: boolean
  readonly createdAt: Date
  /** How long the invitation waits for the pace of its creator. */
  readonly waitMs: number
}

/** A shorter wait is not shown. */
const shownWaitMsMin = 2_000

const waitsForPace: CodeError = {
  kind: 'message',
  code: 'rate_limited',
  detail: 'Too many invitations of the API key or user. The message waits for its turn.',
}

/**
 * Stores the code with its invitation and its event. The transaction holds the lock of `lockByTransaction`. Null, and
 * nothing is stored, when the transaction has an open code.
 */
export async function storeCode(tx: Tx, created: NewCode): Promise<CodeFacts | null> {
  const { tenantId, traceId, secret, transaction, invitation, lifetime, capture, isTransactionOlder } = created
  const { createdAt, waitMs } = created
  const code = await insertCode(tx, tenantId, {
    id: secret.id,
    businessUnitId: transaction.business_unit_id,
    transactionId: transaction.id,
    traceId,
    codeHash: hashCode(secret.value),
    codeEncrypted: secret.codeEncrypted,
    amount: transaction.amount,
    currency: transaction.currency,
    capture,
    items: transaction.transaction_items.map(({ name, unit_amount, quantity }) => ({ name, unit_amount, quantity })),
    reference: transaction.external_reference ?? transaction.id,
    paymentOrchestratorId: transaction.payment_orchestrator_id,
    recipient: invitation.recipient,
    communicationType: invitation.communication_type,
    templateId: invitation.template_id,
    communicationDetails: invitation.communication_details,
    expiresAt: lifetime.expiresAt,
    reminderAt: lifetime.reminderAt,
    remindDueAt: lifetime.reminderAt,
    returnUrl: invitation.return_url,
    locale: invitation.locale ?? transaction.locale ?? null,
    createdAt,
    invitedAt: createdAt,
    // An event that arrives before the code is stored is lost for the code, so the transaction is read once.
    recoverAt: isTransactionOlder ? createdAt : null,
  })
  if (code === null) return null
  const sendAt = new Date(Date.now() + waitMs)
  await insertMessage(tx, tenantId, { id: newId(), codeId: code.id, kind: 'invitation', traceId }, sendAt)
  if (waitMs > shownWaitMsMin) await recordMessage(tx, tenantId, code.id, { lastError: waitsForPace })
  await emitCode(tx, 'invite-to-pay.codes.create', code, traceId)
  return code
}
