import { setTimeout as delay } from 'node:timers/promises'
import { withClient } from '@payments/devkit/servers/databases'
import { readBooks } from '@payments/testing/platform/payment-books'
import { createLoad } from '../faults/load.ts'
import type { FaultRow } from '../faults/report.ts'
import type { PaymentFault } from './faults.ts'
import { makePayment, type Payment, providerTokens, sandboxTokens } from './payer.ts'
import type { World } from './world.ts'

/** One line of the table. */
export interface Row extends FaultRow {
  readonly injected: number
  readonly payments: number
  readonly operations: number
  /** Operations without an outcome at the end. */
  readonly open: number
  /** Differences between the books and the ledger of the provider. */
  readonly differences: number
  /** Payments whose amounts are not those that a response confirmed. */
  readonly wrong: number
}

export const columns = [
  'fault',
  'injected',
  'payments',
  'operations',
  'open',
  'differences',
  'wrong',
  'seconds',
] as const satisfies readonly (keyof Row)[]

const settleTimeoutMs = 120_000

export async function runPaymentFault(world: World, fault: PaymentFault): Promise<Row> {
  const startedAt = performance.now()
  const { provider, call, unit } = world
  const ofProvider = { orchestrator: provider.orchestrator, tokens: fault.tokens ?? providerTokens }
  const means = fault.atProvider === true ? ofProvider : { tokens: sandboxTokens }
  const payments: Payment[] = []
  const load = createLoad(async (number) => {
    const payment = await makePayment(call, unit, means, number)
    if (payment !== undefined) payments.push(payment)
  })
  const broken: string[] = []
  let injected = 0
  load.start()
  try {
    injected = await fault.run(world, load)
  } catch (error) {
    broken.push(String(error))
  }
  await load.stop().catch((error: unknown) => broken.push(String(error)))
  await provider.report('once').catch((error: unknown) => broken.push(String(error)))
  const books = await settledBooks(world)
  const wrong = await wrongPayments(world, payments)
  broken.push(...books.differences, ...wrong, ...world.deaths.splice(0))
  if (books.open > 0) broken.push(`${books.open} operations are open after ${settleTimeoutMs} ms`)
  return {
    fault: fault.name,
    injected,
    payments: payments.length,
    operations: books.operations,
    open: books.open,
    differences: books.differences.length,
    wrong: wrong.length,
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
    broken,
  }
}

/** The sweeper resumes open operations as they become due; here they are due at once. */
async function settledBooks({ booksUrl, provider }: World) {
  const deadlineAt = performance.now() + settleTimeoutMs
  for (;;) {
    const books = await readBooks(booksUrl, provider.ledger())
    if (books.open === 0 || performance.now() > deadlineAt) return books
    await withClient(booksUrl, async (owner) => {
      await owner.query(`SET app.tenant_id = '*'`)
      await owner.query('UPDATE operations SET due_at = now() WHERE due_at > now()')
    })
    await delay(500)
  }
}

/** A payment with an unconfirmed step may have moved more than its responses say, and never less. */
async function wrongPayments({ call }: World, payments: readonly Payment[]): Promise<string[]> {
  const wrong: string[] = []
  for (const { id, reference, confirmed, isComplete } of payments) {
    const { body } = await call('GET', `/v1/payment-proxy/transactions/${id}`)
    const amounts = { captured: body.amount_captured, refunded: body.amount_refunded }
    const isExact = amounts.captured === confirmed.captured && amounts.refunded === confirmed.refunded
    const isMore = amounts.captured >= confirmed.captured && amounts.refunded >= confirmed.refunded
    if (isComplete ? !isExact : !isMore) {
      wrong.push(`${id}: ${JSON.stringify(amounts)} instead of ${JSON.stringify(confirmed)}`)
    }
    const { body: found } = await call('GET', `/v1/payment-proxy/transactions?external_reference=${reference}`)
    if (found.data.length !== 1) wrong.push(`${reference}: ${found.data.length} transactions instead of 1`)
  }
  return wrong
}
