import type { ApiKey, ExplainedPermission } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Reveal } from '../../layout/actions.tsx'
import { Loaded } from '../../layout/page.tsx'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { PermissionMatrix } from '../../parts/access/permission-matrix.tsx'
import { RoleNames } from '../../parts/access/roles.tsx'
import { Created, RequestsLink } from '../../parts/links.tsx'
import { KeyState } from '../../parts/states.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/format.ts'
import { CopyField, Details, Section, Text, Time } from '../../ui/content.tsx'
import { KeyActions } from './key-actions.tsx'

/** One API key: what it is, what it may do, and what can be done with it. */
export function KeyPage() {
  return (
    <ResourcePage
      noun="API key"
      topic="keys"
      operation="readKey"
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
        Description: <Text text={description} />,
        'Last used': (
          <>
            <Time at={apiKey.last_used_at} /> <RequestsLink id={id} />
          </>
        ),
        Expires: <Time at={apiKey.expires_at} />,
        'Allowed addresses': cidrs === null ? 'every address' : <code>{cidrs.join(', ')}</code>,
        Created: <Created {...apiKey} />,
        Id: <CopyField label="the id" value={id} />,
      }}
    />
  )
}

const permissionsMax = 200

/** The permissions of the key, and which role grants each of them. */
function KeyPermissions({ keyId }: { keyId: string }) {
  const query = useQuery({
    queryKey: ['keys', keyId, 'permissions'],
    queryFn: async ({ signal }) => {
      const args = { api_key_id: keyId, explain: 'true', limit: permissionsMax } as const
      const page = await api.readKeyPermissions(args, { signal }).page()
      return page.data as readonly ExplainedPermission[]
    },
  })
  return (
    <Section title="What this key may do">
      <Loaded query={query}>
        {(permissions) => (
          <PermissionMatrix
            granted={
              new Map(
                permissions.map(({ permission, granted_by }) => [
                  permission,
                  `by ${granted_by.map(({ role_name }) => foreign(role_name)).join(', ')}`,
                ]),
              )
            }
          />
        )}
      </Loaded>
    </Section>
  )
}
