import type { Database } from '../store/database.ts'
import { insertOutboxMessage } from '../store/outbox-messages.ts'
import { acceptedOutcome, type Provider } from './provider.ts'

/** Stores messages in a table instead of sending them: for development and tests. Stores each message id once. */
export function createOutbox(db: Pick<Database, 'inTenant'>): Provider {
  return {
    name: 'outbox',
    send: async (message) => {
      await db.inTenant(message.tenantId, (tx) => insertOutboxMessage(tx, message.tenantId, message))
      return acceptedOutcome(message.id)
    },
  }
}
