import { Page } from '../../layout/page.tsx'
import { useSelf } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Time } from '../../ui/time.tsx'
import { PermissionMatrix } from '../roles/permission-matrix.tsx'
import { SessionList } from './session-list.tsx'

/** The person who reads the page: name, roles, permissions and sessions. */
export function AccountPage() {
  const { actor, tenant, roles, permissions, session } = useSelf()
  return (
    <Page title="Account" about="You, and where you are signed in." operation="readSelf">
      {() => (
        <>
          <section className="card" aria-label="Details">
            <dl className="facts">
              <dt>Name</dt>
              <dd>{foreign(actor.name ?? 'none')}</dd>
              <dt>User id</dt>
              <dd>
                <CopyField label="the user id" value={actor.id} />
              </dd>
              <dt>Tenant</dt>
              <dd>{foreign(tenant.name)}</dd>
              <dt>Roles</dt>
              <dd className="row">
                {roles.map(({ id, name }) => (
                  <span className="badge" key={id}>
                    {foreign(name)}
                  </span>
                ))}
              </dd>
              <dt>Signed in</dt>
              <dd>
                <Time at={session?.authenticated_at ?? null} />; the session ends{' '}
                <Time at={session?.expires_at ?? null} />
              </dd>
            </dl>
          </section>
          <section className="stack" aria-labelledby="sessions">
            <h2 id="sessions">Your sessions</h2>
            <SessionList />
          </section>
          <section className="stack" aria-labelledby="permissions">
            <h2 id="permissions">What you may do</h2>
            <PermissionMatrix granted={new Map(permissions.map((permission) => [permission, '']))} />
          </section>
        </>
      )}
    </Page>
  )
}
