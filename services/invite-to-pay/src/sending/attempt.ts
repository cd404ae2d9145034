import { nextAttemptAt } from '@payments/chassis/base/retry-schedule'
import { databaseNow } from '@payments/chassis/database/database-now'
import { logAttempt } from '@payments/chassis/process/log-attempt'
import { Problem } from '@payments/contracts/grammar/problem'
import { firstWithTexts } from '@payments/contracts/nouns/locale'
import { erased } from '@payments/contracts/nouns/payer-erasure'
import type { UnitCopy } from '@payments/contracts/services/business-unit/unit-copy'
import { decryptLink } from '../code/link.ts'
import type { Deps } from '../deps.ts'
import type { CodeError, CodeFacts } from '../domain/code.ts'
import { statusAt } from '../domain/code-state.ts'
import { isOrphaned } from '../domain/entry.ts'
import {
  invitationVariables,
  isWanted,
  type PaymentConfirmation,
  paidPart,
  paymentConfirmation,
  type Reader,
  receiptItems,
  receiptVariables,
} from '../domain/message.ts'
import { readTransaction } from '../payment/execute.ts'
import { findCode, lockCode, recordMessage } from '../store/codes.ts'
import type { Tx } from '../store/database.ts'
import { type ClaimedMessage, setDue } from '../store/messages.ts'
import type { MessageAttempts } from './metrics.ts'

export type SendingDeps = Pick<
  Deps,
  'db' | 'vault' | 'businessUnits' | 'paymentProxy' | 'communication' | 'payBaseUrl' | 'log'
> & { readonly attempts: MessageAttempts }

type Outcome =
  | { readonly kind: 'handed_over' | 'dropped' }
  | { readonly kind: 'rejected' | 'unavailable'; readonly error: CodeError }
  | { readonly kind: 'limited'; readonly error: CodeError; readonly rateWaitMs: number }

/** Attempts one claimed message. loop.ts has the essay. */
export async function attemptMessage(deps: SendingDeps, message: ClaimedMessage): Promise<void> {
  const { id, tenantId, codeId, kind, traceId, attemptCount } = message
  const ids = { trace_id: traceId, tenant_id: tenantId, code_id: codeId, message_id: id }
  const outcome = await logAttempt(deps.log, { ...ids, kind, attempt: attemptCount }, () => attempt(deps, message))
  deps.attempts.inc({ kind, outcome: outcome.kind })
  await deps.db.inTenant(tenantId, (tx) => record(tx, message, outcome))
}

async function attempt(deps: SendingDeps, message: ClaimedMessage): Promise<Outcome> {
  const { tenantId, codeId, kind, traceId } = message
  const { code, now } = await deps.db.readInTenant(tenantId, async (tx) => ({
    code: await findCode(tx, tenantId, codeId),
    now: await databaseNow(tx),
  }))
  if (code === null || code.recipient === erased || !isWanted(kind, statusAt(code, now))) return { kind: 'dropped' }
  try {
    const unit = await deps.businessUnits.find({ tenantId, traceId }, code.businessUnitId)
    // Its page takes no payment any more.
    if (kind !== 'receipt' && isOrphaned(code, unit)) return { kind: 'dropped' }
    const confirmation = kind === 'receipt' ? await readConfirmation(deps, code, traceId, now) : null
    if (confirmation === 'none') return { kind: 'dropped' }
    if (confirmation === 'open') return { kind: 'unavailable', error: openOperation }
    if (confirmation === 'unknown') return { kind: 'unavailable', error: unavailable }
    await queue(deps, message, { code, unit: unit.businessUnit, confirmation })
    return { kind: 'handed_over' }
  } catch (error) {
    // A rate of the tenant or of the recipient is used up: later it is not.
    if (error instanceof Problem && error.status === 429) {
      const rateWaitMs = 1_000 * (error.options.retryAfterSeconds ?? 0)
      return { kind: 'limited', error: toCodeError(error), rateWaitMs }
    }
    if (error instanceof Problem && error.status < 500) return { kind: 'rejected', error: toCodeError(error) }
    if (!(error instanceof Problem)) deps.log.error({ err: error, message_id: message.id }, 'queueing a message failed')
    return { kind: 'unavailable', error: unavailable }
  }
}

const unavailable: CodeError = {
  kind: 'message',
  code: 'service_unavailable',
  detail: 'The message could not be handed over within a day.',
}

const openOperation: CodeError = {
  kind: 'message',
  code: 'operation_in_progress',
  detail: 'A capture or void of the payment had no outcome within a day, so the payer got no message about it.',
}

