import type { Role } from '@payments/client/schemas'
import { useState } from 'react'
import { useEditor } from '../../layout/edit.tsx'
import { FormDialog } from '../../layout/form.tsx'
import { Loaded } from '../../layout/page.tsx'
import { api, type ItemOf } from '../../session/api.ts'
import { useItemsQuery } from '../../session/reads.ts'
import { useSelf } from '../../session/self.ts'
import { withChoice } from '../../text/changes.ts'
import { foreign, formatQuantity } from '../../text/format.ts'
import { Notice } from '../../ui/content.tsx'
import { TextField } from '../../ui/fields.tsx'
import styles from './permission-choice.module.css'

interface RoleDialogProps {
  /** The role to edit, or to copy. */
  readonly role?: Role
  readonly isCopy?: boolean
  readonly onClose: () => void
}

/** Creates a role, as a copy of another where one is given, or edits a role. */
export function RoleDialog({ role, isCopy = false, onClose }: RoleDialogProps) {
  const { permissions: own } = useSelf()
  const catalogue = useItemsQuery('listPermissions', 'permissions')
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
      <Loaded query={catalogue}>
        {(known) => (
          <PermissionChoice
            known={known}
            own={own}
            chosen={values.permissions}
            onChange={(permissions) => change({ permissions })}
          />
        )}
      </Loaded>
    </FormDialog>
  )
}

interface PermissionChoiceProps {
  readonly known: readonly ItemOf<'listPermissions'>[]
  /** The permissions of the person, who cannot grant others, and can leave them out. */
  readonly own: readonly string[]
  readonly chosen: readonly string[]
  readonly onChange: (permissions: readonly string[]) => void
}

/** The catalogue of permissions by resource, as boxes to tick. */
function PermissionChoice({ known, own, chosen, onChange }: PermissionChoiceProps) {
  const resources = Map.groupBy(known, ({ name }) => name.split(':')[0] ?? '')
  return (
    <fieldset className={styles.choice}>
      <legend>Permissions ({chosen.length})</legend>
      {[...resources].map(([resource, members]) => (
        <fieldset key={resource}>
          <legend>{resource}</legend>
          {members.map(({ name, description, operations }) => {
            const isLocked = !own.includes(name)
            return (
              <label key={name} title={`${description}: ${operations.join(', ')}`}>
                <input
                  type="checkbox"
                  checked={chosen.includes(name)}
                  disabled={isLocked && !chosen.includes(name)}
                  onChange={({ target }) => onChange(withChoice(chosen, name, target.checked))}
                />
                <span>
                  {name.slice(resource.length + 1)}
                  {isLocked ? <small> — you do not have it</small> : null}
                </span>
              </label>
            )
          })}
        </fieldset>
      ))}
    </fieldset>
  )
}
