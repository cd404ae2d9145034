import type { ReactNode } from 'react'
import { Notice } from '../ui/notice.tsx'
import { type Attempt, useAction } from './action.ts'
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
