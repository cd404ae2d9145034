import type { WebhookAuthInfo } from '@payments/client/schemas'
import { useCallback, useState } from 'react'
import { ActionButton, Actions, offerDialog, useDeletion } from '../../layout/actions.tsx'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { SubscriptionLink } from '../../parts/webhooks/names.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { foreign, formatQuantity } from '../../text/format.ts'
import { CopyField, Details, Facts, Notice, Secret, Section, Text, Time } from '../../ui/content.tsx'
import { AuthInfoDialog } from './auth-info-dialog.tsx'
import { schemes, toShownParts } from './schemes.ts'

/** One auth info: its credentials, masked or revealed, and the subscriptions that use it. */
export function AuthInfoPage() {
  return (
    <ResourcePage
      noun="Auth info"
      topic="auth-infos"
      operation="readAuthInfo"
      title={({ name }) => foreign(name)}
      actions={(authInfo) => <AuthInfoActions authInfo={authInfo} />}
    >
      {(authInfo) => (
        <>
          <Details
            facts={{
              Scheme: schemes[authInfo.type].label,
              Hosts: <Text text={authInfo.hosts.join(', ')} />,
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

/** The masked credentials, and the full ones on request. */
function RevealAuthInfo({ authInfo }: { authInfo: WebhookAuthInfo }) {
  const [revealed, setRevealed] = useState<WebhookAuthInfo>()
  const reveal = useAction({
    call: () => api.revealAuthInfo({ webhook_auth_info_id: authInfo.id }),
    onSuccess: setRevealed,
  })
  const hide = useCallback(() => setRevealed(undefined), [])
  return (
    <div className="stack">
      <Facts
        facts={Object.fromEntries(
          toShownParts(revealed ?? authInfo).map(({ label, value, isSecret }) => [
            foreign(label),
            isSecret && revealed !== undefined ? (
              <Secret label={`the value of ${foreign(label)}`} value={value} onHide={hide} />
            ) : (
              <code>{foreign(value)}</code>
            ),
          ]),
        )}
      />
      {revealed === undefined ? (
        <div>
          <ActionButton operation="revealAuthInfo" onClick={() => reveal.run()}>
            Reveal
          </ActionButton>
        </div>
      ) : null}
      {reveal.failure === undefined ? null : <Notice tone="bad">{reveal.failure}</Notice>}
    </div>
  )
}

/** The actions of an auth info. One that a subscription uses cannot be deleted. */
function AuthInfoActions({ authInfo }: { authInfo: WebhookAuthInfo }) {
  const { id, name, subscription_count: users } = authInfo
  const deletion = useDeletion({
    operation: 'deleteAuthInfo',
    noun: 'auth info',
    name,
    call: () => api.deleteAuthInfo({ webhook_auth_info_id: id }),
    to: '/auth-infos',
    effect: 'A deleted auth info cannot be restored.',
  })
  const denial = users === 0 ? undefined : `is used by ${formatQuantity(users, 'subscription')}`
  return (
    <Actions
      actions={[
        offerDialog('updateAuthInfo', 'Edit', (close) => <AuthInfoDialog authInfo={authInfo} onClose={close} />),
        { ...deletion, denial, isInMenu: true },
      ]}
    />
  )
}
