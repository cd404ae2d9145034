import { randomUUID } from 'node:crypto'
import type { App } from '@payments/chassis/request/app'
import { openBank, return_url } from './bank.ts'
import { paying, type TestTenant, type World } from './world.ts'

export const invitation = { communication_type: 'EMAIL', recipient: 'payer@example.com' }
export const invited = { i2p: true, invitation }

/** Calls the internal endpoints of invitations, as invite-to-pay does. */
export function asInviteToPay(world: World, { id: tenantId, businessUnitId }: TestTenant) {
  const base = `/internal/tenants/${tenantId}`
  const through = (app: App) => {
    const caller = world.createCallers(app).asService('invite-to-pay')
    return {
      create: async (body: { transaction_id?: string; transaction?: object; invitation?: object } = {}) => {
        const transaction = { business_unit_id: businessUnitId, currency: 'EUR', amount: 10_000, ...body.transaction }
        const sent = { transaction_id: randomUUID(), invitation, ...body, transaction }
        return caller.post(`${base}/invited-transactions`, sent)
      },
      invite: (id: string) => caller.send('post', `${base}/transactions/${id}/invitation`),
      find: (id: string) => caller.get(`${base}/transactions/${id}`),
      sync: (id: string, paymentId: string) =>
        caller.send('post', `${base}/transactions/${id}/payments/${paymentId}/sync`),
      cancel: (id: string, paymentId: string) =>
        caller.send('post', `${base}/transactions/${id}/payments/${paymentId}/cancel`),
      pay: (id: string, body: object = {}) =>
        caller.post(`${base}/transactions/${id}/payments`, {
          payment_id: randomUUID(),
          start_before: new Date(world.deps.now().getTime() + 10_000).toISOString(),
          amount: 10_000,
          currency: 'EUR',
          capture: false,
          ...paying('visa'),
          ...body,
        }),
    }
  }
  return { through, ...through(world.app) }
}

/** A new tenant with a transaction that a payer is invited to pay. */
export async function invitedTransaction(world: World, body: object = {}) {
  const tenant = world.tenant()
  const { status, body: created } = await tenant.create({ ...invited, ...body })
  if (status !== 201) throw new Error(JSON.stringify(created))
  return { tenant, id: created.id as string, payer: asInviteToPay(world, tenant) }
}

/** An invited transaction whose payment waits for the payer. */
export async function invitedConfirmation(world: World) {
  const { tenant, id, payer } = await invitedTransaction(world)
  const payment_id = randomUUID()
  const { body } = await payer.pay(id, { payment_id, return_url, ...paying('challenge') })
  return { tenant, id, payer, payment_id, bank: openBank(world, body.pending_operation.action.url) }
}
