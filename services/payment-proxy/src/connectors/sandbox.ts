import { setTimeout as wait } from 'node:timers/promises'
import type { OperationType } from '../domain/operation.ts'
import type { Outcome } from '../domain/outcome.ts'
import type { Database } from '../store/database.ts'
import {
  findSandboxOperation,
  insertSandboxOperation,
  lockSandboxOperations,
  type SandboxRow,
  updateSandboxOperation,
} from '../store/sandbox-operations.ts'
import type { Connector, FollowUp } from './connector.ts'
import { type Fault, type TestCard, testCardOf } from './sandbox-token.ts'

/**
 * **What it does.** The sandbox is a payment provider that moves no money. It simulates an external provider, with the
 * faults that `sandbox-token.ts` lists.
 *
 * **Participants.** The connector below and the ledger of the sandbox (`sandbox_operations`), written in database
 * transactions of its own. Tests compare the ledger with the operations of the service.
 *
 * **Guarantees.**
 *
 * - The ledger survives a crash of the service.
 * - An operation id takes effect once.
 * - An amount above the authorized or captured amount is declined.
 * - An operation takes effect before its response is sent, so that a response can be lost.
 * - A sync of an unknown id rejects that id from then on, so the outcome "never received" stays true.
 *
 * **Not guaranteed.** The timing and the decline codes of a real provider.
 */
export function createSandbox(db: Database): Connector {
  const receive = (
    type: OperationType,
    command: FollowUp & Partial<Pick<Arrival, 'amountReleased' | 'token' | 'paymentMethod'>>,
    signal: AbortSignal,
  ) => execute(db, type, { amountReleased: 0, token: null, paymentMethod: null, ...command }, signal)
  return {
    type: 'sandbox',
    recognizes: (token) => testCardOf(token) !== undefined,
    authorize: (command, signal) => receive('authorize', { ...command, authorizationId: command.operationId }, signal),
    capture: (command, signal) => receive('capture', command, signal),
    void: (command, signal) => receive('void', command, signal),
    refund: (command, signal) => receive('refund', command, signal),
    sync: (command) => db.inTenant(command.tenantId, (tx) => syncOutcome(tx, command)),
  }
}

type Tx = Parameters<Parameters<Database['inTenant']>[1]>[0]
type Arrival = FollowUp & Pick<SandboxRow, 'amountReleased' | 'token' | 'paymentMethod'>

/** Simulates the arrival, the effect and the response of an operation, with the fault of the token. */
async function execute(db: Database, type: OperationType, arrival: Arrival, signal: AbortSignal): Promise<Outcome> {
  const { row, fault, card } = await db.inTenant(arrival.tenantId, (tx) => insertOnce(tx, type, arrival))
  if (fault?.kind === 'unreachable') return { kind: 'not_attempted', reason: 'the sandbox rejected the connection' }
  if (fault?.kind === 'timeout') throw new Error('the sandbox did not respond')
  if (row === undefined) throw new Error('the sandbox does not know the authorization')
  const delayMs = row.respondsAt.getTime() - Date.now()
  if (delayMs > 0) await wait(delayMs, undefined, { signal })
  return outcomeOf(row, card)
}

async function insertOnce(
  tx: Tx,
  type: OperationType,
  arrival: Arrival,
): Promise<{ row?: SandboxRow; fault?: Fault | undefined; card: TestCard | undefined }> {
  const ledger = await lockSandboxOperations(tx, arrival.tenantId, arrival.authorizationId)
  const token = arrival.token ?? ledger.find(({ id }) => id === arrival.authorizationId)?.token ?? ''
  const card = testCardOf(token)
  const known = ledger.find(({ id }) => id === arrival.operationId)
  if (known !== undefined || card === undefined) return { ...(known === undefined ? {} : { row: known }), card }
  const fault = card.faults[type]
  if (fault?.kind === 'unreachable' || (fault?.kind === 'timeout' && !fault.applied)) return { fault, card }
  const row = rowFor(type, arrival, ledger, card)
  await insertSandboxOperation(tx, arrival.tenantId, row)
  return { row, fault, card }
}

