import { Confirm } from './confirm.tsx'

/** The change for which the dialog was opened, whatever changes while it is open. */
export type Enabling = 'enable' | 'disable'

interface EnableDialogProps {
  readonly action: Enabling
  /** The thing, as the title names it. */
  readonly name: string
  readonly effectOf: Readonly<Record<Enabling, string>>
  readonly call: (body: { readonly enabled: boolean }) => Promise<unknown>
  readonly onClose: () => void
}

/** Enables or disables something, once it is confirmed. */
export function EnableDialog({ action, name, effectOf, call, onClose }: EnableDialogProps) {
  return (
    <Confirm
      title={`${labelOf[action]} ${name}?`}
      kind={action === 'disable' ? 'danger' : 'primary'}
      submit={labelOf[action]}
      call={() => call({ enabled: action === 'enable' })}
      onClose={onClose}
    >
      {effectOf[action]}
    </Confirm>
  )
}

const labelOf: Readonly<Record<Enabling, string>> = { enable: 'Enable', disable: 'Disable' }

/** The change that is offered for something. */
export function enablingOf({ enabled }: { readonly enabled: boolean }): { action: Enabling; label: string } {
  const action = enabled ? 'disable' : 'enable'
  return { action, label: labelOf[action] }
}
