import type { SandboxOperation, Transaction } from '@payments/client/schemas'
import { List } from '../../layout/list.tsx'
import { Section } from '../../ui/section.tsx'
import type { Column } from '../../ui/table.tsx'
import { Money, State, Time } from '../../ui/values.tsx'

/** The ledger of the sandbox for one transaction: the view of the payment provider. */
export function SandboxLedger({ transaction: { id, version } }: { transaction: Transaction }) {
  const title = 'Ledger of the sandbox'
  return (
    <Section title={title}>
      <List
        // Read again with each change of the transaction.
        key={version}
        label={title}
        operation="listSandboxOperations"
        topic="sandbox-ledger"
        args={{ transaction_id: id }}
        columns={columns}
        empty={<p className="muted">The sandbox received no operation of this transaction.</p>}
      />
    </Section>
  )
}

const columns: readonly Column<SandboxOperation>[] = [
  { name: 'Operation', width: '8rem', cell: ({ type }) => type },
  { name: 'State', cell: ({ state }) => <State state={state} /> },
  { name: 'Amount', width: '9rem', isNumber: true, cell: (entry) => <Money {...entry} /> },
  {
    name: 'Released',
    width: '9rem',
    isNumber: true,
    cell: ({ amount_released, currency }) => <Money amount={amount_released} currency={currency} />,
  },
  { name: 'Received', width: '9rem', cell: ({ received_at }) => <Time at={received_at} /> },
]