function rowFor(type: OperationType, arrival: Arrival, ledger: readonly SandboxRow[], card: TestCard): SandboxRow {
  const { operationId: id, tenantId, authorizationId, token, paymentMethod, amount, amountReleased, currency } = arrival
  const fault = card.faults[type]
  const declineCode = fault?.kind === 'declined' ? fault.declineCode : declineCodeOfLimit(type, arrival, ledger)
  const receivedAt = new Date()
  return {
    id,
    tenantId,
    authorizationId,
    type,
    state: declineCode !== null ? 'declined' : fault?.kind === 'pending' ? 'pending' : 'succeeded',
    token,
    paymentMethod,
    amount,
    amountReleased,
    currency,
    declineCode,
    syncCount: 0,
    receivedAt,
    respondsAt: new Date(receivedAt.getTime() + card.delayMs),
  }
}

/** Decline code when the amount exceeds the remaining amount, otherwise null. */
function declineCodeOfLimit(type: OperationType, arrival: Arrival, ledger: readonly SandboxRow[]): string | null {
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
  return arrival.amount + arrival.amountReleased > left ? 'amount_limit_exceeded' : null
}

async function syncOutcome(tx: Tx, command: FollowUp & { type: OperationType }): Promise<Outcome> {
  const { tenantId, operationId } = command
  const ledger = await lockSandboxOperations(tx, tenantId, command.authorizationId)
  const row = ledger.find(({ id }) => id === operationId) ?? (await findSandboxOperation(tx, tenantId, operationId))
  const card = testCardOf(ledger.find(({ id }) => id === command.authorizationId)?.token ?? '')
  if (row === null) {
    await insertSandboxOperation(tx, tenantId, neverReceived(command))
    return { kind: 'not_attempted', reason: 'the sandbox never received the operation' }
  }
  if (row.state !== 'pending') return row.respondsAt > new Date() ? pendingAs(row) : outcomeOf(row, card)
  const syncCount = row.syncCount + 1
  const resolved: SandboxRow = { ...row, syncCount, state: syncCount >= syncsUntilResolved ? 'succeeded' : 'pending' }
  await updateSandboxOperation(tx, tenantId, resolved)
  return outcomeOf(resolved, card)
}

const syncsUntilResolved = 2

function neverReceived(command: FollowUp & { type: OperationType }): SandboxRow {
  const { operationId: id, tenantId, authorizationId, type, amount, currency } = command
  const now = new Date()
  const nothing = { token: null, paymentMethod: null, amountReleased: 0, declineCode: null }
  const times = { syncCount: 1, receivedAt: now, respondsAt: now }
  return { id, tenantId, authorizationId, type, state: 'never_received', amount, currency, ...nothing, ...times }
}

function outcomeOf(row: SandboxRow, card: TestCard | undefined): Outcome {
  switch (row.state) {
    case 'succeeded': {
      const { amount, currency } = row
      const done = { kind: 'succeeded', providerReference: referenceOf(row), amount, currency } as const
      if (row.type !== 'authorize' || card === undefined) return done
      const { brand, last4 } = card
      return { ...done, paymentMethod: { type: row.paymentMethod ?? 'CREDIT_CARD', brand, last4 } }
    }
    case 'declined': {
      const declineCode = row.declineCode ?? 'processing_error'
      const retryable = declineCode === 'insufficient_funds'
      return {
        kind: 'declined',
        providerReference: referenceOf(row),
        declineCode,
        retryable,
        providerCode: declineCode,
      }
    }
    case 'pending':
      return pendingAs(row)
    case 'never_received':
      return { kind: 'not_attempted', reason: 'the sandbox received a sync of the operation before the operation' }
  }
}

function pendingAs(row: SandboxRow): Outcome {
  return { kind: 'pending', providerReference: referenceOf(row) }
}

function referenceOf({ id }: SandboxRow): string {
  return `sbx_${id.replaceAll('-', '')}`
}
