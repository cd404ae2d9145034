import type { WebhookAuthInfo } from '@payments/client/schemas'
import { useParams } from '@tanstack/react-router'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { SubscriptionLink } from '../../parts/webhooks/subscription-names.tsx'
import { foreign } from '../../text/foreign.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Details } from '../../ui/facts.tsx'
import { Section } from '../../ui/section.tsx'
import { Time } from '../../ui/time.tsx'
import { AuthInfoActions } from './auth-info-actions.tsx'
import { RevealAuthInfo } from './reveal-auth-info.tsx'
import { schemes } from './schemes.ts'

/** One auth info: its credentials, masked or revealed, and the subscriptions that use it. */
export function AuthInfoPage() {
  const { authInfoId = '' } = useParams({ strict: false })
  return (
    <ResourcePage
      noun="Auth info"
      topic="auth-infos"
      operation="readAuthInfo"
      args={{ webhook_auth_info_id: authInfoId }}
      title={({ name }) => foreign(name)}
      actions={(authInfo) => <AuthInfoActions authInfo={authInfo} />}
    >
      {(authInfo) => (
        <>
          <Details
            facts={{
              Scheme: schemes[authInfo.type].label,
              Hosts:
                authInfo.hosts.length === 0 ? <span className="muted">none</span> : foreign(authInfo.hosts.join(', ')),
              Changed: <Time at={authInfo.updated_at} />,
              Created: <Time at={authInfo.created_at} />,
              Id: <CopyField label="the id" value={authInfo.id} />,
            }}
          />
          <Section title="Credentials" isCard>
            <RevealAuthInfo authInfo={authInfo} />
          </Section>
          <Users authInfo={authInfo} />
        </>
      )}
    </ResourcePage>
  )
}

function Users({ authInfo: { subscription_ids: ids, subscription_count: users } }: { authInfo: WebhookAuthInfo }) {
  return (
    <Section title="Used by">
      {users === 0 ? <p className="muted">No subscription uses it. Choose it in the dialog of one.</p> : null}
      <ul>
        {ids.map((id) => (
          <li key={id}>
            <SubscriptionLink id={id} />
          </li>
        ))}
      </ul>
      {users > ids.length ? <p className="muted">and {users - ids.length} more</p> : null}
    </Section>
  )
}
