import type { BusinessUnit } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { Actions, offerDialog, useDeletion } from '../../layout/actions.tsx'
import { localeName } from '../../layout/fields.tsx'
import { ResourcePage } from '../../layout/resource-page.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/format.ts'
import { CopyField, Details, Notice, Time } from '../../ui/content.tsx'
import { Orchestrators } from './orchestrators.tsx'
import styles from './unit.module.css'
import { UnitDialog } from './unit-dialog.tsx'

/** One business unit: how payers see it, and the payment providers that it uses. */
export function UnitPage() {
  return (
    <ResourcePage
      noun="Business unit"
      topic="business-units"
      operation="readBusinessUnit"
      title={({ name }) => foreign(name)}
      actions={(unit) => <UnitActions unit={unit} />}
    >
      {(unit) => (
        <>
          {unit.status === 'deleted' ? (
            <Notice tone="warning">This business unit is deleted, and takes no payments.</Notice>
          ) : null}
          <UnitDetails unit={unit} />
          <Orchestrators unit={unit} />
        </>
      )}
    </ResourcePage>
  )
}

function UnitActions({ unit }: { unit: BusinessUnit }) {
  const deletion = useDeletion({
    operation: 'deleteBusinessUnit',
    noun: 'business unit',
    name: unit.name,
    call: () => api.deleteBusinessUnit({ business_unit_id: unit.id }),
    to: '/units',
    effect: 'It takes no payments afterwards. Its transactions can still be captured, voided and refunded.',
  })
  if (unit.status !== 'active') return null
  return (
    <Actions
      actions={[
        offerDialog('updateBusinessUnit', 'Edit', (close) => <UnitDialog unit={unit} onClose={close} />),
        deletion,
      ]}
    />
  )
}

function UnitDetails({ unit }: { unit: BusinessUnit }) {
  const { branding, communication } = unit
  return (
    <Details
      facts={{
        'Time zone': foreign(unit.timezone_name),
        'Default currency': unit.default_currency,
        'Default language': unit.default_locale === null ? null : foreign(localeName(unit.default_locale)),
        'Display name': textIn(branding.display_name),
        Logo: textIn(branding.logo_url),
        'Support email': textIn(branding.support_email),
        'Sender of messages': textIn(communication.from_name),
        'Reply to': textIn(communication.reply_to),
        'Colour of buttons': branding.primary_color === null ? null : <Swatch color={branding.primary_color} />,
        Created: <Time at={unit.created_at} />,
        Id: <CopyField label="the id" value={unit.id} />,
        Payments: (
          <Link to="/transactions" search={{ business_unit_id: unit.id }}>
            Transactions of this unit
          </Link>
        ),
      }}
    />
  )
}

const textIn = (text: string | null) => (text === null ? null : foreign(text))

/** A colour, which the API limits to `#rrggbb`, as the attribute of a drawing. */
function Swatch({ color }: { color: string }) {
  return (
    <span className="row">
      <svg className={styles.swatch} viewBox="0 0 1 1" aria-hidden="true">
        <rect width="1" height="1" fill={color} />
      </svg>
      <code>{foreign(color)}</code>
    </span>
  )
}
