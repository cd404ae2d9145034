import type { Transaction } from '@payments/client/schemas'
import { Link } from '@tanstack/react-router'
import { useUnitName } from '../../layout/unit.tsx'
import { UnitLink } from '../../parts/links.tsx'
import { useResource } from '../../session/reads.ts'
import { usePermitted } from '../../session/self.ts'
import { foreign } from '../../text/format.ts'
import { CopyField, Details, Money, Time } from '../../ui/content.tsx'

/** Details of a transaction, with the ways to the parts of the tenant that it belongs to. */
export function TransactionDetails({ transaction }: { transaction: Transaction }) {
  const maySeeInvitations = usePermitted('listCodes')
  const maySeeUnit = usePermitted('readBusinessUnit')
  const { id, last_error: failure, authorization_expires_at: expiresAt, transaction_items: items } = transaction
  return (
    <Details
      facts={{
        'Paid with': <PaidWith transaction={transaction} />,
        'Latest failure': failure === null ? null : <code>{foreign(failure.decline_code ?? failure.code)}</code>,
        'Authorization ends':
          expiresAt === null || transaction.amount_capturable === 0 ? null : <Time at={expiresAt} />,
        Items: items.length === 0 ? null : <Items transaction={transaction} />,
        Invitations:
          transaction.i2p && maySeeInvitations ? (
            <Link to="/invitations" search={{ transaction_id: id }}>
              Invitations to pay this transaction
            </Link>
          ) : null,
        'Business unit': maySeeUnit ? <Unit transaction={transaction} /> : null,
        Created: <Time at={transaction.created_at} />,
        Id: <CopyField label="the id" value={id} />,
      }}
    />
  )
}

function Items({ transaction: { transaction_items: items, currency } }: { transaction: Transaction }) {
  return (
    <ul>
      {items.map(({ id, name, quantity, unit_amount }, index) => (
        <li key={id ?? index}>
          {quantity} × {foreign(name)}{' '}
          <small>
            <Money amount={unit_amount} currency={currency} /> each
          </small>
        </li>
      ))}
    </ul>
  )
}

/** The business unit, and the payment orchestrator as far as the person may read it. */
function Unit({ transaction: { business_unit_id, payment_orchestrator_id } }: { transaction: Transaction }) {
  const unitName = useUnitName()
  const ids = { business_unit_id, payment_orchestrator_id }
  const { data: orchestrator } = useResource('business-units', 'readPaymentOrchestrator', ids)
  return (
    <>
      <UnitLink id={business_unit_id}>{unitName(business_unit_id)}</UnitLink>
      {orchestrator === undefined ? null : `, through ${foreign(orchestrator.name)}`}
    </>
  )
}

interface PaidWithProps {
  readonly transaction: Pick<Transaction, 'payment_method' | 'status' | 'last_error'>
}

/** The card as people know it, `visa •••• 4242`, or why there is none. */
export function PaidWith({ transaction: { payment_method: method, status, last_error: failure } }: PaidWithProps) {
  if (method !== null) return foreign(`${method.brand} •••• ${method.last4}`)
  const failed = failure?.code === 'payment_declined' ? 'nothing: declined' : 'nothing: failed'
  return <span className="muted">{status === 'failed' ? failed : 'nothing yet'}</span>
}
