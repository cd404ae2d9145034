import { useState } from 'react'
import { Confirm } from './confirm.tsx'

interface EnableDialogProps {
  readonly isEnabled: boolean
  /** The thing, as the title names it. */
  readonly name: string
  readonly effects: Readonly<Record<'enable' | 'disable', string>>
  readonly call: (body: { readonly enabled: boolean }) => Promise<unknown>
  readonly onClose: () => void
}

/** Enables or disables something once it is confirmed: the change that was offered, whatever changes meanwhile. */
export function EnableDialog({ isEnabled, name, effects, call, onClose }: EnableDialogProps) {
  const [wasEnabled] = useState(isEnabled)
  const label = enableLabel(wasEnabled)
  return (
    <Confirm
      title={`${label} ${name}?`}
      kind={wasEnabled ? 'danger' : 'primary'}
      submit={label}
      call={() => call({ enabled: !wasEnabled })}
      onClose={onClose}
    >
      {wasEnabled ? effects.disable : effects.enable}
    </Confirm>
  )
}

/** The text of the button that changes whether something is enabled. */
export const enableLabel = (isEnabled: boolean): string => (isEnabled ? 'Disable' : 'Enable')
