import type { AssertionKeys } from '@payments/chassis/assertion/assertion'
import { type EventRejection, eventRejections, verifyEvent } from '@payments/contracts/edges/event-signature'
import { mayEmit } from '@payments/contracts/edges/events'
import type { EventMessage } from '@payments/contracts/grammar/event'
import { Counter, type Registry } from 'prom-client'
import { readEventMessage } from '../broker/event-message.ts'
import { sharedMetric } from './consume-metrics.ts'
import type { IncomingMessage } from './incoming-message.ts'

/**
 * The `read` function of consumers of events. `keys`: by producer. Throws, so that the message is quarantined, if the
 * body is not an event, if its producer has not signed it, or if the contract of its producer has no such event.
 */
export function eventReader(
  consumer: string,
  keys: AssertionKeys,
  metrics: Registry,
): (body: Buffer, message: Pick<IncomingMessage, 'headers'>) => EventMessage {
  const refused = registerRejected(metrics)
  const refuse = (rejection: EventRejection): never => {
    refused.inc({ reason: rejection })
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
  return sharedMetric(registry, 'event_messages_refused_total', (name) => {
    const help = 'Events without the HMAC of a producer that may emit them; they are quarantined'
    const counter = new Counter({ name, help, labelNames: ['reason'], registers: [registry] })
    // An alert on an increase requires the series from the start.
    for (const reason of eventRejections) counter.inc({ reason }, 0)
    return counter
  })
}
