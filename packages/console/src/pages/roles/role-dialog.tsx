import type { Role } from '@payments/client/schemas'
import { useNavigate } from '@tanstack/react-router'
import { type ComponentProps, useState } from 'react'
import { useEdit } from '../../layout/edit.tsx'
import { FormDialog } from '../../layout/form-dialog.tsx'
import { Loaded } from '../../layout/loaded.tsx'
import { bindTo, useValues } from '../../layout/values.ts'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { useItemsQuery } from '../../session/lists.ts'
import { useSelf } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { formatQuantity } from '../../text/format.ts'
import { TextField } from '../../ui/fields.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PermissionChoice } from './permission-choice.tsx'

interface RoleDialogProps {
  /** The role to edit, or to copy. */
  readonly role?: Role
  readonly isCopy?: boolean
  readonly onClose: () => void
}

/** Creates a role, as a copy of another where one is given, or edits a role. */
export function RoleDialog({ role, isCopy = false, onClose }: RoleDialogProps) {
  const edited = isCopy ? undefined : role
  const edit = useEdit(edited, (id) => api.readRole({ role_id: id }))
  const navigate = useNavigate()
  const { permissions: own } = useSelf()
  const [texts, change] = useValues({ name: edited?.name ?? '', description: role?.description ?? '' })
  const [copied] = useState(() => (isCopy ? role?.permissions : undefined) ?? [])
  const isOwn = (permission: string) => own.includes(permission)
  const [chosen, setChosen] = useState<readonly string[]>(() =>
    isCopy ? copied.filter(isOwn) : (role?.permissions ?? []),
  )
  const leftOut = copied.filter((permission) => !isOwn(permission)).length
  const save = useAction({
    call: (_input: undefined, { idempotencyKey }) => {
      const permissions = [...chosen] as Role['permissions']
      const body = { name: texts.name.trim(), description: texts.description.trim(), permissions }
      return edited === undefined
        ? api.createRole({ body }, { idempotencyKey })
        : edit.save(body, (changes) => api.updateRole({ role_id: edited.id, body: changes }))
    },
    onSuccess: ({ id }) => {
      onClose()
      void navigate({ to: '/roles/$roleId', params: { roleId: id } })
    },
    fields: ['/name', '/description'],
  })
  const bind = bindTo(texts, change, save.fieldError)
  const isNew = edited === undefined
  return (
    <FormDialog
      title={isNew ? 'Create a role' : 'Edit the role'}
      action={save}
      submit={isNew ? 'Create role' : 'Save'}
      onClose={onClose}
    >
      {edit.notice}
      {leftOut === 0 ? null : (
        <Notice tone="warning">
          The copy leaves out {formatQuantity(leftOut, 'permission')} of {foreign(role?.name ?? '')} that you do not
          have.
        </Notice>
      )}
      <TextField label="Name" isRequired maxLength={100} {...bind('name')} />
      <TextField label="Description" maxLength={500} {...bind('description')} />
      <Permissions own={own} chosen={chosen} onChange={setChosen} />
    </FormDialog>
  )
}

function Permissions(props: Omit<ComponentProps<typeof PermissionChoice>, 'permissions'>) {
  return (
    <Loaded query={useItemsQuery('listPermissions', 'permissions')}>
      {(permissions) => <PermissionChoice permissions={permissions} {...props} />}
    </Loaded>
  )
}
