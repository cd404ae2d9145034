import { foreign } from '../../text/format.ts'
import { Badge } from '../../ui/content.tsx'
import styles from './permission-matrix.module.css'

interface PermissionMatrixProps {
  /** Permissions such as `apikey:CreateKey`, each with a note; an empty note where there is nothing to say. */
  readonly granted: ReadonlyMap<string, string>
  /** The operations that each permission opens, to show beside it. */
  readonly operations?: ReadonlyMap<string, readonly string[]> | undefined
}

/** Permissions by the resource that they are about. */
export function PermissionMatrix({ granted, operations }: PermissionMatrixProps) {
  if (granted.size === 0) return <p className="muted">No permissions: every request is denied.</p>
  const resources = Map.groupBy([...granted], ([permission]) => permission.split(':')[0] ?? '')
  return (
    <dl className={styles.matrix}>
      {[...resources].map(([resource, permissions]) => (
        <div key={resource}>
          <dt>{foreign(resource)}</dt>
          <dd>
            {permissions.map(([permission, note]) => (
              <span className="row" key={permission}>
                <Badge title={note === '' ? undefined : note}>
                  {foreign(permission.slice(resource.length + 1))}
                  {note === '' ? null : <small className={styles.note}>{note}</small>}
                </Badge>
                {operations === undefined ? null : (
                  <small className={styles.opened}>{operations.get(permission)?.join(', ')}</small>
                )}
              </span>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  )
}
