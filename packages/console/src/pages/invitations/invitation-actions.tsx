import type { Code } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Actions } from '../../layout/actions.tsx'
import { Confirm } from '../../layout/confirm.tsx'
import { CallButton } from '../../session/action-button.tsx'
import { api } from '../../session/api.ts'
import { usePermitted } from '../../session/self.ts'
import { foreign } from '../../text/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { ChangeDialog } from './change-dialog.tsx'

/** The actions that the status of an invitation permits. */
export function InvitationActions({ code }: { code: Code }) {
  const isActive = code.status === 'active'
  const isReplaced = useIsReplaced(code)
  const isOpen = isActive || (code.status === 'expired' && !isReplaced)
  useFocusAfter(isOpen)
  return (
    <>
      {isOpen ? <SendAgain code={code} /> : null}
      <Actions
        actions={[
          {
            operation: 'updateCode',
            label: 'Change',
            isOffered: isActive,
            dialog: (close) => <ChangeDialog code={code} onClose={close} />,
          },
          {
            operation: 'cancelCode',
            label: 'Cancel invitation',
            kind: 'danger',
            isOffered: isOpen,
            dialog: (close) => (
              <Confirm
                title="Cancel this invitation?"
                submit="Cancel the invitation"
                dismiss="Keep it"
                call={({ idempotencyKey }) => api.cancelCode({ code_id: code.id }, { idempotencyKey })}
                onClose={close}
              >
                The link can no longer be paid. Its transaction stays as it is. A canceled invitation cannot be
                restored.
              </Confirm>
            ),
          },
        ]}
      />
    </>
  )
}

/**
 * Whether the transaction of an expired invitation has a newer one, to which an invitation would be sent again; true
 * until that is known.
 */
function useIsReplaced({ id, status, transaction_id: transactionId }: Code): boolean {
  const isRead = usePermitted('listCodes') && status === 'expired'
  const { data } = useQuery({
    queryKey: ['invitations', 'newest', transactionId],
    queryFn: ({ signal }) => api.listCodes({ transaction_id: transactionId, limit: 1 }, { signal }).page(),
    enabled: isRead,
  })
  return isRead && data?.data[0]?.id !== id
}

/** Once the buttons are gone, the focus of one of them moves to the page, where the reader continues. */
function useFocusAfter(isOffered: boolean): void {
  const wasOffered = useRef(isOffered)
  useEffect(() => {
    const isGone = wasOffered.current && !isOffered
    wasOffered.current = isOffered
    if (isGone && document.activeElement === document.body) document.getElementById('main')?.focus()
  }, [isOffered])
}

function SendAgain({ code }: { code: Code }) {
  const [sentTo, setSentTo] = useState<string>()
  return (
    <CallButton
      operation="resendInvitation"
      kind="primary"
      call={({ idempotencyKey }) => api.resendInvitation({ transaction_id: code.transaction_id }, { idempotencyKey })}
      onSuccess={() => setSentTo(code.recipient)}
      result={sentTo === undefined ? null : <Notice tone="good">Sent again to {foreign(sentTo)}.</Notice>}
    >
      Send again
    </CallButton>
  )
}
