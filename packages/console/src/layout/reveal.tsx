import { type ReactNode, useCallback, useState } from 'react'
import { useAction } from '../session/action.ts'
import type { OperationName } from '../session/api.ts'
import { Notice, Secret } from '../ui/content.tsx'
import { ActionButton } from './actions.tsx'

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
