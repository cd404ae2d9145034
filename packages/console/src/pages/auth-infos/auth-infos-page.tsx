import type { WebhookAuthInfo } from '@payments/client/schemas'
import { offerDialog } from '../../layout/actions.tsx'
import { ListPage } from '../../layout/list.tsx'
import { AuthInfoLink } from '../../parts/links.tsx'
import { foreign, formatQuantity } from '../../text/format.ts'
import { Text, Time } from '../../ui/content.tsx'
import type { Column } from '../../ui/table.tsx'
import { AuthInfoDialog } from './auth-info-dialog.tsx'
import { schemes } from './schemes.ts'

/** The auth infos of the tenant, with masked credentials. */
export function AuthInfosPage() {
  return (
    <ListPage
      title="Auth infos"
      about="Credentials that deliveries carry, so that your endpoint can authenticate them."
      operation="listAuthInfos"
      topic="auth-infos"
      columns={columns}
      empty="There is no auth info yet."
      hint={
        <p>
          Every delivery is signed. An auth info adds what your endpoint requires besides: headers, a password or an
          access token.
        </p>
      }
      action={offerDialog('createAuthInfo', 'Create auth info', (close) => <AuthInfoDialog onClose={close} />, {
        kind: 'primary',
      })}
    />
  )
}

const columns: readonly Column<WebhookAuthInfo>[] = [
  { name: 'Name', cell: ({ id, name }) => <AuthInfoLink id={id}>{foreign(name)}</AuthInfoLink> },
  { name: 'Scheme', cell: ({ type }) => schemes[type].label },
  {
    name: 'Hosts',
    cell: ({ hosts }) => <Text text={hosts.join(', ')} />,
  },
  {
    name: 'Used by',
    width: '9rem',
    cell: ({ subscription_count }) => formatQuantity(subscription_count, 'subscription'),
  },
  { name: 'Changed', width: '9rem', cell: ({ updated_at }) => <Time at={updated_at} /> },
]
