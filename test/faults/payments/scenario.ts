import { setTimeout as delay } from 'node:timers/promises'
import { withClient } from '@payments/devkit/servers/databases'
import { readBooks } from '@payments/testing/platform/payment-books'
import { createLoad } from '../runner/load.ts'
import type { Checked, Round, Scenario } from '../runner/runner.ts'
import { type PaymentFault, paymentFaults } from './faults.ts'
import { makePayment, type Payment, providerTokens, sandboxTokens } from './payer.ts'
import { openWorld, type World } from './world.ts'

export const payments: Scenario<Round<World>, PaymentFault> = {
  faults: paymentFaults,
  open: openWorld,
  begin: async (world, fault) => {
    const { provider, call, unit, booksUrl } = world
    const before = await readBooks(booksUrl, provider.ledger())
    const ofProvider = { orchestrator: provider.orchestrator, tokens: fault.tokens ?? providerTokens }
    const means = fault.atProvider === true ? ofProvider : { tokens: sandboxTokens }
    const made: Payment[] = []
    const load = createLoad(async (number) => {
      const payment = await makePayment(call, unit, means, number)
      if (payment !== undefined) made.push(payment)
    })
    return { world, load, check: () => compareBooks(world, made, before.operations) }
  },
}

const settleTimeoutMs = 120_000

/** `before`: how many operations the books had before these payments. */
async function compareBooks(world: World, made: readonly Payment[], before: number): Promise<Checked> {
  const broken: string[] = []
  await world.provider.report('once').catch((error: unknown) => broken.push(String(error)))
  const { operations, open, differences } = await settledBooks(world)
  const wrong = await wrongPayments(world, made)
  broken.push(...differences, ...wrong)
  if (open > 0) broken.push(`${open} operations are open after ${settleTimeoutMs} ms`)
  const measured = {
    payments: made.length,
    operations: operations - before,
    open,
    differences: differences.length,
    wrong: wrong.length,
  }
  return { measured, broken }
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
