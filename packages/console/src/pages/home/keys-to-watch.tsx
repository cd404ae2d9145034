import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Failed, Loading } from '../../layout/page.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { Time } from '../../ui/time.tsx'

const days = 86_400_000
const soonMs = 14 * days
const unusedMs = 90 * days
const shownMax = 5

/** Keys that expire in the next two weeks, and keys that were not used for three months. */
export function KeysToWatch() {
  const { data, error, refetch } = useQuery({
    queryKey: ['keys', 'to-watch'],
    queryFn: async ({ signal }) => {
      const list = (args: Parameters<typeof api.listKeys>[0]) =>
        api.listKeys({ ...args, enabled: 'true', limit: shownMax }, { signal }).page()
      const [expiring, unused] = await Promise.all([
        list({ expires_before: new Date(Date.now() + soonMs).toISOString() }),
        list({ unused_since: new Date(Date.now() - unusedMs).toISOString() }),
      ])
      return { expiring: expiring.data, unused: unused.data }
    },
  })
  return (
    <section className="card stack" aria-labelledby="keys-to-watch">
      <h2 id="keys-to-watch">API keys</h2>
      {error === null ? null : <Failed error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null ? <Loading /> : null}
      {data === undefined ? null : (
        <ul className="stack">
          {data.expiring.map(({ id, name, expires_at }) => (
            <li key={`e${id}`} className="row">
              <span className="badge" data-tone="warning">
                expires <Time at={expires_at} />
              </span>
              <Link to="/keys/$keyId" params={{ keyId: id }}>
                {foreign(name)}
              </Link>
            </li>
          ))}
          {data.unused.map(({ id, name }) => (
            <li key={`u${id}`} className="row">
              <span className="badge">not used for 90 days</span>
              <Link to="/keys/$keyId" params={{ keyId: id }}>
                {foreign(name)}
              </Link>
            </li>
          ))}
          {data.expiring.length + data.unused.length === 0 ? (
            <li className="muted">No key expires in the next 14 days, and every key was used in the last 90.</li>
          ) : null}
        </ul>
      )}
    </section>
  )
}
