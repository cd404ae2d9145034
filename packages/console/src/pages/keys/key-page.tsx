import type { ApiKey } from '@payments/client/schemas'
import { useParams } from '@tanstack/react-router'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { Reveal } from '../../layout/reveal.tsx'
import { RoleNames } from '../../parts/access/role-choice.tsx'
import { Creator, RequestsLink } from '../../parts/actor.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Details } from '../../ui/facts.tsx'
import { Time } from '../../ui/time.tsx'
import { KeyActions } from './key-actions.tsx'
import { KeyPermissions } from './key-permissions.tsx'
import { KeyState } from './key-state.tsx'

/** One API key: what it is, what it may do, and what can be done with it. */
export function KeyPage() {
  const { keyId = '' } = useParams({ strict: false })
  return (
    <ResourcePage
      noun="API key"
      topic="keys"
      operation="readKey"
      args={{ api_key_id: keyId }}
      title={({ name }) => foreign(name)}
      actions={(apiKey) => <KeyActions apiKey={apiKey} />}
    >
      {(apiKey) => (
        <>
          <KeyDetails apiKey={apiKey} />
          <KeyPermissions keyId={apiKey.id} />
        </>
      )}
    </ResourcePage>
  )
}

function KeyDetails({ apiKey }: { apiKey: ApiKey }) {
  const { id, description, allowed_cidrs: cidrs, previous_value_expires_at: previousEndsAt } = apiKey
  return (
    <Details
      facts={{
        State: <KeyState apiKey={apiKey} />,
        Value: (
          <Reveal
            operation="revealKey"
            read={async () => (await api.revealKey({ api_key_id: id })).value}
            label="the value of the key"
          >
            <code>{foreign(apiKey.value)}</code>
          </Reveal>
        ),
        'Previous value':
          previousEndsAt === null ? null : (
            <>
              works too, and ends <Time at={previousEndsAt} />
            </>
          ),
        Roles: <RoleNames roleIds={apiKey.role_ids} />,
        Description: description === '' ? <span className="muted">none</span> : foreign(description),
        'Last used': (
          <>
            <Time at={apiKey.last_used_at} /> <RequestsLink id={id} />
          </>
        ),
        Expires: <Time at={apiKey.expires_at} />,
        'Allowed addresses': cidrs === null ? 'every address' : <code>{cidrs.join(', ')}</code>,
        Created: (
          <>
            <Time at={apiKey.created_at} /> by <Creator by={apiKey.created_by} />
          </>
        ),
        Id: <CopyField label="the id" value={id} />,
      }}
    />
  )
}
