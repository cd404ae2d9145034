import { setTimeout as delay } from 'node:timers/promises'
import type { OperationType } from '../domain/operation.ts'
import type { Outcome } from '../domain/outcome.ts'
import type { Database, Tx } from '../store/database.ts'
import {
  findReceived,
  findSandboxOperation,
  insertSandboxAuthorization,
  insertSandboxOperation,
  lockSandboxOperations,
  type SandboxRow,
  updateSandboxOperation,
} from '../store/sandbox-operations.ts'
import type { Account, CancelReason, Command, Connector, Execution, ReportPage, ReportWindow } from './connector.ts'
import type { DeclineCode } from './decline-code.ts'
import {
  createChallenge,
  formatReference,
  pendingOutcome,
  type SandboxOptions,
  toOutcome,
  withoutChallenge,
} from './sandbox-outcome.ts'
import { type Fault, findFault, findTestCard, type TestCard } from './sandbox-token.ts'

/**
 * **What it does.** Simulates a payment provider that moves no money, with the faults of sandbox-token.ts.
 *
 * **Participants.** The connector below and the ledger of the sandbox (`sandbox_operations`).
 *
 * **Guarantees.**
 *
 * - The ledger survives a crash. An operation id takes effect once.
 * - A refund of the token `refund_fails_later` succeeds, and fails at the next sync or after five seconds.
 * - An amount above the authorized or captured amount is declined.
 * - An operation takes effect before its response is sent.
 * - An authorization ends once: at the bank of the sandbox, or by a cancellation.
 * - A sync of an unknown id rejects that id from then on, so the outcome "never received" stays true.
 *
 * **Not guaranteed.** Timing and decline codes of a real provider.
 */
export function createSandbox(db: Database, options: SandboxOptions): Connector {
  return {
    type: 'sandbox',
    passesGates: false,
    recognizes: (token) => findTestCard(token) !== undefined,
    execute: (command, signal) => simulate(db, command, { options, signal }),
    sync: (command) => db.inTenant(command.account.tenantId, (tx) => syncOutcome(tx, command, options)),
    cancel: (command) => db.inTenant(command.account.tenantId, (tx) => cancelOutcome(tx, command, options)),
    check: async () => 'accepted',
    listOperations: (account, window) => db.inTenant(account.tenantId, (tx) => listReceived(tx, account, window)),
  }
}

/** Simulates the arrival, the effect and the response of an operation, with the fault of the token. */
async function simulate(
  db: Database,
  command: Execution,
  { options, signal }: { readonly options: SandboxOptions; readonly signal: AbortSignal },
): Promise<Outcome> {
  const { row, fault, card } = await receive(db, command, options.now())
  if (fault?.kind === 'unreachable') return { kind: 'not_attempted', reason: 'the sandbox rejected the connection' }
  if (fault?.kind === 'timeout' || fault?.kind === 'silent') throw new Error('the sandbox did not respond')
  if (row === undefined) throw new Error('the sandbox does not know the authorization')
  const delayMs = row.respondsAt.getTime() - options.now().getTime()
  if (delayMs > 0) await delay(delayMs, undefined, { signal })
  return toOutcome(row, card, options)
}

interface Received {
  readonly row?: SandboxRow
  readonly fault?: Fault | undefined
  readonly card: TestCard | undefined
}

/** Stores the operation, unless the sandbox knows its id. An authorization depends on no other row of the ledger. */
async function receive(db: Database, command: Execution, at: Date): Promise<Received> {
  const { account, operationId, authorizationId } = command
  const { tenantId } = account
  if (command.type === 'authorize') {
    const received = decideReceipt(command, [], at)
    if (received.row !== undefined && (await insertSandboxAuthorization(db, received.row))) return received
    const known = await db.inTenant(tenantId, (tx) => findSandboxOperation(tx, tenantId, operationId))
    return known === null ? received : { row: known, card: received.card }
  }
  return db.inTenant(tenantId, async (tx) => {
    const ledger = await lockSandboxOperations(tx, tenantId, authorizationId)
    const received = decideReceipt(command, ledger, at)
    const known = ledger.find(({ id }) => id === operationId)
    if (known !== undefined) return { row: known, card: received.card }
    if (received.row !== undefined) await insertSandboxOperation(tx, tenantId, received.row)
    return received
  })
}

/** Without a row for a token that the sandbox does not know, and for a fault without an effect. */
function decideReceipt(command: Execution, ledger: readonly SandboxRow[], at: Date): Received {
  const token = command.paymentDetails?.token ?? ledger.find(({ id }) => id === command.authorizationId)?.token ?? ''
  const card = findTestCard(token)
  if (card === undefined) return { card }
  const fault = findFault(token, command.type, command.amount)
  const isLost = fault?.kind === 'unreachable' || (fault?.kind === 'timeout' && !fault.applied)
  return isLost ? { fault, card } : { row: buildRow(command, { ledger, card, fault, at }), fault, card }
}

interface Receipt {
  readonly ledger: readonly SandboxRow[]
  readonly card: TestCard
  readonly fault: Fault | undefined
  readonly at: Date
}

