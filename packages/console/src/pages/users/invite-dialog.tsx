import { useState } from 'react'
import { Form } from '../../layout/form.tsx'
import { LocaleField } from '../../layout/locale-field.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { foreign } from '../../text/foreign.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RoleChoice } from '../roles/role-choice.tsx'

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
    <Dialog title="Invite a person" onClose={onClose}>
      {invited === undefined ? null : (
        <Notice tone="good">Invited {foreign(invited)}. The link in the mail works for seven days.</Notice>
      )}
      <Form action={invite} submit="Invite" onSubmit={() => invite.run(undefined)} onCancel={onClose}>
        <Field
          label="Email address"
          hint="The address with which the person signs in."
          error={invite.failureOf('/email')}
        >
          {(control) => (
            <input
              {...control}
              type="email"
              required
              maxLength={320}
              value={email}
              onChange={({ target }) => setEmail(target.value)}
            />
          )}
        </Field>
        <LocaleField
          label="Language of the mail"
          none="English"
          value={locale}
          onChange={setLocale}
          error={invite.failureOf('/locale')}
        />
        {roleIds.length === 0 ? (
          <Notice tone="warning">Without a role, the person can sign in, and may do nothing.</Notice>
        ) : null}
        <RoleChoice legend="Roles" chosen={roleIds} onChange={setRoleIds} error={invite.failureOf('/role_ids')} />
      </Form>
    </Dialog>
  )
}
