import type { Transaction } from '@payments/client/schemas'
import { type ReactNode, useEffect, useState } from 'react'
import { NotSent } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { queryClient } from '../../session/query-client.ts'
import { Notice } from '../../ui/notice.tsx'

interface Seen {
  /** Says so when the transaction has changed since the form opened. */
  readonly notice: ReactNode
  /** Rejects when the transaction has changed and the form does not show it yet. Nothing is sent then. */
  readonly requireSeen: () => Promise<void>
}

/** For a form that moves money: it is sent with the amounts that the person has seen. */
export function useSeen({ id, version }: Transaction): Seen {
  const [opened] = useState(version)
  useEffect(() => void queryClient.invalidateQueries({ queryKey: ['transactions', 'readTransaction', id] }), [id])
  return {
    notice:
      version === opened ? null : (
        <Notice tone="warning" title="This transaction has changed since the form opened.">
          The form shows the amounts as they are. Look at them before you send it.
        </Notice>
      ),
    requireSeen: async () => {
      const current = await api.readTransaction({ transaction_id: id })
      if (current.version !== version) {
        throw new NotSent('The transaction has changed, so nothing was sent. Look at the amounts, and send it again.')
      }
    },
  }
}
