import { foreign } from '../../text/foreign.ts'

/** The event types of a subscription, in short. */
export function EventTypes({ patterns }: { patterns: readonly string[] | null }) {
  if (patterns === null) return <span className="badge">every event</span>
  const [first = '', ...others] = patterns
  return (
    <span className="row">
      <code>{foreign(first)}</code>
      {others.length === 0 ? null : <small>and {others.length} more</small>}
    </span>
  )
}
