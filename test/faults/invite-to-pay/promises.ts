import { readBooks } from '@payments/testing/platform/payment-books'
import type { Mark } from '../runner/ledger.ts'
import { type Code, type Facts, readFacts, type Transaction } from './facts.ts'
import { type CodeState, readHistory } from './history.ts'
import type { Invited } from './merchant.ts'
import { openPage } from './payer.ts'
import type { HeardEvent } from './subscription.ts'
import type { World } from './world.ts'

export const kinds = ['open', 'twice', 'wrong', 'late', 'unsent', 'unheard'] as const

/** A broken promise. */
export interface Finding {
  /**
   * open: without an outcome · twice: paid more than once · wrong: code, transaction, books and responses disagree ·
   * late: paid after its end · unsent: a message missing or repeated · unheard: an event missing or repeated
   */
  readonly kind: (typeof kinds)[number]
  readonly what: string
}

export interface Since {
  readonly at: Date
  readonly mark: Mark
}

/** A payment starts at most this long after its claim. */
const startsWithinMs = 10_000

/** The broken promises about everything since an instant. */
export async function findBroken(world: World, invited: readonly Invited[], since: Since): Promise<Finding[]> {
  const { platform, databaseUrl, ledger, subscription } = world
  const facts = await readFacts(world, since.at)
  const history = await readHistory(databaseUrl('invite-to-pay'))
  const books = await readBooks(platform.databases['payment-proxy'].ownerUrl)
  const committed = await ledger.between(since.mark, await ledger.mark())
  const heard = subscription.heard()
  const codes = new Map(facts.codes.map((code) => [code.transactionId, code]))
  const byMerchant = new Set(invited.filter((one) => one.isCompletedByMerchant).map((one) => one.transactionId))
  return [
    ...(books.open > 0 ? [found('open', `${books.open} operations`)] : []),
    ...books.differences.map((difference) => found('wrong', difference)),
    ...[...facts.transactions.keys()]
      .filter((id) => !codes.has(id))
      .map((id) => found('wrong', `the transaction ${id} has no code`)),
    ...committed
      .filter(({ id }) => !heard.has(id))
      .map(({ id, type }) => found('unheard', `${type} ${id} did not arrive`)),
    ...facts.codes.flatMap((code) => [
      ...ofPayments(code, facts.transactions.get(code.transactionId)),
      ...ofTimes(
        code,
        facts.transactions.get(code.transactionId),
        history.filter(({ codeId }) => codeId === code.id),
        byMerchant,
      ),
      ...ofMessages(code, facts),
      ...ofEvents(
        code,
        [...heard.values()].filter(({ codeId }) => codeId === code.id),
      ),
    ]),
    ...invited.flatMap((one) => ofResponses(one, codes.get(one.transactionId))),
  ]
}

const found = (kind: Finding['kind'], what: string): Finding => ({ kind, what })

function ofPayments({ id, status }: Code, transaction: Transaction | undefined): Finding[] {
  if (transaction === undefined) return [found('wrong', `${id}: its transaction does not exist or has no i2p`)]
  const { amount, amountAuthorized, amountVoided, authorizations, captured } = transaction
  const findings: Finding[] = []
  if (status === 'processing') findings.push(found('open', `${id}: is processing`))
  // A merchant may void a payment before its code is settled: the code is canceled then.
  else if ((status === 'completed') !== amountAuthorized > 0 && !(status === 'canceled' && amountVoided === amount))
    findings.push(found('wrong', `${id}: is ${status}, and ${amountAuthorized} is authorized`))
  if (authorizations > 1 || captured > amount)
    findings.push(found('twice', `${id}: ${authorizations} authorizations, ${captured} of ${amount} captured`))
  return findings
}

/** Each payment has a claim before `expires_at`, starts soon after its claim, and before any cancellation. */
function ofTimes(
  { id, transactionId }: Code,
  transaction: Transaction | undefined,
  states: readonly CodeState[],
  byMerchant: ReadonlySet<string>,
): Finding[] {
  const canceledAt = states.find(({ status }) => status === 'canceled')?.at
  return (transaction?.payments ?? []).flatMap(({ id: paymentId, createdAt }) => {
    const startedAt = new Date(createdAt)
    const what = `${id}: payment ${paymentId} at ${createdAt}`
    const claim = states.find((state) => state.paymentId === paymentId)
    if (claim === undefined) return byMerchant.has(transactionId) ? [] : [found('late', `${what} has no claim`)]
    const { claimedAt, expiresAt } = claim
    if (claimedAt === null || claimedAt > expiresAt) return [found('late', `${what} was claimed after its end`)]
    if (startedAt.getTime() >= claimedAt.getTime() + startsWithinMs)
      return [found('late', `${what} started long after its claim at ${claimedAt.toISOString()}`)]
    if (canceledAt !== undefined && startedAt >= canceledAt)
      return [found('late', `${what} started after the cancellation at ${canceledAt.toISOString()}`)]
    return []
  })
}

