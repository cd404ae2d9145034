import { useState } from 'react'
import { type ActionOffer, offerDialog } from '../../layout/actions.tsx'
import { FormDialog, useForm } from '../../layout/form.tsx'
import type { OperationName } from '../../session/api.ts'
import { useItems } from '../../session/reads.ts'
import { listAfter, withChoice } from '../../text/changes.ts'
import { foreign, formatQuantity } from '../../text/format.ts'
import { Badge } from '../../ui/content.tsx'
import styles from './roles.module.css'

interface RoleChoiceProps {
  readonly chosen: readonly string[]
  readonly onChange: (roleIds: readonly string[]) => void
  readonly error?: string | undefined
}

/** The roles of the tenant as boxes to tick. */
export function RoleChoice({ chosen, onChange, error }: RoleChoiceProps) {
  const roles = useItems('listRoles', 'roles')
  return (
    <fieldset className={styles.choice}>
      <legend>Roles</legend>
      {roles.length === 0 ? <small>No roles can be read: needs rbac:ReadRole.</small> : null}
      {roles.map(({ id, name, description, permissions }) => (
        <label key={id}>
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={({ target }) => onChange(withChoice(chosen, id, target.checked))}
          />
          <span>
            <strong>{foreign(name)}</strong>{' '}
            <small>
              {foreign(description)} · {formatQuantity(permissions.length, 'permission')}
            </small>
          </span>
        </label>
      ))}
      {error === undefined ? null : <small role="alert">{error}</small>}
    </fieldset>
  )
}

/** The names of roles in a row; ids where the names cannot be read. */
export function RoleNames({ roleIds }: { roleIds: readonly string[] }) {
  const roles = useItems('listRoles', 'roles')
  if (roleIds.length === 0) return <Badge tone="warning">no roles</Badge>
  return (
    <span className="row">
      {roleIds.map((roleId) => (
        <Badge key={roleId}>{foreign(roles.find(({ id }) => id === roleId)?.name ?? roleId)}</Badge>
      ))}
    </span>
  )
}

interface RoleAssignment {
  readonly operation: OperationName
  readonly label: string
  readonly submit: string
  /** Whose requests have the roles: `with the key`. */
  readonly subject: string
  readonly roleIds: readonly string[]
  readonly read: () => Promise<{ readonly role_ids: readonly string[] }>
  readonly assign: (roleIds: string[]) => Promise<unknown>
}

/** The action that changes the roles of a key or a user. Those that another person assigned meanwhile stay. */
export const assignRolesAction = (assignment: RoleAssignment): ActionOffer =>
  offerDialog(assignment.operation, assignment.label, (close) => <AssignRoles {...assignment} onClose={close} />)

type AssignRolesProps = RoleAssignment & { readonly onClose: () => void }

function AssignRoles({ label, submit, subject, roleIds, read, assign, onClose }: AssignRolesProps) {
  const [opened] = useState(roleIds)
  const { bind, action } = useForm({
    initial: { role_ids: opened },
    call: async ({ role_ids: chosen }) => assign(listAfter({ opened, chosen, current: (await read()).role_ids })),
    onSuccess: onClose,
  })
  const { value: chosen, ...choice } = bind('role_ids')
  return (
    <FormDialog title={label} action={action} submit={submit} onClose={onClose}>
      <RoleChoice chosen={chosen} {...choice} />
      <small>The change applies to the next request {subject}.</small>
    </FormDialog>
  )
}
