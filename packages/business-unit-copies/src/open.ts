import { openConnection } from '@payments/messaging/broker/connection'
import type { EventTrust } from '@payments/messaging/consume/event-reader'
import type { OpenOutbox, OpenOutboxOptions } from '@payments/messaging/outbox/open-outbox'
import { consumeBusinessUnits } from './consumer.ts'
import { type BusinessUnitCopies, type BusinessUnitCopiesOptions, createBusinessUnitCopies } from './copies.ts'

export interface OpenOptions extends BusinessUnitCopiesOptions, Pick<OpenOutboxOptions, 'broker' | 'log' | 'metrics'> {
  /** The service that stores the copies. */
  readonly service: string
  readonly trust: EventTrust
  /** For messages that are quarantined. Its owner closes it after the copies. */
  readonly publisher: OpenOutbox['publisher']
}

export interface OpenBusinessUnitCopies extends BusinessUnitCopies {
  /** Resolves with null, or with the reason why events do not arrive. */
  check(): Promise<string | null>
  /** Ends the consumer and its connection. */
  close(): Promise<void>
}

/** The copies of a process, and the consumer that updates them, on a connection of its own. */
export async function openBusinessUnitCopies(options: OpenOptions): Promise<OpenBusinessUnitCopies> {
  const { broker, service, trust, publisher, log, metrics } = options
  const copies = createBusinessUnitCopies(options)
  const connection = await openConnection({ url: broker.url, purpose: 'consume', name: service, log })
  const consumer = consumeBusinessUnits({
    copies,
    connection,
    publisher,
    prefix: broker.prefix,
    service,
    trust,
    log,
    metrics,
  })
  return {
    ...copies,
    check: async () => {
      const readiness = consumer.ready()
      return readiness.ready ? null : readiness.reason
    },
    close: async () => {
      await consumer.stop()
      await connection.close()
    },
  }
}
