import type { StoredMessage } from '@payments/contracts/services/communication/payers'
import type { CommunicationFacts } from './communication.ts'

interface Message extends Omit<CommunicationFacts, 'provider' | 'error'> {
  readonly provider: string
  readonly error: unknown
  readonly content: unknown
}

/**
 * Everything that is stored about a message, without the codes of links to pay: an operator who reads it could pay or
 * pass them on. `sentText`: the text in the development outbox.
 */
export function presentStoredMessage(message: Message, sentText: unknown): StoredMessage {
  return {
    id: message.id,
    business_unit_id: message.businessUnitId,
    communication_type: message.communicationType,
    recipient: message.recipient,
    template_id: message.templateId,
    status: message.status,
    provider: message.provider,
    provider_message_id: message.providerMessageId,
    error: toObject(message.error),
    content: withoutLinks(toObject(message.content) ?? toObject(sentText)),
    created_at: message.createdAt.toISOString(),
    sent_at: message.sentAt?.toISOString() ?? null,
  }
}

const toObject = (value: unknown) =>
  value !== null && typeof value === 'object' ? (value as Readonly<Record<string, unknown>>) : null

/** The code in a link of invite-to-pay. */
const code = /(?<=\/pay\/)[\w-]{22}(?![\w-])/g

const withoutLinks = (content: ReturnType<typeof toObject>) =>
  content &&
  Object.fromEntries(
    Object.entries(content).map(([name, text]) => [name, typeof text === 'string' ? text.replaceAll(code, '…') : text]),
  )
