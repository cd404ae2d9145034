import type { WebhookAuthInfo } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Loaded } from '../../layout/loaded.tsx'
import { Page } from '../../layout/page.tsx'
import { api } from '../../session/api.ts'
import { usePermitted } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Time } from '../../ui/time.tsx'
import { SubscriptionLink } from '../names/subscription-names.tsx'
import { AuthInfoActions } from './auth-info-actions.tsx'
import { RevealAuthInfo } from './reveal-auth-info.tsx'
import { schemes } from './schemes.ts'

/** One auth info: its credentials, masked or revealed, and the subscriptions that use it. */
export function AuthInfoPage() {
  const { authInfoId = '' } = useParams({ strict: false })
  const args = { webhook_auth_info_id: authInfoId }
  const query = useQuery({
    queryKey: ['auth-infos', authInfoId],
    queryFn: ({ signal }) => api.readAuthInfo(args, { signal }),
    enabled: usePermitted('readAuthInfo'),
  })
  const { data } = query
  return (
    <Page
      title={data === undefined ? 'Auth info' : foreign(data.name)}
      operation="readAuthInfo"
      args={args}
      actions={data === undefined ? null : <AuthInfoActions authInfo={data} />}
    >
      {() => <Loaded query={query}>{(data) => <Details authInfo={data} />}</Loaded>}
    </Page>
  )
}

function Details({ authInfo }: { authInfo: WebhookAuthInfo }) {
  const { hosts, subscription_ids: ids, subscription_count: users } = authInfo
  return (
    <>
      <section className="card" aria-label="Details">
        <dl className="facts">
          <dt>Scheme</dt>
          <dd>{schemes[authInfo.type].label}</dd>
          <dt>Hosts</dt>
          <dd>{hosts.length === 0 ? <span className="muted">none</span> : foreign(hosts.join(', '))}</dd>
          <dt>Changed</dt>
          <dd>
            <Time at={authInfo.updated_at} />
          </dd>
          <dt>Created</dt>
          <dd>
            <Time at={authInfo.created_at} />
          </dd>
          <dt>Id</dt>
          <dd>
            <CopyField label="the id" value={authInfo.id} />
          </dd>
        </dl>
      </section>
      <section className="card stack" aria-labelledby="credentials">
        <h2 id="credentials">Credentials</h2>
        <RevealAuthInfo authInfo={authInfo} />
      </section>
      <section className="stack" aria-labelledby="users">
        <h2 id="users">Used by</h2>
        {users === 0 ? <p className="muted">No subscription uses it. Choose it in the dialog of one.</p> : null}
        <ul>
          {ids.map((id) => (
            <li key={id}>
              <SubscriptionLink id={id} />
            </li>
          ))}
        </ul>
        {users > ids.length ? <p className="muted">and {users - ids.length} more</p> : null}
      </section>
    </>
  )
}
