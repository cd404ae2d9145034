import { useState } from 'react'
import { LocaleField } from '../../layout/fields.tsx'
import { FormDialog, useForm } from '../../layout/form.tsx'
import { RoleChoice } from '../../parts/access/roles.tsx'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/format.ts'
import { Notice } from '../../ui/content.tsx'
import { TextField } from '../../ui/fields.tsx'

/** Invites a person by mail. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [invited, setInvited] = useState<string>()
  const { bind, action } = useForm({
    initial: { email: '', role_ids: [] as readonly string[], locale: '' },
    call: ({ email, role_ids, locale }, { idempotencyKey }) =>
      api.createUserInvitation(
        { body: { email: email.trim(), role_ids: [...role_ids], ...(locale.trim() && { locale: locale.trim() }) } },
        { idempotencyKey },
      ),
    onSuccess: ({ email }, change) => {
      setInvited(email ?? '')
      change({ email: '' })
    },
  })
  const { value: roleIds, ...roles } = bind('role_ids')
  return (
    <FormDialog title="Invite a person" action={action} submit="Invite" onClose={onClose}>
      {invited === undefined ? null : (
        <Notice tone="good">Invited {foreign(invited)}. The link in the mail works for seven days.</Notice>
      )}
      <TextField
        label="Email address"
        hint="The address with which the person signs in."
        type="email"
        isRequired
        maxLength={320}
        {...bind('email')}
      />
      <LocaleField label="Language of the mail" none="English" {...bind('locale')} />
      {roleIds.length === 0 ? (
        <Notice tone="warning">Without a role, the person can sign in, and may do nothing.</Notice>
      ) : null}
      <RoleChoice chosen={roleIds} {...roles} />
    </FormDialog>
  )
}
