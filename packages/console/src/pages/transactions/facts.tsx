import type { Transaction } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useUnitName } from '../../layout/unit.tsx'
import { api } from '../../session/api.ts'
import { useDenial, usePermitted } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Money } from '../../ui/money.tsx'
import { Time } from '../../ui/time.tsx'
import { PaidWith } from './transaction-state.tsx'

/** Details of a transaction, with the ways to the parts of the tenant that it belongs to. */
export function Facts({ transaction }: { transaction: Transaction }) {
  const { last_error: failure, authorization_expires_at: expiresAt } = transaction
  return (
    <dl className="facts">
      <dt>Paid with</dt>
      <dd>
        <PaidWith transaction={transaction} />
      </dd>
      {failure === null ? null : (
        <>
          <dt>Latest failure</dt>
          <dd>
            <code>{foreign(failure.decline_code ?? failure.code)}</code>
          </dd>
        </>
      )}
      {expiresAt === null || transaction.amount_capturable === 0 ? null : (
        <>
          <dt>Authorization ends</dt>
          <dd>
            <Time at={expiresAt} />
          </dd>
        </>
      )}
      {transaction.transaction_items.length === 0 ? null : (
        <>
          <dt>Items</dt>
          <dd>
            <ul>
              {transaction.transaction_items.map(({ id, name, quantity, unit_amount }, index) => (
                <li key={id ?? index}>
                  {quantity} × {foreign(name)}{' '}
                  <small>
                    <Money amount={unit_amount} currency={transaction.currency} /> each
                  </small>
                </li>
              ))}
            </ul>
          </dd>
        </>
      )}
      <Belonging transaction={transaction} />
      <dt>Created</dt>
      <dd>
        <Time at={transaction.created_at} />
      </dd>
      <dt>Id</dt>
      <dd>
        <CopyField label="the id" value={transaction.id} />
      </dd>
    </dl>
  )
}

/** Invitations, business unit and payment orchestrator, as far as the person may read them. */
function Belonging({ transaction }: { transaction: Transaction }) {
  const denialOf = useDenial()
  const unitName = useUnitName()
  const orchestrator = useOrchestratorName(transaction)
  const { id, business_unit_id: unitId, i2p } = transaction
  return (
    <>
      {i2p && denialOf('listCodes') === undefined ? (
        <>
          <dt>Invitations</dt>
          <dd>
            <Link to="/invitations" search={{ transaction_id: id }}>
              Invitations to pay this transaction
            </Link>
          </dd>
        </>
      ) : null}
      {denialOf('readBusinessUnit') === undefined ? (
        <>
          <dt>Business unit</dt>
          <dd>
            <Link to="/units/$unitId" params={{ unitId }}>
              {unitName(unitId)}
            </Link>
            {orchestrator === undefined ? null : `, through ${orchestrator}`}
          </dd>
        </>
      ) : null}
    </>
  )
}

/** Undefined until the name is read, and where the person may not read it. */
function useOrchestratorName({ business_unit_id, payment_orchestrator_id }: Transaction): string | undefined {
  const { data } = useQuery({
    queryKey: ['business-units', business_unit_id, 'orchestrators', payment_orchestrator_id],
    queryFn: ({ signal }) => api.readPaymentOrchestrator({ business_unit_id, payment_orchestrator_id }, { signal }),
    enabled: usePermitted('readPaymentOrchestrator'),
  })
  return data === undefined ? undefined : foreign(data.name)
}
