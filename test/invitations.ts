import type { Platform } from '@payments/testing/platform/local-stack'
import type { Call, Onboarded } from './tenant.ts'

export interface MessageInOutbox {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Waits up to a minute. */
export async function eventually<T>(find: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (const deadlineAt = Date.now() + 60_000; ; ) {
    const found = await find()
    if (found !== undefined) return found
    if (Date.now() > deadlineAt) throw new Error('it did not happen within a minute')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

export type Invitations = ReturnType<typeof createInvitations>

/** Invitations to pay of a tenant, and the messages that its payers get. */
export function createInvitations(platform: Pick<Platform, 'gatewayUrl'>, tenant: Onboarded, call: Call) {
  let count = 0
  /** A recipient of its own per invitation: the outbox is searched by it. */
  const nextRecipient = () => {
    count += 1
    return `payer-${count}@${tenant.tenant_id}.example`
  }
  const transaction = () => ({
    business_unit_id: tenant.business_unit_id,
    currency: 'EUR',
    transaction: { transaction_items: [{ name: 'Coffee beans, 1 kg', unit_amount: 1999, quantity: 2 }] },
  })
  /** The messages in the outbox for a recipient, oldest first, once there are `least`. */
  const messagesFor = (recipient: string, least: number): Promise<MessageInOutbox[]> =>
    eventually(async () => {
      const { body } = await call('GET', `/v1/communication/outbox?recipient=${encodeURIComponent(recipient)}`)
      return body.data.length >= least ? body.data.toReversed() : undefined
    })
  return {
    nextRecipient,
    transaction,
    messagesFor,
    createCode: async (fields: object = {}) => {
      const body = {
        transaction: transaction(),
        communication_type: 'EMAIL',
        recipient: nextRecipient(),
        capture: true,
        ...fields,
      }
      const created = await call('POST', '/v1/invite-to-pay/codes', body)
      if (created.status !== 201) throw new Error(JSON.stringify(created.body))
      return created.body
    },
    linkFor: async (recipient: string, least = 1): Promise<string> => {
      const message = (await messagesFor(recipient, least)).at(-1)
      const [link = ''] = /http:\S+\/pay\/[\w-]+/.exec(message?.text ?? '') ?? []
      if (!link.startsWith(platform.gatewayUrl)) throw new Error(`no link in ${message?.text}`)
      return link
    },
  }
}
