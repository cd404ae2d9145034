import { Card } from '../../layout/card.tsx'
import { api, type OperationName } from '../../session/api.ts'
import { useItems } from '../../session/reads.ts'
import { useDenial } from '../../session/self.ts'
import { foreign, formatCount } from '../../text/format.ts'
import styles from './plan.module.css'

interface Usage {
  readonly total: number
  readonly units: readonly { readonly business_unit_id: string; readonly count: number }[]
}

interface Kind {
  readonly name: string
  readonly operation: OperationName
  readonly read: (month: string, signal: AbortSignal) => Promise<Usage>
}

const kinds: readonly Kind[] = [
  {
    name: 'Payments',
    operation: 'readPaymentUsage',
    read: (month, signal) => api.readPaymentUsage({ month }, { signal }),
  },
  {
    name: 'Deliveries',
    operation: 'readDeliveryUsage',
    read: (month, signal) => api.readDeliveryUsage({ month }, { signal }),
  },
  {
    name: 'Messages',
    operation: 'readMessageUsage',
    read: (month, signal) => api.readMessageUsage({ month }, { signal }),
  },
]

/** The usage of a month: the requests of the tenant, and the rest per business unit. */
export function UsageCard({ month }: { month: string }) {
  const findDenial = useDenial()
  const permitted = kinds.filter(({ operation }) => findDenial(operation) === undefined)
  return (
    <>
      <Card
        title="Requests"
        operation="readAuditUsage"
        queryKey={['usage', 'requests', month]}
        read={(signal) => api.readAuditUsage({ month }, { signal })}
      >
        {({ requests }) => <p className={styles.number}>{formatCount(requests)}</p>}
      </Card>
      {permitted.map(({ name, operation, read }) => (
        <Card
          key={operation}
          title={name}
          operation={operation}
          queryKey={['usage', operation, month]}
          read={(signal) => read(month, signal)}
        >
          {(usage) => <UnitTable name={name} usage={usage} />}
        </Card>
      ))}
    </>
  )
}

function UnitTable({ name, usage: { total, units } }: { name: string; usage: Usage }) {
  const known = useItems('listBusinessUnits', 'business-units')
  return (
    <>
      <p className={styles.number}>{formatCount(total)}</p>
      {units.length === 0 ? null : (
        <table className={styles.units} aria-label={`${name} by business unit`}>
          <thead>
            <tr>
              <th scope="col">Business unit</th>
              <th scope="col">{name}</th>
            </tr>
          </thead>
          <tbody>
            {units.map(({ business_unit_id: id, count: number }) => (
              <tr key={id}>
                <th scope="row">{foreign(known.find((unit) => unit.id === id)?.name ?? id)}</th>
                <td>{formatCount(number)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}
