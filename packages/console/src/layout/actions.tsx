import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ActionButton } from '../session/action-button.tsx'
import type { OperationName } from '../session/api.ts'
import { useDenial } from '../session/self.ts'
import { Menu } from '../ui/menu.tsx'
import { Confirm } from './confirm.tsx'

export interface ActionOffer {
  readonly operation: OperationName
  readonly label: string
  readonly kind?: 'primary' | 'danger' | undefined
  /** Why the API rejects the operation of a person who has its permission. */
  readonly denial?: string | undefined
  /** False: no button. A dialog that is open stays. */
  readonly isOffered?: boolean
  readonly isInMenu?: boolean
  /** The dialog that the button opens. */
  readonly dialog?: (close: () => void) => ReactNode
  /** The effect of a button without a dialog. */
  readonly onSelect?: () => void
}

/** Actions of a page: their buttons, a menu for the rest, and the dialog of the one that is chosen. */
export function Actions({ actions }: { actions: readonly ActionOffer[] }) {
  // By position: the label of an action may change while its dialog is open.
  const [open, setOpen] = useState<number>()
  const findDenial = useDenial()
  const offered = actions.flatMap((action, index) =>
    action.isOffered === false ? [] : [{ ...action, index, onSelect: action.onSelect ?? (() => setOpen(index)) }],
  )
  const menu = offered.filter(({ isInMenu }) => isInMenu)
  return (
    <>
      {offered
        .filter(({ isInMenu }) => !isInMenu)
        .map(({ index, operation, label, kind, denial, onSelect }) => (
          <ActionButton key={index} operation={operation} kind={kind} denial={denial} onClick={onSelect}>
            {label}
          </ActionButton>
        ))}
      {menu.length === 0 ? null : (
        <Menu
          label="More actions"
          items={menu.map(({ operation, label, kind, denial, onSelect }) => ({
            label,
            isDanger: kind === 'danger',
            onSelect,
            disabledBecause: findDenial(operation) ?? denial,
          }))}
        />
      )}
      {open === undefined ? null : actions[open]?.dialog?.(() => setOpen(undefined))}
    </>
  )
}

interface Deletion {
  readonly operation: OperationName
  /** The kind of what is deleted. */
  readonly noun: string
  /** The person types it. */
  readonly name: string
  readonly call: () => Promise<unknown>
  /** The page that opens afterwards. Default: the page stays. */
  readonly to?: string
  readonly effect: ReactNode
}

/** The action that deletes something, once the person has typed its name. */
export function useDeletion({ operation, noun, name, call, to, effect }: Deletion): ActionOffer {
  const navigate = useNavigate()
  return {
    operation,
    label: 'Delete',
    kind: 'danger',
    dialog: (close) => (
      <Confirm
        title={`Delete this ${noun}?`}
        submit="Delete"
        typed={name}
        call={call}
        onDone={() => {
          if (to !== undefined) void navigate({ to })
        }}
        onClose={close}
      >
        {effect}
      </Confirm>
    ),
  }
}

interface Switch {
  readonly operation: OperationName
  readonly isEnabled: boolean
  /** The thing, as the title names it. */
  readonly name: string
  readonly effects: Readonly<Record<'enable' | 'disable', string>>
  readonly call: (body: { readonly enabled: boolean }) => Promise<unknown>
}

const switchLabel = (isEnabled: boolean): string => (isEnabled ? 'Disable' : 'Enable')

/** The action that enables or disables something. */
export const enableAction = (change: Switch): ActionOffer => ({
  operation: change.operation,
  label: switchLabel(change.isEnabled),
  dialog: (close) => <SwitchDialog {...change} onClose={close} />,
})

/** Makes the change that was offered when the dialog opened, whatever changes meanwhile. */
function SwitchDialog({ isEnabled, name, effects, call, onClose }: Switch & { readonly onClose: () => void }) {
  const [wasEnabled] = useState(isEnabled)
  const label = switchLabel(wasEnabled)
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
