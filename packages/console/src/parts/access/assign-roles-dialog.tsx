import { useState } from 'react'
import { FormDialog, useForm } from '../../layout/form.tsx'
import { listAfter } from '../../text/list-after.ts'
import { RoleChoice } from './role-choice.tsx'

interface AssignRolesDialogProps {
  readonly title: string
  readonly submit: string
  /** Whose requests have the roles: `with the key`. */
  readonly subject: string
  readonly roleIds: readonly string[]
  readonly read: () => Promise<{ readonly role_ids: readonly string[] }>
  readonly assign: (roleIds: string[]) => Promise<unknown>
  readonly onClose: () => void
}

/** Changes the roles of a key or a user. Those that another person assigned meanwhile stay. */
export function AssignRolesDialog({ title, submit, subject, roleIds, read, assign, onClose }: AssignRolesDialogProps) {
  const [opened] = useState(roleIds)
  const { bind, action } = useForm({
    initial: { role_ids: opened },
    call: async ({ role_ids: chosen }) => assign(listAfter({ opened, chosen, current: (await read()).role_ids })),
    onSuccess: onClose,
  })
  const { value: chosen, ...choice } = bind('role_ids')
  return (
    <FormDialog title={title} action={action} submit={submit} onClose={onClose}>
      <RoleChoice chosen={chosen} {...choice} />
      <small>The change applies to the next request {subject}.</small>
    </FormDialog>
  )
}
