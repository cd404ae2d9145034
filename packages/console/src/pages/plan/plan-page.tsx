import { Page } from '../../layout/page.tsx'
import { useSelf } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Time } from '../../ui/time.tsx'

/** The tenant: its id, environment and status. */
export function PlanPage() {
  const { tenant, environment } = useSelf()
  return (
    <Page title="Plans and billing" about="Your tenant and its usage." operation="readSelf">
      {() => (
        <section className="card" aria-label="Tenant">
          <dl className="facts">
            <dt>Tenant</dt>
            <dd>{foreign(tenant.name)}</dd>
            <dt>Tenant id</dt>
            <dd>
              <CopyField label="the tenant id" value={tenant.id} />
            </dd>
            <dt>Environment</dt>
            <dd>{environment.toUpperCase()}</dd>
            <dt>Status</dt>
            <dd>
              <span className="badge" data-tone={tenant.status === 'active' ? 'good' : 'bad'}>
                {tenant.status}
              </span>
            </dd>
            <dt>Since</dt>
            <dd>
              <Time at={tenant.created_at} />
            </dd>
          </dl>
        </section>
      )}
    </Page>
  )
}
