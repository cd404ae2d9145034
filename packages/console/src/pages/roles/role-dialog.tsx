import type { Role } from '@payments/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ComponentProps, useState } from 'react'
import { useEdit } from '../../layout/edit.tsx'
import { Form } from '../../layout/form.tsx'
import { Loaded } from '../../layout/loaded.tsx'
import { useAction } from '../../session/action.ts'
import { api } from '../../session/api.ts'
import { useSelf } from '../../session/self.ts'
import { foreign } from '../../text/foreign.ts'
import { counted } from '../../text/format.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PermissionChoice } from './permission-choice.tsx'
import { permissionsQuery } from './permission-operations.ts'

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
  const [name, setName] = useState(edited?.name ?? '')
  const [description, setDescription] = useState(role?.description ?? '')
  const [copied] = useState(() => (isCopy ? role?.permissions : undefined) ?? [])
  const isOwn = (permission: string) => own.includes(permission)
  const [chosen, setChosen] = useState<readonly string[]>(() =>
    isCopy ? copied.filter(isOwn) : (role?.permissions ?? []),
  )
  const leftOut = copied.filter((permission) => !isOwn(permission)).length
  const save = useAction({
    call: (_input: undefined, { idempotencyKey }) => {
      const texts = { name: name.trim(), description: description.trim() }
      const body = { ...texts, permissions: [...chosen] as Role['permissions'] }
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
  const title = edited === undefined ? 'Create a role' : 'Edit the role'
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        action={save}
        submit={edited === undefined ? 'Create role' : 'Save'}
        onSubmit={() => save.run(undefined)}
        onCancel={onClose}
      >
        {edit.notice}
        {leftOut === 0 ? null : (
          <Notice tone="warning">
            The copy leaves out {counted(leftOut, 'permission')} of {foreign(role?.name ?? '')} that you do not have.
          </Notice>
        )}
        <Field label="Name" error={save.failureOf('/name')}>
          {(control) => (
            <input
              {...control}
              required
              maxLength={100}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <Field label="Description" error={save.failureOf('/description')}>
          {(control) => (
            <input
              {...control}
              maxLength={500}
              value={description}
              onChange={({ target }) => setDescription(target.value)}
            />
          )}
        </Field>
        <Permissions own={own} chosen={chosen} onChange={setChosen} />
      </Form>
    </Dialog>
  )
}

function Permissions(props: Omit<ComponentProps<typeof PermissionChoice>, 'permissions'>) {
  return (
    <Loaded query={useQuery(permissionsQuery)}>
      {({ data }) => <PermissionChoice permissions={data} {...props} />}
    </Loaded>
  )
}
