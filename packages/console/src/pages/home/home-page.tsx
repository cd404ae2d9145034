import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Page } from '../../layout/page.tsx'
import { api } from '../../session/api.ts'
import { useDenial, useSelf } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import styles from './home.module.css'
import { KeysToWatch } from './keys-to-watch.tsx'
import { RequestsCard } from './requests-card.tsx'

/** The start page: keys that need attention, and the next steps of a new tenant. */
export function HomePage() {
  const { tenant } = useSelf()
  const denial = useDenial()
  const mayReadKeys = denial('listKeys') === undefined
  return (
    <Page title={foreign(tenant.name)} about="What needs attention now.">
      {() => (
        <div className={styles.home}>
          <RequestsCard />
          {mayReadKeys ? <KeysToWatch /> : null}
          <NextSteps />
        </div>
      )}
    </Page>
  )
}

function NextSteps() {
  const { tenant } = useSelf()
  const isPermitted = useDenial()('listKeys') === undefined
  const { data } = useQuery({
    queryKey: ['keys', 'any'],
    queryFn: ({ signal }) => api.listKeys({ limit: 1 }, { signal }).page(),
    enabled: isPermitted,
  })
  const hasKey = (data?.data.length ?? 0) > 0
  return (
    <section className="card stack" aria-labelledby="next-steps">
      <h2 id="next-steps">Next steps</h2>
      <ol className={styles.steps}>
        <li data-done={hasKey}>
          <Link to="/keys">Create an API key</Link>
          <small>and give it a role.</small>
        </li>
        <li>
          <a href="/docs">Read the guides</a>
          <small>for a first payment and a first webhook.</small>
        </li>
        <li>
          <span>Send requests with your tenant id</span>
          <CopyField label="the tenant id" value={tenant.id} />
        </li>
      </ol>
    </section>
  )
}
