import type { ApiKey } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { Card } from '../../layout/card.tsx'
import { KeyLink } from '../../parts/links.tsx'
import { api } from '../../session/api.ts'
import { readItems } from '../../session/reads.ts'
import { foreign, formatQuantity } from '../../text/format.ts'
import { Badge, Time } from '../../ui/values.tsx'

const days = 86_400_000
const soonMs = 14 * days
const unusedMs = 90 * days
const pageMax = 200
const shownMax = 5

/** Valid keys that expire in the next two weeks, the next one first, and keys that were not used for three months. */
export function KeysToWatch() {
  return (
    <Card title="API keys to watch" operation="listKeys" queryKey={['keys', 'to-watch']} read={readKeys}>
      {({ expiring, unused, more }) =>
        expiring.length + unused.length === 0 ? (
          <p className="muted">No key expires in the next 14 days, and no key has been unused for 90 days.</p>
        ) : (
          <>
            <ul className="stack">
              {expiring.map(({ id, name, expires_at }) => (
                <li key={`e${id}`} className="row">
                  <Badge tone="warning">
                    expires <Time at={expires_at} />
                  </Badge>
                  <KeyLink id={id}>{foreign(name)}</KeyLink>
                </li>
              ))}
              {unused.map(({ id, name }) => (
                <li key={`u${id}`} className="row">
                  <Badge>not used for 90 days</Badge>
                  <KeyLink id={id}>{foreign(name)}</KeyLink>
                </li>
              ))}
            </ul>
            <p>
              {more === 0 ? null : <small>{formatQuantity(more, 'more key')}. </small>}
              <Link to="/keys">All API keys</Link>
            </p>
          </>
        )
      }
    </Card>
  )
}

async function readKeys(signal: AbortSignal) {
  const now = Date.now()
  const expiryMs = ({ expires_at }: ApiKey) => (expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at))
  const list = async (args: Parameters<typeof api.listKeys>[0]) => {
    const keys = await readItems(api.listKeys({ ...args, enabled: 'true', limit: pageMax }, { signal }))
    return keys.filter((key) => expiryMs(key) > now)
  }
  const [expiring, unused] = await Promise.all([
    list({ expires_before: new Date(now + soonMs).toISOString() }),
    list({ unused_since: new Date(now - unusedMs).toISOString() }),
  ])
  expiring.sort((a, b) => expiryMs(a) - expiryMs(b))
  const shown = { expiring: expiring.slice(0, shownMax), unused: unused.slice(0, shownMax) }
  const more = expiring.length + unused.length - shown.expiring.length - shown.unused.length
  return { ...shown, more }
}
