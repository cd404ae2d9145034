import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { OperationName } from '../session/api.ts'
import type { ActionOffer } from './actions.tsx'
import { Confirm } from './confirm.tsx'

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
