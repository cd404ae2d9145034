import type { Delivery } from '@payments/client/schemas'
import { Link, type LinkProps } from '@tanstack/react-router'
import { useItems } from '../session/reads.ts'
import { usePermitted } from '../session/self.ts'
import { foreign } from '../text/format.ts'
import { Time } from '../ui/content.tsx'

interface ResourceLinkProps extends Pick<LinkProps, 'children'> {
  readonly id: string
  readonly onClick?: () => void
}

interface LinkOfUnitProps extends ResourceLinkProps {
  readonly unitId: string
}

/** A component that links to the page of a resource, whose path ends with the id, after that of its business unit. */
const linkTo =
  <Props extends ResourceLinkProps & Partial<LinkOfUnitProps>>(to: NonNullable<LinkProps['to']>) =>
  ({ id, unitId, ...rest }: Props) => {
    const name = to.slice(to.lastIndexOf('$') + 1)
    return <Link to={to} params={{ business_unit_id: unitId, [name]: id } as never} {...rest} />
  }

export const AuthInfoLink = linkTo('/auth-infos/$webhook_auth_info_id')
export const InvitationLink = linkTo('/invitations/$code_id')
export const KeyLink = linkTo('/keys/$api_key_id')
export const LetterLink = linkTo('/dead-letters/$dead_letter_id')
export const MessageLink = linkTo('/messages/$communication_id')
export const RoleLink = linkTo('/roles/$role_id')
export const TaskLink = linkTo('/tasks/$task_id')
export const TemplateLink = linkTo('/templates/$template_id')
export const TransactionLink = linkTo('/transactions/$transaction_id')
export const UnitLink = linkTo('/units/$business_unit_id')
export const UserLink = linkTo('/users/$user_id')

export const DeliveryLink = linkTo<LinkOfUnitProps>('/deliveries/$business_unit_id/$delivery_id')
export const SubscriptionPageLink = linkTo<LinkOfUnitProps>('/subscriptions/$business_unit_id/$bu_webhook_id')

/** `unitId`: null for an event of the whole tenant. */
export const EventLink = ({ unitId, id, children }: ResourceLinkProps & { readonly unitId: string | null }) => (
  <Link
    to="/events/$tenant_event_id"
    params={{ tenant_event_id: id }}
    search={unitId === null ? {} : { business_unit_id: unitId }}
  >
    {children}
  </Link>
)

/** Leads to the records of a request in the audit. */
export const TraceLink = ({ id, children }: ResourceLinkProps) => (
  <Link to="/audit" search={{ trace_id: id }}>
    {children}
  </Link>
)

/** The actor of a request, by name; the id where the name cannot be read. */
export function Actor({ type, id }: { type: string; id: string | null }) {
  const key = useItems('listKeys', 'keys').find((each) => each.id === id)
  const user = useItems('listUsers', 'users').find((each) => each.id === id)
  const name = key?.name ?? user?.name ?? user?.email ?? user?.id
  if (id === null || name === undefined) return <code>{foreign(id ?? type)}</code>
  return type === 'user' ? <UserLink id={id}>{foreign(name)}</UserLink> : <KeyLink id={id}>{foreign(name)}</KeyLink>
}

/** When a resource was created, and by whom: a text such as `user:<id>`. An id may have colons too. */
export function Created({ created_at, created_by: by }: { created_at: string; created_by: string }) {
  const [type = '', ...id] = by.split(':')
  return (
    <>
      <Time at={created_at} /> by <Actor type={type} id={id.length === 0 ? null : id.join(':')} />
    </>
  )
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

interface DestinationProps {
  readonly delivery: Pick<Delivery, 'destination_url' | 'business_unit_id' | 'subscription_id'>
}

/** Host and path of the endpoint of a delivery, as a link to its subscription. */
export function Destination({ delivery: { destination_url, business_unit_id, subscription_id } }: DestinationProps) {
  const isReadable = usePermitted('readSubscription')
  const { host, pathname } = URL.parse(destination_url) ?? { host: destination_url, pathname: '' }
  const text = foreign(`${host}${pathname === '/' ? '' : pathname}`)
  if (!isReadable) return text
  return (
    <SubscriptionPageLink unitId={business_unit_id} id={subscription_id}>
      {text}
    </SubscriptionPageLink>
  )
}
