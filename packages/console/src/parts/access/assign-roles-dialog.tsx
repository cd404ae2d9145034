import { useState } from 'react'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { useAction } from '../../session/action.ts'
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
  const [chosen, setChosen] = useState(opened)
  const action = useAction({
    call: async () => assign(listAfter({ opened, chosen, current: (await read()).role_ids })),
    onSuccess: onClose,
    fields: ['/role_ids'],
  })
  return (
    <FormDialog title={title} action={action} submit={submit} onClose={onClose}>
      <RoleChoice legend="Roles" chosen={chosen} onChange={setChosen} error={action.fieldError('/role_ids')} />
      <small>The change applies to the next request {subject}.</small>
    </FormDialog>
  )
}
