import { useItems } from '../../session/lists.ts'
import { useDenial } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { readHost } from '../../text/host.ts'
import { SelectField } from '../../ui/fields.tsx'
import { AuthInfoLink } from '../links.tsx'

/** The auth infos of the tenant; none where the person may not read them. */
const useAuthInfos = () => useItems('listAuthInfos', 'auth-infos')

/** An auth info by its name. */
export function AuthInfoName({ id }: { id: string | null }) {
  const found = useAuthInfos().find((authInfo) => authInfo.id === id)
  if (id === null) return <span className="muted">signature only</span>
  return <AuthInfoLink id={id}>{foreign(found?.name ?? id)}</AuthInfoLink>
}

interface AuthInfoChoiceProps {
  /** The id of an auth info; empty for none. */
  readonly value: string
  /** Why the API, or the permissions of the person, reject the choice. */
  readonly error: string | undefined
  readonly onChange: (id: string) => void
}

/** The auth info of a subscription. */
export function AuthInfoChoice({ value, error, onChange }: AuthInfoChoiceProps) {
  const authInfos = useAuthInfos()
  if (authInfos.length === 0) return null
  const options = authInfos.map(({ id, name }) => ({ value: id, label: foreign(name) }))
  return (
    <SelectField
      label="Auth info"
      hint="Credentials that the deliveries carry."
      error={error}
      value={value}
      options={[{ value: '', label: 'None: signature only' }, ...options]}
      onChange={onChange}
    />
  )
}

/** Why the person may not send the credentials of an auth info to a URL; undefined where they may. */
export function useDenialOfAuthInfo(id: string, url: string): string | undefined {
  const denial = useDenial()('revealAuthInfo')
  const chosen = useAuthInfos().find((authInfo) => authInfo.id === id)
  if (denial === undefined || id === '') return undefined
  const host = readHost(url)
  if (host === undefined || chosen?.hosts.includes(host)) return undefined
  return `The host is not among the hosts of the auth info, which ${denial}.`
}
