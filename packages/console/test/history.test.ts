import { expect, test } from '@jest/globals'
import { eventEntries, type ReadEvent } from '../src/pages/invitations/history.ts'

const declined = { code: 'insufficient_funds', detail: 'The payment was declined.' }

const event = (version: number, type: string, code: object): ReadEvent => ({
  tenant_event_id: `event-${version}`,
  event_type: type,
  occurred_at: `2026-11-26T12:00:0${version}.000Z`,
  source_trace_id: '0191e4a2-0000-7d11-8c55-91b6e0a7c001',
  payload: { code: { recipient: 'a@example.com', last_error: null, status: 'active', ...code, version } },
})

const update = (version: number, code: object) => event(version, 'invite-to-pay.codes.update', code)
const shown = (events: readonly ReadEvent[]) =>
  eventEntries(events).map(({ title, detail }) => (detail === null ? title : `${title}: ${detail}`))

test('each event is a step in words, with the reason of a failure, also of a repeated one', () => {
  const events = [
    event(1, 'invite-to-pay.codes.create', {}),
    update(2, { recipient: 'b@example.com' }),
    event(3, 'payment-proxy.i2p.resend', { recipient: 'b@example.com' }),
    update(4, { recipient: 'b@example.com', status: 'processing' }),
    update(5, { recipient: 'b@example.com', last_error: declined }),
    update(6, { recipient: 'b@example.com', status: 'processing', last_error: declined }),
    update(7, { recipient: 'b@example.com', last_error: declined }),
    update(8, { recipient: 'b@example.com', status: 'completed' }),
  ]
  const steps = [
    'Created',
    'Changed: to b@example.com',
    'Sent again',
    'Payment started',
    'Payment not completed: The payment was declined. (insufficient_funds)',
    'Payment started',
    'Payment not completed: The payment was declined. (insufficient_funds)',
    'Authorized',
  ]
  expect(shown(events)).toEqual(steps)
  expect(shown(events.toReversed())).toEqual(steps)
})

test('an event whose payload is not read yet has a title', () => {
  const { payload: _, ...unread } = update(2, {})
  expect(shown([unread, event(1, 'invite-to-pay.codes.create', {})])).toEqual(['Created', 'Changed'])
})
