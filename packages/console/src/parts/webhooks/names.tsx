import type { ListedWebhookSubscription } from '@payments/client/schemas'
import { choiceField, type SearchField } from '../../layout/search-form.tsx'
import { itemsMax, useItems } from '../../session/reads.ts'
import { useDenial } from '../../session/self.ts'
import { foreign, formatCount, readHost } from '../../text/format.ts'
import { Badge } from '../../ui/content.tsx'
import { SelectField } from '../../ui/fields.tsx'
import { AuthInfoLink, SubscriptionPageLink } from '../links.tsx'

/** The newest `itemsMax` subscriptions of the tenant; older ones are shown by their ids. */
const useSubscriptions = () => useItems('listTenantSubscriptions', 'subscriptions')

const subscriptionName = ({ label, destination_url: url }: ListedWebhookSubscription): string => foreign(label ?? url)

/** A function that names a subscription by its id. */
export function useSubscriptionName(): (id: string) => string {
  const subscriptions = useSubscriptions()
  return (id) => {
    const found = subscriptions.find((subscription) => subscription.id === id)
    return found === undefined ? foreign(id) : subscriptionName(found)
  }
}

/** The subscription as a filter of a list. It has no control for a person who may not list subscriptions. */
export function useSubscriptionField(): SearchField {
  const known = useSubscriptions().map((subscription) => ({
    value: subscription.id,
    label: subscriptionName(subscription),
  }))
  const every =
    known.length < itemsMax ? 'Every endpoint' : `Every endpoint (the newest ${formatCount(itemsMax)} are listed)`
  return choiceField('subscription_id', 'Endpoint', every, known)
}

/** A subscription by its label, as a link where its unit is known. */
export function SubscriptionLink({ id, unitId }: { id: string; unitId?: string }) {
  const found = useSubscriptions().find((subscription) => subscription.id === id)
  const unit = unitId ?? found?.business_unit_id
  if (unit === undefined) return <code>{foreign(id)}</code>
  return (
    <SubscriptionPageLink unitId={unit} id={id}>
      {found === undefined ? foreign(id) : subscriptionName(found)}
    </SubscriptionPageLink>
  )
}

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

/** The catalogue of event types, by name; empty where the person may not read it. */
export const useEventTypes = () => useItems('listEventTypes', 'event-types')

/** The event type as a filter of a list. It has no control for a person who may not read the catalogue. */
export function useTypeField(): SearchField {
  const known = useEventTypes().map(({ name }) => ({ value: name, label: name }))
  return choiceField('event_type', 'Event type', 'Every type', known)
}

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
