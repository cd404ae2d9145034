import type { WebhookAuthInfo } from '@payments/client/schemas'
import { ListPage } from '../../layout/list-page.tsx'
import { Empty } from '../../layout/page.tsx'
import { AuthInfoLink } from '../../parts/links.tsx'
import { foreign } from '../../text/foreign.ts'
import { formatQuantity } from '../../text/format.ts'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
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
      empty={
        <Empty title="There is no auth info yet.">
          <p>
            Every delivery is signed. An auth info adds what your endpoint requires besides: headers, a password or an
            access token.
          </p>
        </Empty>
      }
      action={{
        operation: 'createAuthInfo',
        label: 'Create auth info',
        kind: 'primary',
        dialog: (close) => <AuthInfoDialog onClose={close} />,
      }}
    />
  )
}

const columns: readonly Column<WebhookAuthInfo>[] = [
  { name: 'Name', cell: ({ id, name }) => <AuthInfoLink id={id}>{foreign(name)}</AuthInfoLink> },
  { name: 'Scheme', cell: ({ type }) => schemes[type].label },
  {
    name: 'Hosts',
    cell: ({ hosts }) => (hosts.length === 0 ? <span className="muted">none</span> : foreign(hosts.join(', '))),
  },
  {
    name: 'Used by',
    width: '9rem',
    cell: ({ subscription_count }) => formatQuantity(subscription_count, 'subscription'),
  },
  { name: 'Changed', width: '9rem', cell: ({ updated_at }) => <Time at={updated_at} /> },
]
