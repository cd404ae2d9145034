import { commonProblems, Problem } from '@payments/contracts/problem'
import type { QueuedDeadLetter } from '@payments/contracts/webhooks-dead-letters'
import type { QueueOrder } from './dead-letter.ts'

interface Quarantined {
  readonly messageId: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, unknown>>
}

/** What can be shown of a message that no handler could deal with: anything in it may be missing or of any shape. */
export function presentQuarantined({ messageId, body, headers }: Quarantined): QueuedDeadLetter {
  const content = contentOf(body)
  const member = (...names: string[]) => names.map((name) => content[name]).find((value) => typeof value === 'string')
  const header = (name: string) => (typeof headers[name] === 'string' ? headers[name] : undefined)
  const at = new Date(header('x-quarantine-at') ?? Number.NaN)
  return {
    id: messageId,
    tenant_id: shown(member('tenant_id')),
    business_unit_id: shown(member('business_unit_id')),
    event_type: shown(member('type')),
    tenant_event_id: shown(member('id')),
    destination_url: null,
    attempts: 0,
    last_error: `${header('x-quarantine-reason') ?? 'delivery limit'}: ${header('x-quarantine-detail') ?? 'came back too often'}`,
    dead_at: Number.isNaN(at.getTime()) ? null : at.toISOString(),
  }
}

/**
 * Those of `messages` that are meant: some by id, or all. Throws invalid_request for a choice or a pace that only dead
 * letters know: what a quarantined message is about cannot be relied on.
 */
export function chosenMessages<M extends Quarantined>(order: QueueOrder, messages: readonly M[]): M[] {
  const { ids, ...filter } = order.selection
  const detail = 'is not for this queue'
  const errors = [
    ...(Object.keys(filter).length > 0 ? [{ pointer: '/filter', detail }] : []),
    ...(order.ratePerSecond !== null ? [{ pointer: '/rate_per_second', detail }] : []),
  ]
  if (errors.length > 0) throw new Problem(commonProblems.invalid_request, { errors })
  return ids === undefined ? [...messages] : messages.filter(({ messageId }) => ids.includes(messageId))
}

function contentOf(body: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'))
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
  } catch {
    // Unreadable is one of the reasons to be here.
    return {}
  }
}

function shown(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, 200) : null
}
