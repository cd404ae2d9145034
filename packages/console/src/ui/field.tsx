import { type ReactNode, useId } from 'react'
import styles from './field.module.css'

/** The attributes of the control in a field, with which a screen reader reads out label, hint and error. */
export interface ControlProps {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean
}

/** The texts around the control of a field. */
export interface FieldTexts {
  readonly label: string
  readonly hint?: ReactNode
  /** Why the API rejects the value. */
  readonly error?: string | undefined
}

interface FieldProps extends FieldTexts {
  readonly children: (control: ControlProps) => ReactNode
}

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  const described = [hint === undefined ? [] : `${id}-hint`, error === undefined ? [] : `${id}-error`].flat()
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-describedby': described.length === 0 ? undefined : described.join(' '),
        'aria-invalid': error !== undefined,
      })}
      {hint === undefined ? null : <small id={`${id}-hint`}>{hint}</small>}
      {error === undefined ? null : (
        <small id={`${id}-error`} className={styles.error} role="alert">
          {error}
        </small>
      )}
    </div>
  )
}
