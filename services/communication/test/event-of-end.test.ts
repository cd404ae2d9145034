import { expect, test } from '@jest/globals'
import { newId } from '@payments/chassis/base/id'
import { EventRejected } from '@payments/messaging/outbox/outbox'
import { requireEncodableEnd } from '../src/delivery/queues.ts'
import type { CommunicationFacts } from '../src/domain/communication.ts'

const origin = { tenantId: newId(), traceId: newId() }
const queued: CommunicationFacts = {
  id: newId(),
  businessUnitId: newId(),
  communicationType: 'EMAIL',
  recipient: 'payer@example.com',
  templateId: null,
  templateName: null,
  templateVersion: null,
  amount: null,
  status: 'queued',
  provider: 'smtp',
  providerMessageId: null,
  error: null,
  createdAt: new Date(),
  sentAt: null,
}

test('a message whose event can be written is queued', () => {
  expect(() => requireEncodableEnd(queued, origin)).not.toThrow()
})

test.each<[string, Partial<CommunicationFacts>]>([
  ['half of a surrogate pair', { amount: '\ud800' }],
  ['a payload that is too long', { templateName: 'x'.repeat(1_100_000) }],
])('a message whose event is rejected is not queued: %s', (_fault, fault) => {
  expect(() => requireEncodableEnd({ ...queued, ...fault }, origin)).toThrow(EventRejected)
})