/** Of the transaction as it is: the choice of the code says nothing of a capture that fails. */
async function readConfirmation(deps: SendingDeps, code: CodeFacts, traceId: string, now: Date) {
  const transaction = await readTransaction(deps, code, traceId)
  return transaction === null ? 'unknown' : paymentConfirmation(transaction, now)
}

function toCodeError({ code, title, options }: Problem): CodeError {
  const [first] = options.errors ?? []
  const detail = options.detail ?? (first === undefined ? title : `${first.pointer} ${first.detail}`)
  return { kind: 'message', code, detail: detail.slice(0, 500) }
}

interface Described {
  readonly code: CodeFacts
  readonly unit: UnitCopy['businessUnit']
  /** Null before the payment. */
  readonly confirmation: PaymentConfirmation | null
}

async function queue(
  deps: SendingDeps,
  message: ClaimedMessage,
  { code, unit, confirmation }: Described,
): Promise<void> {
  const { id, tenantId, traceId, kind, createdAt } = message
  const locale = confirmation === null ? code.locale : (code.payerLocale ?? code.locale)
  const template = confirmation?.template ?? (kind === 'invitation' ? (code.templateId ?? kind) : kind)
  const wanted = locale ?? unit.default_locale
  // Values are in the language of the text around them: a text of a tenant may have a language that ours do not have.
  const isOwnText = template === code.templateId
  const formats = isOwnText && wanted != null ? wanted : firstWithTexts(locale, unit.default_locale)
  const reader = { locale: formats, timeZone: unit.timezone_name }
  const content =
    confirmation === null
      ? { variables: invitationVariables(withDetails(code, kind), await decryptLink(deps, code), reader) }
      : receiptContent(paidPart(code, confirmation.amount), code.paidAt ?? createdAt, reader)
  const body = {
    message_id: id,
    // The tenant sent the invitation; the others follow from the code.
    ...(kind === 'invitation' ? {} : { code_created_at: code.createdAt.toISOString() }),
    business_unit_id: code.businessUnitId,
    communication_type: code.communicationType,
    recipient: code.recipient,
    template,
    locale,
    ...content,
  }
  await deps.communication.queueCommunication({ traceId }, { params: { tenant_id: tenantId }, body })
}

function receiptContent(code: CodeFacts, paidAt: Date, { locale, timeZone }: Reader) {
  const variables = receiptVariables(code, paidAt, { locale, timeZone: code.payerTimeZone ?? timeZone })
  return { variables, items: receiptItems(code, locale) }
}

/** Built-in templates have none of the variables of the tenant. */
function withDetails(code: CodeFacts, kind: ClaimedMessage['kind']): CodeFacts {
  if (kind === 'invitation' && code.templateId !== null) return code
  const { variables: _, ...communicationDetails } = code.communicationDetails
  return { ...code, communicationDetails }
}

async function record(tx: Tx, message: ClaimedMessage, outcome: Outcome): Promise<void> {
  const { id, tenantId, codeId, kind, attemptCount, createdAt } = message
  const code = await lockCode(tx, tenantId, codeId)
  if (code === null) return
  const now = await databaseNow(tx)
  const rateWaitMs = outcome.kind === 'limited' ? outcome.rateWaitMs : null
  const isOpen = outcome.kind === 'unavailable' || rateWaitMs !== null
  const nextAt = isOpen ? nextAttemptAt({ attemptCount, decidedAt: createdAt, rateWaitMs }, now) : null
  const isOurs = await setDue(tx, message, nextAt)
  if (!isOurs) return
  if (nextAt !== null && 'error' in outcome) {
    if (rateWaitMs !== null) await recordWait(tx, code, outcome.error)
    return
  }
  if (outcome.kind === 'dropped') {
    // Of an expired code, it says why nothing was sent.
    const hasExpired = statusAt(code, now) === 'expired'
    if (!hasExpired && code.lastError?.code === waitsCode)
      await recordMessage(tx, tenantId, codeId, { lastError: null })
    return
  }
  if ('error' in outcome) return recordMessage(tx, tenantId, codeId, { lastError: outcome.error })
  await recordMessage(tx, tenantId, codeId, {
    communicationId: id,
    ...(kind === 'invitation' ? { lastSentAt: now } : {}),
    ...(code.lastError?.kind === 'message' ? { lastError: null } : {}),
  })
}

/** The code of the error while a message waits for a rate. */
const waitsCode = 'rate_limited'

/** The rate that a message waits for is shown, unless that hides why a payment failed. */
async function recordWait(tx: Tx, { tenantId, id, lastError }: CodeFacts, error: CodeError): Promise<void> {
  if ((lastError?.kind ?? 'message') !== 'message' || lastError?.code === error.code) return
  const detail = `${error.detail}. The message waits for its turn.`
  await recordMessage(tx, tenantId, id, { lastError: { ...error, detail } })
}
