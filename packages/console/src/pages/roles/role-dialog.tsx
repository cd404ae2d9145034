import type { Role } from '@payments/client/schemas'
import { type ComponentProps, useState } from 'react'
import { useEditor } from '../../layout/edit.tsx'
import { FormDialog } from '../../layout/form.tsx'
import { Loaded } from '../../layout/loaded.tsx'
import { api } from '../../session/api.ts'
import { useItemsQuery } from '../../session/reads.ts'
import { useSelf } from '../../session/self.ts'
import { foreign, formatQuantity } from '../../text/format.ts'
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
  const { permissions: own } = useSelf()
  const [copied] = useState(() => (isCopy ? role?.permissions : undefined) ?? [])
  const isOwn = (permission: string) => own.includes(permission)
  const leftOut = copied.filter((permission) => !isOwn(permission)).length
  const { values, bind, change, notice, form } = useEditor({
    noun: 'role',
    current: isCopy ? undefined : role,
    initial: () => ({
      name: isCopy ? '' : (role?.name ?? ''),
      description: role?.description ?? '',
      permissions: (isCopy ? copied.filter(isOwn) : (role?.permissions ?? [])) as readonly string[],
    }),
    toBody: ({ name, description, permissions }) => ({
      name: name.trim(),
      description: description.trim(),
      permissions: [...permissions] as Role['permissions'],
    }),
    read: (id) => api.readRole({ role_id: id }),
    create: (body, options) => api.createRole({ body }, options),
    update: (id, body) => api.updateRole({ role_id: id, body }),
    list: '/roles',
    onClose,
  })
  return (
    <FormDialog {...form}>
      {notice}
      {leftOut === 0 ? null : (
        <Notice tone="warning">
          The copy leaves out {formatQuantity(leftOut, 'permission')} of {foreign(role?.name ?? '')} that you do not
          have.
        </Notice>
      )}
      <TextField label="Name" isRequired maxLength={100} {...bind('name')} />
      <TextField label="Description" maxLength={500} {...bind('description')} />
      <Permissions own={own} chosen={values.permissions} onChange={(permissions) => change({ permissions })} />
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
