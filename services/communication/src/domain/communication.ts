import type { FieldError } from '@payments/contracts/grammar/problem'
import { isRecipient, recipientErrors } from '@payments/contracts/nouns/communication-text'
import type { Communication, OutboxMessage } from '@payments/contracts/services/communication/contract'
import type { Item } from './items.ts'
import { sanitize } from './message-html.ts'
import { errorsOfLength, oneLine, type Rendered, rejectErrors, type Values } from './render.ts'
import type { CommunicationType } from './template.ts'
import { errorsOfChannel } from './template-rules.ts'

/** Sender and rendered text, stored while the communication is queued. */
export interface Content extends Rendered {
  readonly fromName: string
  readonly replyTo: string | null
}

export type ProviderName = 'outbox' | 'smtp' | 'http'

export interface CommunicationFacts {
  readonly id: string
  readonly businessUnitId: string
  readonly communicationType: CommunicationType
  readonly recipient: string
  readonly templateId: string | null
  /** Of the template as it was rendered. */
  readonly templateName: string | null
  readonly templateVersion: number | null
  /** The value of the variable `amount`, as the recipient reads it. */
  readonly amount: string | null
  readonly status: 'queued' | 'sent' | 'failed'
  readonly provider: ProviderName
  readonly providerMessageId: string | null
  readonly error: { readonly code: 'refused' | 'provider_unavailable'; readonly detail: string } | null
  readonly createdAt: Date
  readonly sentAt: Date | null
}

/** The fields of a request that say what to send. */
export interface Draft {
  readonly communicationType: CommunicationType
  readonly recipient: string
  readonly templateId: string | null
  readonly variables: Values | null
  /** Lines of the order. Null: the caller gives variables alone. */
  readonly items: readonly Item[] | null
  /** Language of the recipient. Null: of the business unit. */
  readonly locale: string | null
  readonly subject: string | null
  readonly text: string | null
  readonly html: string | null
}

/** Throws invalid_request with every field that does not fit the channel, or the other way of giving the text. */
export function requireUsableDraft(draft: Draft): void {
  const { communicationType, templateId } = draft
  rejectErrors([
    ...errorsOfRecipient(communicationType, draft.recipient),
    ...(templateId === null ? errorsOfText(draft) : errorsBesideTemplate(draft)),
  ])
}

function errorsOfRecipient(type: CommunicationType, recipient: string): FieldError[] {
  return isRecipient(type, recipient) ? [] : [{ pointer: '/recipient', detail: recipientErrors[type] }]
}

function errorsBesideTemplate(draft: Draft): FieldError[] {
  const parts = ['subject', 'text', 'html'] as const
  const given = parts.filter((part) => draft[part] !== null)
  return given.map((part) => ({ pointer: `/${part}`, detail: 'must be absent with `template_id`' }))
}

function errorsOfText(draft: Draft): FieldError[] {
  const { communicationType, subject, text, html, variables, locale } = draft
  return [
    ...(text === null ? [{ pointer: '/text', detail: 'is required without `template_id`' }] : []),
    ...(variables === null ? [] : [{ pointer: '/variables', detail: 'must be absent without `template_id`' }]),
    ...(locale === null ? [] : [{ pointer: '/locale', detail: 'must be absent without `template_id`' }]),
    ...errorsOfChannel(communicationType, { subject, html }),
    ...errorsOfLength(communicationType, { subject, text: text ?? '', html }, null),
  ]
}

/** The text of a draft without a template, which has no variables. */
export function renderWithoutTemplate({ subject, text, html }: Draft): Rendered {
  return {
    subject: subject === null ? null : oneLine(subject),
    text: text ?? '',
    html: html === null ? null : sanitize(html),
  }
}

export function presentCommunication(communication: CommunicationFacts): Communication {
  return {
    id: communication.id,
    object: 'communication',
    business_unit_id: communication.businessUnitId,
    communication_type: communication.communicationType,
    recipient: communication.recipient,
    template_id: communication.templateId,
    template_name: communication.templateName,
    template_version: communication.templateVersion,
    amount: communication.amount,
    status: communication.status,
    provider: communication.provider,
    provider_message_id: communication.providerMessageId,
    error: communication.error,
    created_at: communication.createdAt.toISOString(),
    sent_at: communication.sentAt?.toISOString() ?? null,
  }
}

export interface OutboxMessageFacts
  extends Pick<CommunicationFacts, 'id' | 'communicationType' | 'recipient' | 'createdAt'> {
  /** Null: on behalf of the tenant. */
  readonly businessUnitId: string | null
  readonly content: Content
}

export function presentOutboxMessage(message: OutboxMessageFacts): OutboxMessage {
  const { fromName, replyTo, subject, text, html } = message.content
  return {
    id: message.id,
    business_unit_id: message.businessUnitId,
    communication_type: message.communicationType,
    from_name: fromName,
    reply_to: replyTo,
    recipient: message.recipient,
    subject,
    text,
    html,
    created_at: message.createdAt.toISOString(),
  }
}
