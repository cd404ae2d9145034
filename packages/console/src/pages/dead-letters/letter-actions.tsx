import { Actions } from '../../layout/actions.tsx'
import { DiscardDialog } from './discard-dialog.tsx'
import { RedriveDialog } from './redrive-dialog.tsx'
import { describeSize, type Selection } from './selection.ts'

interface LetterActionsProps {
  readonly selection: Selection
  /** Of the buttons: the size of the selection, unless there is one dead letter only. */
  readonly isSingle?: boolean
  /** False for an empty list. An open dialog stays when the last row leaves. */
  readonly hasButtons?: boolean
}

/** The actions on dead letters. Each action counts them before it changes them. */
export function LetterActions({ selection, isSingle = false, hasButtons = true }: LetterActionsProps) {
  const size = isSingle ? '' : ` ${describeSize(selection)}`
  return (
    <Actions
      actions={[
        {
          operation: 'redriveDeadLetters',
          label: `Redrive${size}`,
          kind: 'primary',
          isOffered: hasButtons,
          dialog: (close) => <RedriveDialog selection={selection} onClose={close} />,
        },
        {
          operation: 'discardDeadLetters',
          label: `Discard${size}`,
          kind: 'danger',
          isOffered: hasButtons,
          dialog: (close) => <DiscardDialog selection={selection} onClose={close} />,
        },
      ]}
    />
  )
}
