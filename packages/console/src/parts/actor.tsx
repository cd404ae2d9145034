import { Link } from '@tanstack/react-router'
import { useItems } from '../session/lists.ts'
import { usePermitted } from '../session/self.ts'
import { foreign } from '../text/foreign.ts'
import { KeyLink, UserLink } from './links.tsx'

/** The actor of a request, by name; the id where the name cannot be read. */
export function Actor({ type, id }: { type: string; id: string | null }) {
  const key = useItems('listKeys', 'keys').find((each) => each.id === id)
  const user = useItems('listUsers', 'users').find((each) => each.id === id)
  const name = key?.name ?? user?.name ?? user?.email ?? user?.id
  if (id === null || name === undefined) return <code>{foreign(id ?? type)}</code>
  return type === 'user' ? <UserLink id={id}>{foreign(name)}</UserLink> : <KeyLink id={id}>{foreign(name)}</KeyLink>
}

/** The same, of a text such as `user:<id>`. An id may have colons too. */
export function Creator({ by }: { by: string }) {
  const colon = by.indexOf(':')
  return colon < 0 ? <Actor type={by} id={null} /> : <Actor type={by.slice(0, colon)} id={by.slice(colon + 1)} />
}

/** Leads to the requests of an API key or a user in the audit. */
export function RequestsLink({ id }: { id: string }) {
  if (!usePermitted('listRecords')) return null
  return (
    <Link to="/audit" search={{ actor_id: id }}>
      Show requests
    </Link>
  )
}
