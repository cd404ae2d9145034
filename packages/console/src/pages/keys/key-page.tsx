import type { ApiKey } from '@payments/client/schemas'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Loaded } from '../../layout/loaded.tsx'
import { Page } from '../../layout/page.tsx'
import { api } from '../../session/api.ts'
import { usePermitted } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Time } from '../../ui/time.tsx'
import { RoleNames } from '../roles/role-choice.tsx'
import { Creator, RequestsOf } from '../users/actor.tsx'
import { KeyActions } from './key-actions.tsx'
import { KeyPermissions } from './key-permissions.tsx'
import { KeyState } from './key-state.tsx'
import { RevealKey } from './reveal-key.tsx'

const keyQuery = (keyId: string) =>
  queryOptions({
    queryKey: ['keys', keyId],
    queryFn: ({ signal }) => api.readKey({ api_key_id: keyId }, { signal }),
  })

/** One API key: what it is, what it may do, and what can be done with it. */
export function KeyPage() {
  const keyId = String(useParams({ strict: false }).keyId)
  const query = useQuery({ ...keyQuery(keyId), enabled: usePermitted('readKey') })
  const { data } = query
  const title = data === undefined ? 'API key' : foreign(data.name)
  return (
    <Page
      title={title}
      operation="readKey"
      args={{ api_key_id: keyId }}
      actions={data === undefined ? null : <KeyActions apiKey={data} />}
    >
      {() => <Loaded query={query}>{(data) => <Details apiKey={data} />}</Loaded>}
    </Page>
  )
}

function Details({ apiKey }: { apiKey: ApiKey }) {
  return (
    <>
      <section className="card" aria-label="Details">
        <dl className="facts">
          <dt>State</dt>
          <dd>
            <KeyState apiKey={apiKey} />
          </dd>
          <dt>Value</dt>
          <dd>
            <RevealKey apiKey={apiKey} />
          </dd>
          {apiKey.previous_value_expires_at === null ? null : (
            <>
              <dt>Previous value</dt>
              <dd>
                works too, and ends <Time at={apiKey.previous_value_expires_at} />
              </dd>
            </>
          )}
          <dt>Roles</dt>
          <dd>
            <RoleNames roleIds={apiKey.role_ids} />
          </dd>
          <dt>Description</dt>
          <dd>{apiKey.description === '' ? <span className="muted">none</span> : foreign(apiKey.description)}</dd>
          <dt>Last used</dt>
          <dd>
            <Time at={apiKey.last_used_at} /> <RequestsOf id={apiKey.id} />
          </dd>
          <dt>Expires</dt>
          <dd>
            <Time at={apiKey.expires_at} />
          </dd>
          <dt>Allowed addresses</dt>
          <dd>{apiKey.allowed_cidrs === null ? 'every address' : <code>{apiKey.allowed_cidrs.join(', ')}</code>}</dd>
          <dt>Created</dt>
          <dd>
            <Time at={apiKey.created_at} /> by <Creator by={apiKey.created_by} />
          </dd>
          <dt>Id</dt>
          <dd>
            <CopyField label="the id" value={apiKey.id} />
          </dd>
        </dl>
      </section>
      <KeyPermissions keyId={apiKey.id} />
    </>
  )
}
