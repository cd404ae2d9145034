import type { BusinessUnit } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Confirm } from '../../layout/confirm.tsx'
import { Loaded } from '../../layout/loaded.tsx'
import { localeName } from '../../layout/locale-field.tsx'
import { Page } from '../../layout/page.tsx'
import { ActionButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { usePermitted } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Time } from '../../ui/time.tsx'
import { Orchestrators } from './orchestrators.tsx'
import styles from './unit.module.css'
import { UnitDialog } from './unit-dialog.tsx'

/** One business unit: how payers see it, and the payment providers that it uses. */
export function UnitPage() {
  const { unitId = '' } = useParams({ strict: false })
  const args = { business_unit_id: unitId }
  const query = useQuery({
    queryKey: ['business-units', unitId],
    queryFn: ({ signal }) => api.readBusinessUnit(args, { signal }),
    enabled: usePermitted('readBusinessUnit'),
  })
  const { data } = query
  return (
    <Page
      title={data === undefined ? 'Business unit' : foreign(data.name)}
      operation="readBusinessUnit"
      args={args}
      actions={data?.status === 'active' ? <Actions unit={data} /> : null}
    >
      {() => <Loaded query={query}>{(data) => <Details unit={data} />}</Loaded>}
    </Page>
  )
}

function Actions({ unit }: { unit: BusinessUnit }) {
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const navigate = useNavigate()
  const close = () => setOpen(undefined)
  return (
    <>
      <ActionButton operation="updateBusinessUnit" onClick={() => setOpen('edit')}>
        Edit
      </ActionButton>
      <ActionButton operation="deleteBusinessUnit" kind="danger" onClick={() => setOpen('delete')}>
        Delete
      </ActionButton>
      {open === 'edit' ? <UnitDialog unit={unit} onClose={close} /> : null}
      {open === 'delete' ? (
        <Confirm
          title="Delete this business unit?"
          submit="Delete"
          typed={unit.name}
          call={() => api.deleteBusinessUnit({ business_unit_id: unit.id })}
          onDone={() => void navigate({ to: '/units' })}
          onClose={close}
        >
          It takes no payments afterwards. Its transactions can still be captured, voided and refunded.
        </Confirm>
      ) : null}
    </>
  )
}

function Details({ unit }: { unit: BusinessUnit }) {
  const isDeleted = unit.status === 'deleted'
  return (
    <>
      {isDeleted ? <Notice tone="warning">This business unit is deleted, and takes no payments.</Notice> : null}
      <section className="card" aria-label="Details">
        <Facts unit={unit} />
      </section>
      <Orchestrators unit={unit} />
    </>
  )
}

function Facts({ unit }: { unit: BusinessUnit }) {
  const { branding, communication } = unit
  const shown: readonly (readonly [string, string | null])[] = [
    ['Time zone', unit.timezone_name],
    ['Default currency', unit.default_currency],
    ['Default language', unit.default_locale === null ? null : localeName(unit.default_locale)],
    ['Display name', branding.display_name],
    ['Logo', branding.logo_url],
    ['Support email', branding.support_email],
    ['Sender of messages', communication.from_name],
    ['Reply to', communication.reply_to],
  ]
  return (
    <dl className="facts">
      {shown.flatMap(([name, value]) =>
        value === null ? [] : [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{foreign(value)}</dd>],
      )}
      {branding.primary_color === null ? null : (
        <>
          <dt>Colour of buttons</dt>
          <dd className="row">
            <Swatch color={branding.primary_color} />
          </dd>
        </>
      )}
      <dt>Created</dt>
      <dd>
        <Time at={unit.created_at} />
      </dd>
      <dt>Id</dt>
      <dd>
        <CopyField label="the id" value={unit.id} />
      </dd>
      <dt>Payments</dt>
      <dd>
        <Link to="/transactions" search={{ business_unit_id: unit.id }}>
          Transactions of this unit
        </Link>
      </dd>
    </dl>
  )
}

/** A colour, which the API limits to `#rrggbb`, as the attribute of a drawing. */
function Swatch({ color }: { color: string }) {
  return (
    <>
      <svg className={styles.swatch} viewBox="0 0 1 1" aria-hidden="true">
        <rect width="1" height="1" fill={color} />
      </svg>
      <code>{foreign(color)}</code>
    </>
  )
}
