import type { DeadLetter } from '@payments/contracts/webhooks'

interface Quarantined {
  readonly messageId: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, unknown>>
}

/** What can be shown of a message that no handler could deal with: anything in it may be missing or of any shape. */
export function presentQuarantined({ messageId, body, headers }: Quarantined): DeadLetter {
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