/**
 * Each decided message was accepted, unless its code had ended before, or its payment was voided. Nothing else was
 * sent. A message whose hand-over was not recorded may be accepted and dropped.
 */
function ofMessages(code: Code, { decided, accepted, transactions }: Facts): Finding[] {
  const { id, status, recipient, resendCount, transactionId } = code
  const transaction = transactions.get(transactionId)
  const own = decided.filter(({ codeId }) => codeId === id)
  const counts = {
    invitations: own.filter(({ kind }) => kind === 'invitation').length,
    receipts: own.filter(({ kind, isDropped }) => kind === 'receipt' && !isDropped).length,
  }
  const isUnconfirmed = transaction?.amountVoided === transaction?.amount && counts.receipts === 0
  const receipts = status === 'completed' && !isUnconfirmed ? 1 : 0
  const expected: typeof counts = { invitations: 1 + resendCount, receipts }
  const isSame = counts.invitations === expected.invitations && counts.receipts === expected.receipts
  const ids = new Set(accepted.filter((message) => message.recipient === recipient).map((message) => message.id))
  const what = `${id} (${status})`
  return [
    ...(isSame ? [] : [found('unsent', `${what}: ${JSON.stringify(counts)}, not ${JSON.stringify(expected)}`)]),
    ...own
      .filter((message) => !message.isDropped && !ids.has(message.id))
      .map(({ kind, id: messageId }) => found('unsent', `${what}: the ${kind} ${messageId} was not accepted`)),
    ...[...ids]
      .filter((messageId) => !own.some((message) => message.id === messageId))
      .map((messageId) => found('unsent', `${what}: ${messageId} was accepted and not decided`)),
  ]
}

function ofEvents({ id, status, resendCount }: Code, heard: readonly HeardEvent[]): Finding[] {
  const counts = {
    create: heard.filter(({ type }) => type === 'invite-to-pay.codes.create').length,
    completion: heard.filter((one) => one.type === 'invite-to-pay.codes.update' && one.status === 'completed').length,
    cancel: heard.filter(({ type }) => type === 'invite-to-pay.codes.cancel').length,
    resend: heard.filter(({ type }) => type === 'payment-proxy.i2p.resend').length,
  }
  const expected: typeof counts = {
    create: 1,
    completion: status === 'completed' ? 1 : 0,
    cancel: status === 'canceled' ? 1 : 0,
    resend: resendCount,
  }
  const isSame = (Object.keys(counts) as (keyof typeof counts)[]).every((name) => counts[name] === expected[name])
  return isSame ? [] : [found('unheard', `${id}: ${JSON.stringify(counts)}, not ${JSON.stringify(expected)}`)]
}

/** A confirmed cancellation, payment or resend stays. */
function ofResponses({ codeId, transactionId, confirmed }: Invited, code: Code | undefined): Finding[] {
  if (code?.id !== codeId) return [found('wrong', `${codeId}: the code of ${transactionId} is ${code?.id}`)]
  const findings: Finding[] = []
  if (confirmed.canceled && code.status !== 'canceled')
    findings.push(found('wrong', `${codeId}: the cancellation was confirmed, and the code is ${code.status}`))
  if (confirmed.paid && code.status !== 'completed')
    findings.push(found('wrong', `${codeId}: its page said paid, and the code is ${code.status}`))
  if (code.resendCount !== (confirmed.resent ? 1 : 0))
    findings.push(found('wrong', `${codeId}: was sent again ${code.resendCount} times`))
  return findings
}

/** The page of a link shows the state of its code. */
export async function findWrongPages(world: World, invited: readonly Invited[], since: Since): Promise<Finding[]> {
  const { codes } = await readFacts(world, since.at)
  const statuses = new Map(codes.map(({ id, status }) => [id, status]))
  const findings: Finding[] = []
  for (const { codeId, link } of invited) {
    const page = await openPage(link)
    if (page?.state !== statuses.get(codeId))
      findings.push(found('wrong', `${codeId}: is ${statuses.get(codeId)}, and its page says ${page?.state}`))
  }
  return findings
}
