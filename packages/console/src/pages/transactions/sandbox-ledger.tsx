import type { SandboxOperation, Transaction } from '@payments/client/schemas'
import { List, listQuery } from '../../layout/list.tsx'
import { api } from '../../session/api.ts'
import { Money } from '../../ui/money.tsx'
import type { Column } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

/** The ledger of the sandbox for one transaction: the view of the payment provider. */
export function SandboxLedger({ transaction }: { transaction: Transaction }) {
  return (
    <section className="stack" aria-labelledby="ledger">
      <h2 id="ledger">Ledger of the sandbox</h2>
      <List
        label="Ledger of the sandbox"
        query={ledgerQuery(transaction)}
        columns={columns}
        idOf={({ id }) => id}
        empty={<p className="muted">The sandbox received no operation of this transaction.</p>}
      />
    </section>
  )
}

/** Read again with each change of the transaction. */
const ledgerQuery = ({ id, version }: Transaction) =>
  listQuery<SandboxOperation>({
    key: ['transactions', id, 'ledger', version],
    read: (cursor, signal) =>
      api
        .listSandboxOperations(
          { transaction_id: id, limit: 50, ...(cursor === undefined ? {} : { cursor }) },
          { signal },
        )
        .page(),
  })

const columns: readonly Column<SandboxOperation>[] = [
  { name: 'Operation', width: '8rem', cell: ({ type }) => type },
  { name: 'State', cell: ({ state }) => <span className="badge">{state.replaceAll('_', ' ')}</span> },
  { name: 'Amount', width: '9rem', isNumber: true, cell: (entry) => <Money {...entry} /> },
  {
    name: 'Released',
    width: '9rem',
    isNumber: true,
    cell: ({ amount_released, currency }) => <Money amount={amount_released} currency={currency} />,
  },
  { name: 'Received', width: '9rem', cell: ({ received_at }) => <Time at={received_at} /> },
]