function buildRow(command: Execution, { ledger, card, fault, at: receivedAt }: Receipt): SandboxRow {
  const { account, operationId: id, authorizationId, type, amount, amountReleased, currency } = command
  const { token = null, paymentMethod = null, returnUrl = null } = command.paymentDetails ?? {}
  const declineCode = findDeclineCode(command, ledger, fault)
  const respondsAt = new Date(receivedAt.getTime() + card.delayMs)
  const isOpen = fault?.kind === 'pending' || fault?.kind === 'silent'
  const challenge =
    declineCode === null && fault?.kind === 'challenge' ? createChallenge(fault, returnUrl, receivedAt) : null
  const failsLater = declineCode === null && fault?.kind === 'fails_later'
  return {
    id,
    tenantId: account.tenantId,
    paymentOrchestratorId: account.paymentOrchestratorId,
    authorizationId,
    type,
    state:
      declineCode !== null ? 'declined' : challenge !== null ? 'action_required' : isOpen ? 'pending' : 'succeeded',
    token,
    paymentMethod,
    amount: fault?.kind === 'amount_mismatch' ? amount + 1 : amount,
    amountReleased,
    currency,
    declineCode,
    syncCount: 0,
    failsAt: failsLater ? new Date(respondsAt.getTime() + failsAfterMs) : null,
    receivedAt,
    respondsAt,
    ...(challenge ?? withoutChallenge),
  }
}

const failsAfterMs = 5_000

function findDeclineCode(
  { type, amount, amountReleased, paymentDetails }: Execution,
  ledger: readonly SandboxRow[],
  fault: Fault | undefined,
): DeclineCode | null {
  if (fault?.kind === 'declined') return fault.declineCode
  if (fault?.kind === 'challenge' && paymentDetails?.returnUrl == null) return 'authentication_required'
  const sum = (summed: OperationType) =>
    ledger
      .filter((row) => row.type === summed && row.state === 'succeeded')
      .reduce((total, row) => total + row.amount + row.amountReleased, 0)
  const left = {
    authorize: Number.POSITIVE_INFINITY,
    capture: sum('authorize') - sum('capture') - sum('void'),
    void: sum('authorize') - sum('capture') - sum('void'),
    refund:
      ledger.filter((row) => row.type === 'capture' && row.state === 'succeeded').reduce((t, r) => t + r.amount, 0) -
      sum('refund'),
  }[type]
  return amount + amountReleased > left ? 'amount_limit_exceeded' : null
}

async function syncOutcome(tx: Tx, command: Command, options: SandboxOptions): Promise<Outcome> {
  const { operationId } = command
  const { tenantId } = command.account
  const ledger = await lockSandboxOperations(tx, tenantId, command.authorizationId)
  const row = ledger.find(({ id }) => id === operationId) ?? (await findSandboxOperation(tx, tenantId, operationId))
  const token = ledger.find(({ id }) => id === command.authorizationId)?.token ?? ''
  const card = findTestCard(token)
  if (findFault(token, command.type, command.amount)?.kind === 'silent') throw new Error('the sandbox did not respond')
  if (row === null) {
    await insertSandboxOperation(tx, tenantId, neverReceivedRow(command, options.now()))
    return { kind: 'not_attempted', reason: 'the sandbox never received the operation' }
  }
  if (row.failsAt !== null) {
    const failed = failRefund(row)
    await updateSandboxOperation(tx, tenantId, failed)
    return toOutcome(failed, card, options)
  }
  if (row.state !== 'pending') {
    const isReported = row.state === 'action_required' || row.respondsAt <= options.now()
    return isReported ? toOutcome(row, card, options) : pendingOutcome(row)
  }
  const syncCount = row.syncCount + 1
  const resolved: SandboxRow = { ...row, syncCount, state: syncCount >= syncsUntilResolved ? 'succeeded' : 'pending' }
  await updateSandboxOperation(tx, tenantId, resolved)
  return toOutcome(resolved, card, options)
}

/** Ends an authorization that waits for the payer. The outcome of another one is read, as by a sync. */
async function cancelOutcome(
  tx: Tx,
  command: Command & { readonly reason: CancelReason },
  options: SandboxOptions,
): Promise<Outcome> {
  const { account, operationId, reason } = command
  const [row] = await lockSandboxOperations(tx, account.tenantId, operationId)
  if (row?.state !== 'action_required') return syncOutcome(tx, command, options)
  const canceled = { ...row, state: 'declined', declineCode: canceledBy[reason] } as const
  await updateSandboxOperation(tx, account.tenantId, canceled)
  return toOutcome(canceled, findTestCard(row.token ?? ''), options)
}

const canceledBy: Readonly<Record<CancelReason, DeclineCode>> = {
  expired: 'authentication_expired',
  requested: 'authentication_canceled',
  unusable: 'authentication_canceled',
}

const syncsUntilResolved = 2

/** The row of a succeeded refund after it has failed. */
export function failRefund(row: SandboxRow): SandboxRow {
  return { ...row, state: 'declined', declineCode: 'processing_error', failsAt: null }
}

const pageMax = 100

async function listReceived(tx: Tx, account: Account, { from, to, cursor }: ReportWindow): Promise<ReportPage> {
  const { tenantId, paymentOrchestratorId } = account
  const rows = await findReceived(tx, tenantId, paymentOrchestratorId, { from, to, after: cursor, limit: pageMax })
  const operations = rows.map((row) => {
    const { id: operationId, type, state, amount, currency, receivedAt } = row
    const reported = state === 'action_required' ? 'pending' : state
    return {
      operationId,
      providerReference: formatReference(row),
      type,
      state: reported,
      amount,
      currency,
      receivedAt,
    }
  })
  return { operations, next: rows.length < pageMax ? null : (rows.at(-1)?.id ?? null) }
}

function neverReceivedRow(command: Command, now: Date): SandboxRow {
  const { operationId: id, authorizationId, type, amount, currency } = command
  const { tenantId, paymentOrchestratorId } = command.account
  const nothing = { token: null, paymentMethod: null, amountReleased: 0, declineCode: null, failsAt: null }
  const times = { syncCount: 1, receivedAt: now, respondsAt: now }
  const ids = { id, tenantId, paymentOrchestratorId, authorizationId }
  return { ...ids, type, state: 'never_received', amount, currency, ...nothing, ...times, ...withoutChallenge }
}
