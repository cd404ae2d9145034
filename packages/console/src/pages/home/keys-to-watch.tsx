import { Link } from '@tanstack/react-router'
import { Card } from '../../layout/card.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { Time } from '../../ui/time.tsx'

const days = 86_400_000
const soonMs = 14 * days
const unusedMs = 90 * days
const shownMax = 5

/** Keys that expire in the next two weeks, and keys that were not used for three months. */
export function KeysToWatch() {
  return (
    <Card title="API keys to watch" operations={['listKeys']} queryKey={['keys', 'to-watch']} read={readKeys}>
      {({ expiring, unused }) =>
        expiring.length + unused.length === 0 ? (
          <p className="muted">No key expires in the next 14 days, and no key has been unused for 90 days.</p>
        ) : (
          <ul className="stack">
            {expiring.map(({ id, name, expires_at }) => (
              <li key={`e${id}`} className="row">
                <span className="badge" data-tone="warning">
                  expires <Time at={expires_at} />
                </span>
                <KeyLink id={id} name={name} />
              </li>
            ))}
            {unused.map(({ id, name }) => (
              <li key={`u${id}`} className="row">
                <span className="badge">not used for 90 days</span>
                <KeyLink id={id} name={name} />
              </li>
            ))}
          </ul>
        )
      }
    </Card>
  )
}

async function readKeys(signal: AbortSignal) {
  const list = (args: Parameters<typeof api.listKeys>[0]) =>
    api.listKeys({ ...args, enabled: 'true', limit: shownMax }, { signal }).page()
  const [expiring, unused] = await Promise.all([
    list({ expires_before: new Date(Date.now() + soonMs).toISOString() }),
    list({ unused_since: new Date(Date.now() - unusedMs).toISOString() }),
  ])
  return { expiring: expiring.data, unused: unused.data }
}

function KeyLink({ id, name }: { id: string; name: string }) {
  return (
    <Link to="/keys/$keyId" params={{ keyId: id }}>
      {foreign(name)}
    </Link>
  )
}
