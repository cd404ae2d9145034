import type { ReactNode } from 'react'
import type { OperationName } from './api.ts'
import { useDenial } from './self.ts'

interface ActionButtonProps {
  readonly operation: OperationName
  readonly kind?: 'primary' | 'danger' | undefined
  readonly label?: string
  /** Why the API rejects the operation of a person who has its permission. */
  readonly denial?: string | undefined
  readonly onClick: () => void
  readonly children: ReactNode
}

/** A button of an operation. It is off, and says why, where the person may not call it. */
export function ActionButton({ operation, kind, label, denial: other, onClick, children }: ActionButtonProps) {
  const denial = useDenial()(operation) ?? other
  return (
    <button
      type="button"
      data-kind={kind}
      aria-disabled={denial !== undefined}
      title={denial}
      aria-label={label}
      onClick={() => {
        if (denial === undefined) onClick()
      }}
    >
      {children}
      {denial === undefined ? null : <span className="visually-hidden">({denial})</span>}
    </button>
  )
}
