import { useState } from 'react'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { LocaleField } from '../../layout/locale-field.tsx'
import { RoleChoice } from '../../parts/access/role-choice.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { TextField } from '../../ui/fields.tsx'
import { Notice } from '../../ui/notice.tsx'

/** Invites a person by mail. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [roleIds, setRoleIds] = useState<readonly string[]>([])
  const [locale, setLocale] = useState('')
  const [invited, setInvited] = useState<string>()
  const invite = useAction({
    call: (_input: undefined, { idempotencyKey }) =>
      api.createUserInvitation(
        {
          body: {
            email: email.trim(),
            role_ids: [...roleIds],
            ...(locale.trim() === '' ? {} : { locale: locale.trim() }),
          },
        },
        { idempotencyKey },
      ),
    onSuccess: () => {
      setInvited(email)
      setEmail('')
    },
    fields: ['/email', '/role_ids', '/locale'],
  })
  return (
    <FormDialog title="Invite a person" action={invite} submit="Invite" onClose={onClose}>
      {invited === undefined ? null : (
        <Notice tone="good">Invited {foreign(invited)}. The link in the mail works for seven days.</Notice>
      )}
      <TextField
        label="Email address"
        hint="The address with which the person signs in."
        type="email"
        isRequired
        maxLength={320}
        value={email}
        onChange={setEmail}
        error={invite.fieldError('/email')}
      />
      <LocaleField
        label="Language of the mail"
        none="English"
        value={locale}
        onChange={setLocale}
        error={invite.fieldError('/locale')}
      />
      {roleIds.length === 0 ? (
        <Notice tone="warning">Without a role, the person can sign in, and may do nothing.</Notice>
      ) : null}
      <RoleChoice legend="Roles" chosen={roleIds} onChange={setRoleIds} error={invite.fieldError('/role_ids')} />
    </FormDialog>
  )
}
