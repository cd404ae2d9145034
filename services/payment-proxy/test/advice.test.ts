import { afterAll, beforeAll, expect } from '@jest/globals'
import { problems } from '@payments/contracts/services/payment-proxy/contract'
import { adviceSuite } from '@payments/testing/suites/advice'
import { createApp } from '../src/app.ts'
import type { ProviderCalls } from '../src/connectors/provider-calls.ts'
import { return_url, waitingPayment } from './bank.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

/** The service while the provider cannot be reached by the first operation of a type. */
function unreachableOnce(type: 'authorize' | 'capture') {
  const { providerCalls: provider } = world.deps
  let isReachable = false
  const send: ProviderCalls['send'] = async (request) => {
    if (isReachable || request.operation.type !== type) return provider.send(request)
    isReachable = true
    return { kind: 'not_attempted', reason: 'the connection was refused' }
  }
  return createApp({ ...world.deps, providerCalls: { ...provider, send } })
}

const reference = { external_reference: 'order-1' }
const ofInvitations = 'services/invite-to-pay/test/advice.test.ts'

adviceSuite(
  problems,
  [
    {
      problem: 'payment_declined',
      advice: 'complete the transaction with another token',
      given: async () => {
        const tenant = world.tenant()
        return {
          rejected: () => tenant.authorize('insufficient_funds', reference),
          advised: ({ transaction_id }) => tenant.complete(transaction_id),
        }
      },
    },
    {
      problem: 'payment_declined',
      advice: 'capture or void the transaction when the stage is capture',
      given: async () => {
        const tenant = world.tenant()
        const advised = async ({ stage, transaction_id: id }: Record<string, string>) => {
          expect(stage).toBe('capture')
          expect((await tenant.capture(String(id), { amount: 410_000 })).status).toBe(200)
          return tenant.void(String(id))
        }
        // The sandbox declines a capture of this amount.
        return { rejected: () => tenant.authorize('visa', { amount: 410_005, capture: true }), advised }
      },
    },
    {
      problem: 'payment_declined',
      advice: 'send return_url after authentication_required',
      given: async () => {
        const tenant = world.tenant()
        const advised = async ({ decline_code, transaction_id }: Record<string, string>) => {
          expect(decline_code).toBe('authentication_required')
          const reply = await tenant.complete(String(transaction_id), 'challenge', { return_url })
          expect(reply.body.pending_operation.state).toBe('action_required')
          return reply
        }
        return { rejected: () => tenant.authorize('challenge'), advised }
      },
    },
    {
      problem: 'provider_unreachable',
      advice: 'send the request again with the same Idempotency-Key',
      given: async () => {
        const tenant = world.tenant()
        const caller = tenant.through(unreachableOnce('authorize'))
        const authorize = () => caller.authorize('visa', reference, 'key')
        const advised = async ({ transaction_id }: Record<string, string>) => {
          const reply = await authorize()
          expect(reply.body).toMatchObject({ id: transaction_id, status: 'authorized' })
          return reply
        }
        return { rejected: authorize, advised }
      },
    },
    {
      problem: 'provider_unreachable',
      advice: 'complete the transaction of an authorization',
      given: async () => {
        const tenant = world.tenant()
        return {
          rejected: () => tenant.authorize('unreachable', reference),
          advised: ({ transaction_id }) => tenant.complete(transaction_id),
        }
      },
    },
    {
      problem: 'provider_unreachable',
      advice: 'capture or void the transaction when the stage is capture',
      given: async () => {
        const tenant = world.tenant()
        const caller = tenant.through(unreachableOnce('capture'))
        const advised = async ({ stage, transaction_id: id }: Record<string, string>) => {
          expect(stage).toBe('capture')
          expect((await caller.capture(String(id), { amount: 4_000 })).status).toBe(200)
          return caller.void(String(id))
        }
        return { rejected: () => caller.authorize('visa', { capture: true }), advised }
      },
    },
    {
      problem: 'operation_in_progress',
      advice: 'send the request again once the payer has confirmed',
      given: async () => {
        const { tenant, id, bank } = await waitingPayment(world)
        const advised = async () => {
          await bank.decide('confirm')
          await tenant.sync(id)
          return tenant.capture(id)
        }
        return { rejected: () => tenant.capture(id), advised }
      },
    },
    {
      problem: 'operation_in_progress',
      advice: 'cancel an authorization that waits for the payer by a void',
      given: async () => {
        const { tenant, id } = await waitingPayment(world)
        return { rejected: () => tenant.complete(id), advised: () => tenant.void(id) }
      },
    },
    {
      problem: 'amount_exceeds_capturable',
      advice: 'capture amount_capturable',
      given: async () => {
        const { tenant, id } = await world.authorized()
        await tenant.capture(id, { amount: 4_000 })
        return {
          rejected: () => tenant.capture(id, { amount: 6_001 }),
          advised: ({ amount_capturable: amount }) => tenant.capture(id, { amount }),
        }
      },
    },
    {
      problem: 'amount_exceeds_refundable',
      advice: 'refund amount_refundable',
      given: async () => {
        const { tenant, id } = await world.captured()
        await tenant.refund(id, { amount: 4_000 })
        return {
          rejected: () => tenant.refund(id, { amount: 6_001 }),
          advised: ({ amount_refundable: amount }) => tenant.refund(id, { amount }),
        }
      },
    },
    {
      problem: 'external_reference_taken',
      advice: 'void the transaction that has the reference, before an authorization',
      given: async () => {
        const tenant = world.tenant()
        await tenant.create(reference)
        const advised = async ({ transaction_id }: Record<string, string>) => {
          await tenant.void(String(transaction_id))
          return tenant.authorize('visa', reference)
        }
        return { rejected: () => tenant.authorize('visa', reference), advised }
      },
    },
  ],
  {
    invalid_transaction_state: 'services/payment-proxy/test/allowed-actions.test.ts',
    too_many_operations: 'services/payment-proxy/test/operations-max.test.ts',
    code_not_active: ofInvitations,
    resend_too_soon: ofInvitations,
    resend_limit_reached: ofInvitations,
    payment_orchestrator_without_page: 'services/invite-to-pay/test/show-pay-page.test.ts',
  },
)
