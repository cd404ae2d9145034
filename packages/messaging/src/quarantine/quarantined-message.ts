import type { QueuedDeadLetter } from '@payments/contracts/endpoints/quarantine'
import { parseJson } from '@payments/contracts/grammar/json'
import type { BrowsedMessage } from './queue-browser.ts'

/** Shows a message that no handler could process. Each member may be missing or have any type. */
export function presentQuarantined({ messageId, body, headers }: BrowsedMessage): QueuedDeadLetter {
  const content = parseContent(body)
  const member = (...names: string[]) => names.map((name) => content[name]).find((value) => typeof value === 'string')
  const header = (name: string) => (typeof headers[name] === 'string' ? headers[name] : undefined)
  const at = new Date(header('x-quarantine-at') ?? Number.NaN)
  const reason = header('x-quarantine-reason') ?? 'delivery limit'
  const detail = header('x-quarantine-detail') ?? 'the message was redelivered too often'
  return {
    id: messageId,
    tenant_id: toText(member('tenant_id')),
    business_unit_id: toText(member('business_unit_id')),
    event_type: toText(member('type')),
    tenant_event_id: toText(member('id')),
    destination_url: null,
    attempts: 0,
    last_error: `${reason}: ${detail}`,
    dead_at: Number.isNaN(at.getTime()) ? null : at.toISOString(),
  }
}

/** The queue that the message came from: in our header, or in the header of the broker. */
export function readOrigin({ headers }: Pick<BrowsedMessage, 'headers'>): string | undefined {
  const origin = headers['x-quarantine-queue'] ?? headers['x-first-death-queue']
  return typeof origin === 'string' ? origin : undefined
}

const ofQuarantine = /^x-(quarantine-|death$|first-death-|last-death-|delivery-count$|acquired-count$)/

/** The headers that the message had before its quarantine, such as a signature. */
export function originalHeaders({ headers }: Pick<BrowsedMessage, 'headers'>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofQuarantine.test(name)))
}

/** An unreadable body is one of the reasons for quarantine. */
function parseContent(body: Buffer): Record<string, unknown> {
  const parsed = parseJson(body.toString('utf8'))
  return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
}

function toText(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, 200) : null
}
