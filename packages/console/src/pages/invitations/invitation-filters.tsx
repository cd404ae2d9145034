import { useState } from 'react'
import styles from '../../layout/filters.module.css'
import { Select } from '../../ui/select.tsx'

export type InvitationFilters = Readonly<Record<string, string>>

const names = ['status', 'recipient', 'business_unit_id', 'transaction_id'] as const

/** The filters of the list that a URL has; others are ignored. */
export const invitationFilters = (search: Readonly<Record<string, string | undefined>>): InvitationFilters =>
  Object.fromEntries(names.flatMap((name) => (search[name] ? [[name, search[name]]] : [])))

interface InvitationFiltersProps {
  readonly filters: InvitationFilters
  readonly onChange: (filters: Record<string, string>) => void
}

export function InvitationFiltersForm({ filters, onChange }: InvitationFiltersProps) {
  const [recipient, setRecipient] = useState(filters['recipient'] ?? '')
  const change = (part: Record<string, string>) => onChange({ ...filters, ...part })
  const others = Object.entries(filters).filter(([name]) => name !== 'status' && name !== 'recipient')
  return (
    <>
      <form
        className={styles.filters}
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          change({ recipient: recipient.trim() })
        }}
      >
        <input
          type="search"
          aria-label="Whole address of the payer"
          placeholder="Whole address"
          value={recipient}
          onChange={({ target }) => setRecipient(target.value)}
          onBlur={() => change({ recipient: recipient.trim() })}
        />
        <Select
          aria-label="Status"
          value={filters['status'] ?? ''}
          options={statuses}
          onChange={(status) => change({ status })}
        />
      </form>
      {others.length === 0 ? null : (
        <div className="row">
          {others.map(([name, value]) => (
            <button key={name} type="button" onClick={() => change({ [name]: '' })}>
              {name} <code>{value}</code> ✕<span className="visually-hidden">remove</span>
            </button>
          ))}
        </div>
      )}
    </>
  )
}

const statuses = [
  { value: '', label: 'Every status' },
  { value: 'active', label: 'Active' },
  { value: 'processing', label: 'Payment in progress' },
  { value: 'completed', label: 'Completed' },
  { value: 'expired', label: 'Expired' },
  { value: 'canceled', label: 'Canceled' },
]
