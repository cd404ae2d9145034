import { type ReactNode, useState } from 'react'
import { ActionButton } from '../session/action-button.tsx'
import type { OperationName } from '../session/api.ts'
import { useDenial } from '../session/self.ts'
import { Menu } from '../ui/menu.tsx'

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
  const denialOf = useDenial()
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
            disabledBecause: denialOf(operation) ?? denial,
          }))}
        />
      )}
      {open === undefined ? null : actions[open]?.dialog?.(() => setOpen(undefined))}
    </>
  )
}
