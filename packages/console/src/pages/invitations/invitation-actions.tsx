import type { Code } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Actions, CallButton, confirmAction, offerDialog } from '../../layout/actions.tsx'
import { OtherChange, useEditor } from '../../layout/edit.tsx'
import { FormDialog } from '../../layout/form.tsx'
import { useTemplates } from '../../parts/messages/templates.ts'
import { api } from '../../session/api.ts'
import { useDenial, usePermitted } from '../../session/self.ts'
import { isSame } from '../../text/changes.ts'
import { foreign, textOrNull } from '../../text/format.ts'
import { toInstant, toInstantOrNull, toLocalTime } from '../../text/local-time.ts'
import { Notice } from '../../ui/content.tsx'
import { TextField } from '../../ui/fields.tsx'
import { buildDetails } from './draft.ts'
import { MessageFields, messageFields } from './message-fields.tsx'

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
          offerDialog('updateCode', 'Change', (close) => <ChangeDialog code={code} onClose={close} />, {
            isOffered: isActive,
          }),
          confirmAction({
            operation: 'cancelCode',
            label: 'Cancel invitation',
            kind: 'danger',
            isOffered: isOpen,
            title: 'Cancel this invitation?',
            submit: 'Cancel the invitation',
            dismiss: 'Keep it',
            call: ({ idempotencyKey }) => api.cancelCode({ code_id: code.id }, { idempotencyKey }),
            effect:
              'The link can no longer be paid. Its transaction stays as it is. A canceled invitation cannot be restored.',
          }),
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

const toFormValues = (code: Code) => ({
  channel: code.communication_type,
  recipient: code.recipient,
  locale: code.locale ?? '',
  payerName: code.communication_details.payer_name ?? '',
  description: code.communication_details.description ?? '',
  templateId: code.template_id ?? '',
  variables: code.communication_details.variables ?? {},
  expiresAt: toLocalTime(code.expires_at),
  reminderAt: toLocalTime(code.reminder_at),
  returnUrl: code.return_url ?? '',
})

const toBody = (values: ReturnType<typeof toFormValues>) => ({
  recipient: values.recipient.trim(),
  locale: textOrNull(values.locale),
  expires_at: toInstant(values.expiresAt),
  reminder_at: toInstantOrNull(values.reminderAt),
  return_url: textOrNull(values.returnUrl),
  template_id: textOrNull(values.templateId),
  communication_details: buildDetails(values),
})

const fields = [...messageFields, '/expires_at', '/reminder_at', '/return_url']

/** Changes an active invitation. Sends nothing to the payer. */
function ChangeDialog({ code, onClose }: { code: Code; onClose: () => void }) {
  const [opened] = useState(() => toFormValues(code))
  const { values, change, bind, fieldError, isChanged, form } = useEditor({
    noun: 'invitation',
    current: code,
    initial: opened,
    fields,
    toBody,
    read: (id) => api.readCode({ code_id: id }),
    update: (id, body) => api.updateCode({ code_id: id, body }),
    onClose,
  })
  const templates = useTemplates(code.business_unit_id, code.communication_type)
  const denial = useDenial()('revealCode')
  return (
    <FormDialog {...form} title="Change the invitation" isReady={isChanged}>
      {isSame(toFormValues(code), opened) ? null : <OtherChange />}
      <p className="muted">Sends nothing. The link stays the same: an earlier recipient can still use it.</p>
      <MessageFields
        message={values}
        templates={templates}
        fieldError={fieldError}
        onChange={change}
        fixedRecipient={denial && `Another recipient ${denial}: the link stays the same.`}
      />
      <TextField
        label="The link expires"
        hint="In your time zone."
        type="datetime-local"
        isRequired
        {...bind('expiresAt', '/expires_at')}
      />
      <TextField
        label="Reminder"
        hint="In your time zone. Empty: none."
        type="datetime-local"
        {...bind('reminderAt', '/reminder_at')}
      />
      <TextField label="Page after the payment" type="url" {...bind('returnUrl', '/return_url')} />
    </FormDialog>
  )
}
