import styles from './permission-choice.module.css'

interface ListedPermission {
  readonly name: string
  readonly description: string
  readonly operations: readonly string[]
}

interface PermissionChoiceProps {
  readonly permissions: readonly ListedPermission[]
  /** The permissions of the person, who cannot grant others, and can leave them out. */
  readonly own: readonly string[]
  readonly chosen: readonly string[]
  readonly onChange: (permissions: readonly string[]) => void
}

/** The catalogue of permissions by resource, as boxes to tick. */
export function PermissionChoice({ permissions, own, chosen, onChange }: PermissionChoiceProps) {
  const resources = Map.groupBy(permissions, ({ name }) => name.split(':')[0] ?? '')
  const toggle = (name: string, isChosen: boolean) =>
    onChange(isChosen ? [...chosen, name] : chosen.filter((each) => each !== name))
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
                  onChange={({ target }) => toggle(name, target.checked)}
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
