import { auditMessageBytesMax, auditQueue } from '@payments/contracts/edges/audit-line'

export interface AuditMessage {
  /** One of the queues of records, without prefix. */
  readonly queue: string
  readonly body: Buffer
}

/** Fewer bytes are one message, because each message costs something. */
const shardedBytesMin = 64 * 1024

/**
 * Divides whole lines into messages. Few lines are one message for the queue of any tenant. More lines are divided by
 * shard, so that a tenant with many records delays only the tenants of its shard.
 */
export function divideIntoMessages(lines: Buffer): readonly AuditMessage[] {
  if (lines.length < shardedBytesMin) return [{ queue: auditQueue.name, body: lines }]
  const messages: { queue: string; parts: Buffer[]; length: number }[] = []
  const current = new Map<string, (typeof messages)[number]>()
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf('\n', start) + 1 || lines.length
    const line = lines.subarray(start, end)
    const queue = selectQueue(line)
    let message = current.get(queue)
    if (message === undefined || message.length + line.length > auditMessageBytesMax) {
      message = { queue, parts: [], length: 0 }
      current.set(queue, message)
      messages.push(message)
    }
    message.parts.push(line)
    message.length += line.length
    start = end
  }
  return messages.map(({ queue, parts, length }) => ({ queue, body: Buffer.concat(parts, length) }))
}

/** JSON escapes the quotation marks of a string, so only the key itself has these bytes. */
const tenantKey = Buffer.from('"tenant_id":"')
const tenantIdLength = 36

/** The shard of the tenant, by the last digit of its id, which is random. A line without a tenant has none. */
function selectQueue(line: Buffer): string {
  const key = line.indexOf(tenantKey)
  if (key < 0) return auditQueue.name
  const lastDigit = key + tenantKey.length + tenantIdLength - 1
  const digit = Number.parseInt(line.toString('latin1', lastDigit, lastDigit + 1), 16)
  return auditQueue.shards[digit % auditQueue.shards.length] ?? auditQueue.name
}
