import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { Message, Provider } from '../src/providers/provider.ts'

/** The promises of every provider, on the service that it calls. */
export interface ProviderSubject {
  readonly provider: Provider
  /** Whether what the service received of this message contains the text. */
  readonly hasReceived: (message: Message, text: string) => Promise<boolean>
}

export function buildMessage(changes: Partial<Message['content']> = {}, recipient = 'payer@example.com'): Message {
  const content = { fromName: 'Berlin Coffee', replyTo: 'shop@example.com', subject: 'Hi', text: 'Text', html: null }
  return {
    id: randomUUID(),
    tenantId: randomUUID(),
    businessUnitId: randomUUID(),
    communicationType: 'EMAIL',
    recipient,
    content: { ...content, ...changes },
  }
}

const patient = () => new AbortController().signal

export function providerSuite(subject: () => ProviderSubject): void {
  describe('a provider', () => {
    test('accepts a message with all of its parts', async () => {
      const { provider, hasReceived } = subject()
      const message = buildMessage({ subject: 'Subject 4711', text: 'Body 4712', html: '<p>Html 4713</p>' })
      expect(await provider.send(message, patient())).toMatchObject({ kind: 'accepted' })
      for (const part of [
        'Subject 4711',
        'Body 4712',
        'Html 4713',
        'Berlin Coffee',
        'shop@example.com',
        message.recipient,
      ])
        expect([part, await hasReceived(message, part)]).toEqual([part, true])
    })

    test('accepts the same message again', async () => {
      const { provider } = subject()
      const message = buildMessage()
      const first = await provider.send(message, patient())
      expect(await provider.send(message, patient())).toEqual(first)
    })

    test('takes sixteen messages at once', async () => {
      const { provider, hasReceived } = subject()
      const messages = Array.from({ length: 16 }, (_, i) => buildMessage({ text: `Number ${i}.` }))
      const outcomes = await Promise.all(messages.map((message) => provider.send(message, patient())))
      expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['accepted']))
      for (const [i, message] of messages.entries()) expect(await hasReceived(message, `Number ${i}.`)).toBe(true)
    })
  })
}
