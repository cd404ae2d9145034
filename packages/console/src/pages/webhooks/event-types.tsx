import { foreign } from '../../text/format.ts'
import { Badge } from '../../ui/values.tsx'

/** The event types of a subscription, all or the first `shownMax`. */
export function EventTypes({ patterns, shownMax }: { patterns: readonly string[] | null; shownMax?: number }) {
  if (patterns === null) return <Badge>every event</Badge>
  const shown = patterns.slice(0, shownMax)
  const left = patterns.length - shown.length
  return (
    <ul>
      {shown.map((pattern) => (
        <li key={pattern}>
          <code>{foreign(pattern)}</code>
        </li>
      ))}
      {left === 0 ? null : (
        <li>
          <small>and {left} more</small>
        </li>
      )}
    </ul>
  )
}
