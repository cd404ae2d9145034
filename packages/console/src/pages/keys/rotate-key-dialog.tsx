import type { ApiKey } from '@payments/client/schemas'
import { useState } from 'react'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/fields.tsx'
import { Secret } from '../../ui/secret.tsx'

const graces = [
  { value: '0', label: 'At once' },
  { value: '3600', label: 'In an hour' },
  { value: '86400', label: 'In a day' },
]

/** Gives a key another value. The previous one works until the grace period has ended. */
export function RotateKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [seconds, setSeconds] = useState('86400')
  const [value, setValue] = useState<string>()
  const rotate = useAction({
    call: (_input: undefined, { idempotencyKey }) =>
      api.rotateKey({ api_key_id: apiKey.id, body: { grace_period_seconds: Number(seconds) } }, { idempotencyKey }),
    onSuccess: (rotated) => setValue(rotated.value),
    fields: ['/grace_period_seconds'],
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
    <FormDialog title={title} action={rotate} submit="Rotate" onClose={onClose}>
      <p>The key gets a new value, and keeps its id, roles and settings.</p>
      <SelectField
        label="The previous value ends"
        value={seconds}
        options={graces}
        onChange={setSeconds}
        error={rotate.fieldError('/grace_period_seconds')}
      />
    </FormDialog>
  )
}
