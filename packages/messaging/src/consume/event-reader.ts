import type { AssertionKeys } from '@payments/chassis/assertion/assertion'
import { type EventRejection, eventRejections, verifyEvent } from '@payments/contracts/edges/event-signature'
import { mayEmit } from '@payments/contracts/edges/events'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { Counter, type Registry } from 'prom-client'
import { readEventMessage } from '../broker/event-message.ts'
import type { IncomingMessage } from './incoming-message.ts'

/**
 * The `read` function of consumers of events. `keys`: by producer. Throws, so that the message is quarantined, if the
 * body is not an event, if its HMAC is not that of its producer, or if the contract of its producer has no such event.
 */
export function eventReader(
  consumer: string,
  keys: AssertionKeys,
  metrics?: Registry,
): (body: Buffer, message: Pick<IncomingMessage, 'headers'>) => EventMessage {
  const refused = metrics && registerRejected(metrics)
  const refuse = (rejection: EventRejection): never => {
    refused?.inc({ reason: rejection })
    throw new Error(`rejected the event: ${rejection.replace('_', ' ')}`)
  }
  return (body, { headers }) => {
    const verified = verifyEvent(headers, body, { consumer, keys })
    if (!('producer' in verified)) return refuse(verified.rejection)
    const event = readEventMessage(body)
    return mayEmit(verified.producer, event.type) ? event : refuse('foreign_type')
  }
}

function registerRejected(registry: Registry): Counter<'reason'> {
  const name = 'event_messages_refused_total'
  const known = registry.getSingleMetric(name)
  if (known instanceof Counter) return known
  const counter = new Counter({
    name,
    help: 'Events without the HMAC of a producer that may emit them; they are quarantined',
    labelNames: ['reason'],
    registers: [registry],
  })
  // An alert on an increase requires the series from the start.
  for (const reason of eventRejections) counter.inc({ reason }, 0)
  return counter
}
