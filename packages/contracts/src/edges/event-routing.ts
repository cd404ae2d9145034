/**
 * The routing key of an event is its type. The events of a transaction without an invitation have the key
 * `uninvited.<type>`, so the queue of invite-to-pay does not take them; webhooks takes the events of all keys.
 */
const transactionTypes = 'payment-proxy.transactions.'
const uninvited = 'uninvited.'

/** `payload`: JSON text. A transaction whose payload does not say that it has no invitation may have one. */
export function buildRoutingKey(type: string, payload: string): string {
  return type.startsWith(transactionTypes) && isUninvited(payload) ? `${uninvited}${type}` : type
}

/** The keys that events of the type may have. */
export function listRoutingKeys(type: string): readonly string[] {
  return type.startsWith(transactionTypes) ? [type, `${uninvited}${type}`] : [type]
}

function isUninvited(payload: string): boolean {
  const { transaction } = JSON.parse(payload) as { transaction?: { i2p?: unknown } }
  return transaction?.i2p === false
}
