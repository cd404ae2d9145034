import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../session/api.ts'
import { readItems } from '../../session/lists.ts'
import { usePermitted } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'

const pageMax = 200
const staleMs = 30_000

/** The actor of a request, by name; the id where the name cannot be read. */
export function Actor({ type, id }: { type: string; id: string | null }) {
  const name = useNames().get(id ?? '')
  if (id === null || name === undefined) return <code>{foreign(id ?? type)}</code>
  return type === 'user' ? (
    <Link to="/users/$userId" params={{ userId: id }}>
      {foreign(name)}
    </Link>
  ) : (
    <Link to="/keys/$keyId" params={{ keyId: id }}>
      {foreign(name)}
    </Link>
  )
}

/** The same, of a text such as `user:<id>`. An id may have colons too. */
export function Creator({ by }: { by: string }) {
  const colon = by.indexOf(':')
  return colon < 0 ? <Actor type={by} id={null} /> : <Actor type={by.slice(0, colon)} id={by.slice(colon + 1)} />
}

/** Leads to the requests of an API key or a user in the audit. */
export function RequestsOf({ id }: { id: string }) {
  if (!usePermitted('listRecords')) return null
  return (
    <Link to="/audit" search={{ actor_id: id }}>
      Show requests
    </Link>
  )
}

/** The names of API keys and users by id, as far as the person may read them. */
function useNames(): ReadonlyMap<string, string> {
  const keys = useQuery({
    queryKey: ['keys', 'names'],
    queryFn: ({ signal }) => readItems(api.listKeys({ limit: pageMax }, { signal })),
    enabled: usePermitted('listKeys'),
    staleTime: staleMs,
  })
  const users = useQuery({
    queryKey: ['users', 'names'],
    queryFn: ({ signal }) => readItems(api.listUsers({ limit: pageMax }, { signal })),
    enabled: usePermitted('listUsers'),
    staleTime: staleMs,
  })
  return new Map([
    ...(keys.data ?? []).map(({ id, name }) => [id, name] as const),
    ...(users.data ?? []).map(({ id, name, email }) => [id, name ?? email ?? id] as const),
  ])
}
