import type { ReactNode } from 'react'

interface CheckFieldProps {
  readonly isChecked: boolean
  readonly isDisabled?: boolean
  readonly onChange: (isChecked: boolean) => void
  readonly children: ReactNode
}

/** A box to tick, before its label. */
export function CheckField({ isChecked, isDisabled, onChange, children }: CheckFieldProps) {
  return (
    <label className="row">
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span>{children}</span>
    </label>
  )
}
