import type { ApiKey } from '@payments/client/schemas'
import { useState } from 'react'
import { Actions, enableAction, offerDialog, useDeletion } from '../../layout/actions.tsx'
import { useEditor } from '../../layout/edit.tsx'
import { FormDialog, useForm } from '../../layout/form.tsx'
import { assignRolesAction } from '../../parts/access/roles.tsx'
import { api } from '../../session/api.ts'
import { foreign, splitWords } from '../../text/format.ts'
import { toInstantOrNull, toLocalTime } from '../../text/local-time.ts'
import { Secret } from '../../ui/content.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextAreaField, TextField, toOptions } from '../../ui/fields.tsx'

/** The actions of a key. */
export function KeyActions({ apiKey }: { apiKey: ApiKey }) {
  const address = { api_key_id: apiKey.id }
  const deletion = useDeletion({
    operation: 'deleteKey',
    noun: 'key',
    name: apiKey.name,
    call: () => api.deleteKey(address),
    to: '/keys',
    effect: 'Programs that use the key lose access with their next request. A deleted key cannot be restored.',
  })
  const enabling = enableAction({
    operation: 'updateKey',
    isEnabled: apiKey.enabled,
    name: foreign(apiKey.name),
    effects,
    call: (body) => api.updateKey({ ...address, body }),
  })
  return (
    <Actions
      actions={[
        assignRolesAction({
          operation: 'assignRoles',
          label: 'Assign roles',
          submit: 'Assign roles',
          subject: 'with the key',
          roleIds: apiKey.role_ids,
          read: () => api.readKey(address),
          assign: (role_ids) => api.assignRoles({ ...address, body: { role_ids } }),
        }),
        offerDialog('rotateKey', 'Rotate', (close) => <RotateKeyDialog apiKey={apiKey} onClose={close} />),
        offerDialog('updateKey', 'Edit', (close) => <EditKeyDialog apiKey={apiKey} onClose={close} />, {
          isInMenu: true,
        }),
        { ...enabling, isInMenu: true },
        { ...deletion, isInMenu: true },
      ]}
    />
  )
}

const effects = {
  disable: 'The next request with the key is rejected. You can enable the key again.',
  enable: 'The next request with the key is accepted again.',
}

/** Name, description, end and addresses of a key. */
function EditKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const { bind, notice, form } = useEditor({
    noun: 'key',
    current: apiKey,
    initial: () => ({
      name: apiKey.name,
      description: apiKey.description,
      expires_at: toLocalTime(apiKey.expires_at),
      allowed_cidrs: apiKey.allowed_cidrs?.join('\n') ?? '',
    }),
    toBody: ({ name, description, expires_at, allowed_cidrs }) => {
      const cidrs = splitWords(allowed_cidrs)
      return {
        name: name.trim(),
        description: description.trim(),
        expires_at: toInstantOrNull(expires_at),
        allowed_cidrs: cidrs.length === 0 ? null : cidrs,
      }
    },
    read: (id) => api.readKey({ api_key_id: id }),
    update: (id, body) => api.updateKey({ api_key_id: id, body }),
    onClose,
  })
  return (
    <FormDialog {...form}>
      {notice}
      <TextField label="Name" isRequired maxLength={100} {...bind('name')} />
      <TextAreaField label="Description" {...bind('description')} />
      <TextField label="Expires" hint="Empty: never." type="datetime-local" {...bind('expires_at')} />
      <TextAreaField
        label="Allowed addresses"
        hint="Networks such as 203.0.113.0/24, one a line. Empty: every address."
        {...bind('allowed_cidrs')}
      />
    </FormDialog>
  )
}

const graces = toOptions({ '0': 'At once', '3600': 'In an hour', '86400': 'In a day' })

/** Gives a key another value. The previous one works until the grace period has ended. */
function RotateKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const [value, setValue] = useState<string>()
  const { bind, action } = useForm({
    initial: { grace_period_seconds: '86400' },
    call: ({ grace_period_seconds: seconds }, { idempotencyKey }) =>
      api.rotateKey({ api_key_id: apiKey.id, body: { grace_period_seconds: Number(seconds) } }, { idempotencyKey }),
    onSuccess: (rotated) => setValue(rotated.value),
  })
  const title = 'Rotate the value'
  if (value !== undefined) {
    return (
      <Dialog title={title} onClose={onClose}>
        <p>Store the new value now.</p>
        <Secret label="the new value" value={value} onHide={onClose} />
      </Dialog>
    )
  }
  return (
    <FormDialog title={title} action={action} submit="Rotate" onClose={onClose}>
      <p>The key gets a new value, and keeps its id, roles and settings.</p>
      <SelectField label="The previous value ends" options={graces} {...bind('grace_period_seconds')} />
    </FormDialog>
  )
}

interface KeyDialogProps {
  readonly apiKey: ApiKey
  readonly onClose: () => void
}
