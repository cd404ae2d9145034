import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useCallback, useState } from 'react'
import { type Attempt, useAction } from '../session/action.ts'
import type { OperationName } from '../session/api.ts'
import { useDenial } from '../session/self.ts'
import { foreign } from '../text/format.ts'
import { Notice, Secret } from '../ui/content.tsx'
import { TextField } from '../ui/fields.tsx'
import { Menu } from '../ui/menu.tsx'
import { FormDialog } from './form.tsx'

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

/** The action that opens a dialog. */
export const offerDialog = (
  operation: OperationName,
  label: string,
  dialog: (close: () => void) => ReactNode,
  more: Omit<ActionOffer, 'operation' | 'label' | 'dialog'> = {},
): ActionOffer => ({ operation, label, dialog, ...more })

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

type Confirmation = Omit<ActionOffer, 'dialog' | 'onSelect'> & Omit<ConfirmProps, 'label' | 'onClose'>

/** The action that a person confirms. */
export const confirmAction = (confirmation: Confirmation): ActionOffer => ({
  ...confirmation,
  dialog: (close) => <Confirm {...confirmation} onClose={close} />,
})

interface Deletion extends Pick<Confirmation, 'operation' | 'call' | 'effect'> {
  /** The kind of what is deleted. */
  readonly noun: string
  /** The person types it. */
  readonly name: string
  /** The page that opens afterwards. Default: the page stays. */
  readonly to?: string
}

/** The action that deletes something, once the person has typed its name. */
export function useDeletion({ noun, name, to, ...deletion }: Deletion): ActionOffer {
  const navigate = useNavigate()
  const onDone = () => {
    if (to !== undefined) void navigate({ to })
  }
  return confirmAction({
    ...deletion,
    label: 'Delete',
    kind: 'danger',
    title: `Delete this ${noun}?`,
    typed: name,
    onDone,
  })
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
      submit={label}
      isHarmless={!wasEnabled}
      call={() => call({ enabled: !wasEnabled })}
      effect={wasEnabled ? effects.disable : effects.enable}
      onClose={onClose}
    />
  )
}

interface ConfirmProps {
  readonly title: string
  /** The text of the button in the dialog. Default: the label of the action. */
  readonly submit?: string
  readonly label?: string
  /** Whether the action can be reversed: the button in the dialog then has no warning. */
  readonly isHarmless?: boolean
  /** The text of the button that changes nothing. */
  readonly dismiss?: string
  /** The text that the person types before the action, such as the name of what is deleted. */
  readonly typed?: string
  readonly call: (attempt: Attempt) => Promise<unknown>
  readonly onDone?: () => void
  /** The effect of the action, and whether it can be reversed. */
  readonly effect: ReactNode
  readonly onClose: () => void
}

/** A question before an action. */
export function Confirm(props: ConfirmProps) {
  const { title, label = '', submit = label, isHarmless = false, dismiss, typed, call, onDone, effect, onClose } = props
  const [text, setText] = useState('')
  const action = useAction({
    call,
    onSuccess: () => {
      onClose()
      onDone?.()
    },
  })
  return (
    <FormDialog
      title={title}
      action={action}
      submit={submit}
      kind={isHarmless ? 'primary' : 'danger'}
      isReady={typed === undefined || collapseSpaces(text) === collapseSpaces(typed)}
      onClose={onClose}
      dismiss={dismiss}
      isSafeFirst={typed === undefined}
    >
      <div>{effect}</div>
      {typed === undefined ? null : (
        <TextField label={`Type “${foreign(typed)}” to confirm`} value={text} onChange={setText} />
      )}
    </FormDialog>
  )
}

/** As a page shows it: a row of spaces, of any kind, is one. */
const collapseSpaces = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

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

interface CallButtonProps<Output> extends Pick<ActionButtonProps, 'operation' | 'kind' | 'children'> {
  readonly call: (attempt: Attempt) => Promise<Output>
  readonly onSuccess?: (output: Output) => void
  /** The text while the call runs. Default: the same. */
  readonly running?: string
  /** The result of the last call, in place of which the button shows why a later one failed. */
  readonly result?: ReactNode
}

/** A button that calls the operation at once. */
export function CallButton<Output>({ call, onSuccess, running, result, children, ...button }: CallButtonProps<Output>) {
  const { run, isRunning, failure } = useAction({ call, onSuccess })
  return (
    <>
      {failure === undefined ? result : <Notice tone="bad">{failure}</Notice>}
      <ActionButton {...button} onClick={run}>
        {isRunning ? (running ?? children) : children}
      </ActionButton>
    </>
  )
}

interface RevealProps {
  readonly operation: OperationName
  readonly read: () => Promise<string>
  /** The value as a person hears it: `the signing secret`. */
  readonly label: string
  readonly button?: string
  /** Shown before: the masked value, for example. */
  readonly children: ReactNode
}

/** A masked value, and the full one on request. */
export function Reveal({ operation, read, label, button = 'Reveal', children }: RevealProps) {
  const [value, setValue] = useState<string>()
  const reveal = useAction({ call: read, onSuccess: setValue })
  const hide = useCallback(() => setValue(undefined), [])
  if (value !== undefined) return <Secret label={label} value={value} onHide={hide} />
  return (
    <div className="stack">
      <span className="row">
        {children}
        <ActionButton operation={operation} onClick={() => reveal.run()}>
          {button}
        </ActionButton>
      </span>
      {reveal.failure === undefined ? null : <Notice tone="bad">{reveal.failure}</Notice>}
    </div>
  )
}
