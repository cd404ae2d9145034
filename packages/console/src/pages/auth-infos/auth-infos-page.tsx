import type { WebhookAuthInfo } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { List, listQuery } from '../../layout/list.tsx'
import { Empty, Page } from '../../layout/page.tsx'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { counted } from '../../text/format.ts'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { AuthInfoDialog } from './auth-info-dialog.tsx'
import { schemes } from './schemes.ts'

/** The auth infos of the tenant, with masked credentials. */
export function AuthInfosPage() {
  const [isCreating, setCreating] = useState(false)
  return (
    <Page
      title="Auth infos"
      about="Credentials that deliveries carry, so that your endpoint can authenticate them."
      operation="listAuthInfos"
      actions={
        <ActionButton operation="createAuthInfo" kind="primary" onClick={() => setCreating(true)}>
          Create auth info
        </ActionButton>
      }
    >
      {() => (
        <>
          <List
            label="Auth infos"
            query={authInfosQuery}
            columns={columns}
            idOf={({ id }) => id}
            empty={
              <Empty title="There is no auth info yet.">
                <p>
                  Every delivery is signed. An auth info adds what your endpoint requires besides: headers, a password
                  or an access token.
                </p>
              </Empty>
            }
          />
          {isCreating ? <AuthInfoDialog onClose={() => setCreating(false)} /> : null}
        </>
      )}
    </Page>
  )
}

const authInfosQuery = listQuery<WebhookAuthInfo>({
  key: ['auth-infos', 'list'],
  read: (cursor, signal) =>
    api.listAuthInfos({ limit: 50, ...(cursor === undefined ? {} : { cursor }) }, { signal }).page(),
})

const columns: readonly Column<WebhookAuthInfo>[] = [
  {
    name: 'Name',
    cell: ({ id, name }) => (
      <Link to="/auth-infos/$authInfoId" params={{ authInfoId: id }}>
        {foreign(name)}
      </Link>
    ),
  },
  { name: 'Scheme', cell: ({ type }) => schemes[type].label },
  {
    name: 'Hosts',
    cell: ({ hosts }) => (hosts.length === 0 ? <span className="muted">none</span> : foreign(hosts.join(', '))),
  },
  { name: 'Used by', width: '9rem', cell: ({ subscription_count }) => counted(subscription_count, 'subscription') },
  { name: 'Changed', width: '9rem', cell: ({ updated_at }) => <Time at={updated_at} /> },
]
