import { commonProblems, Problem } from '@payments/contracts/problem'
import type { QueuedDeadLetter } from '@payments/contracts/webhooks-dead-letters'
import type { QueueTaskRequest } from './dead-letter.ts'

interface Quarantined {
  readonly messageId: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, unknown>>
}

/** Shows a message that no handler could process. Each member may be missing or have any type. */
export function presentQuarantined({ messageId, body, headers }: Quarantined): QueuedDeadLetter {
  const content = contentOf(body)
  const member = (...names: string[]) => names.map((name) => content[name]).find((value) => typeof value === 'string')
  const header = (name: string) => (typeof headers[name] === 'string' ? headers[name] : undefined)
  const at = new Date(header('x-quarantine-at') ?? Number.NaN)
  const reason = header('x-quarantine-reason') ?? 'delivery limit'
  const detail = header('x-quarantine-detail') ?? 'the message was redelivered too often'
  return {
    id: messageId,
    tenant_id: shown(member('tenant_id')),
    business_unit_id: shown(member('business_unit_id')),
    event_type: shown(member('type')),
    tenant_event_id: shown(member('id')),
    destination_url: null,
    attempts: 0,
    last_error: `${reason}: ${detail}`,
    dead_at: Number.isNaN(at.getTime()) ? null : at.toISOString(),
  }
}

/**
 * The messages of a request: some by id, or all. Throws invalid_request for a filter or a rate, which only dead letters
 * support: the content of a quarantined message is not reliable.
 */
export function selectMessages<M extends Quarantined>(request: QueueTaskRequest, messages: readonly M[]): M[] {
  const { ids, ...filter } = request.selection
  const detail = 'is not supported for this queue'
  const errors = [
    ...(Object.keys(filter).length > 0 ? [{ pointer: '/filter', detail }] : []),
    ...(request.ratePerSecond !== null ? [{ pointer: '/rate_per_second', detail }] : []),
  ]
  if (errors.length > 0) throw new Problem(commonProblems.invalid_request, { errors })
  return ids === undefined ? [...messages] : messages.filter(({ messageId }) => ids.includes(messageId))
}

function contentOf(body: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'))
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
  } catch {
    // An unreadable body is one of the reasons for quarantine.
    return {}
  }
}

function shown(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, 200) : null
}
