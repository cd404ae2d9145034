import { Page } from '../../layout/page.tsx'
import { PermissionMatrix } from '../../parts/access/permission-matrix.tsx'
import { SessionList } from '../../parts/access/session-list.tsx'
import { useSelf } from '../../session/self.ts'
import { foreign } from '../../text/format.ts'
import { Badge, CopyField, Details, Section, Time } from '../../ui/content.tsx'

/** The person who reads the page: name, roles, permissions and sessions. */
export function AccountPage() {
  const { actor, tenant, roles, permissions, session } = useSelf()
  const roleNames = roles.map(({ id, name }) => <Badge key={id}>{foreign(name)}</Badge>)
  const signedIn = (
    <>
      <Time at={session?.authenticated_at ?? null} />; the session ends <Time at={session?.expires_at ?? null} />
    </>
  )
  return (
    <Page title="Account" about="You, and where you are signed in." operation="readSelf">
      {() => (
        <>
          <Details
            facts={{
              Name: foreign(actor.name ?? 'none'),
              'User id': <CopyField label="the user id" value={actor.id} />,
              Tenant: foreign(tenant.name),
              Roles: <span className="row">{roleNames}</span>,
              'Signed in': signedIn,
            }}
          />
          <Section title="Your sessions">
            <SessionList />
          </Section>
          <Section title="What you may do">
            <PermissionMatrix granted={new Map(permissions.map((permission) => [permission, '']))} />
          </Section>
        </>
      )}
    </Page>
  )
}
