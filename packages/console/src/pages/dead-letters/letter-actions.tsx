import { useState } from 'react'
import { ActionButton } from '../../session/action-button.tsx'
import { DiscardDialog } from './discard-dialog.tsx'
import { RedriveDialog } from './redrive-dialog.tsx'
import { type Selection, sizeOf } from './selection.ts'

interface LetterActionsProps {
  readonly selection: Selection
  /** Of the buttons: the size of the selection, unless there is one dead letter only. */
  readonly isSingle?: boolean
  /** False for an empty list. An open dialog stays when the last row leaves. */
  readonly hasButtons?: boolean
}

/** The actions on dead letters. Each action counts them before it changes them. */
export function LetterActions({ selection, isSingle = false, hasButtons = true }: LetterActionsProps) {
  const [open, setOpen] = useState<'redrive' | 'discard'>()
  const size = isSingle ? '' : ` ${sizeOf(selection)}`
  const close = () => setOpen(undefined)
  return (
    <>
      {hasButtons ? (
        <>
          <ActionButton operation="redriveDeadLetters" kind="primary" onClick={() => setOpen('redrive')}>
            Redrive{size}
          </ActionButton>
          <ActionButton operation="discardDeadLetters" kind="danger" onClick={() => setOpen('discard')}>
            Discard{size}
          </ActionButton>
        </>
      ) : null}
      {open === 'redrive' ? <RedriveDialog selection={selection} onClose={close} /> : null}
      {open === 'discard' ? <DiscardDialog selection={selection} onClose={close} /> : null}
    </>
  )
}
