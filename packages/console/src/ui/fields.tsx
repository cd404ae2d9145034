import { type InputHTMLAttributes, type ReactNode, useId } from 'react'
import styles from './fields.module.css'

/** The attributes of the control in a field, with which a screen reader reads out label, hint and error. */
interface ControlProps {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean
}

/** The texts around the control of a field. */
interface FieldTexts {
  readonly label: string
  readonly hint?: ReactNode
  /** Why the API rejects the value. */
  readonly error?: string | undefined
}

interface FieldProps extends FieldTexts {
  readonly children: (control: ControlProps) => ReactNode
}

function Field({ label, hint, error, children }: FieldProps) {
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

type Attributes = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'type' | 'inputMode' | 'list' | 'max' | 'maxLength' | 'min' | 'pattern' | 'placeholder' | 'readOnly'
>

interface TextFieldProps extends FieldTexts, Attributes {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly isRequired?: boolean
}

/** A field of one line. A `password` is not offered to the password manager of the browser. */
export function TextField({ label, hint, error, value, onChange, isRequired, type = 'text', ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          {...control}
          maxLength={2_000}
          {...rest}
          type={type}
          required={isRequired}
          autoComplete={type === 'password' ? 'new-password' : 'off'}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}

interface TextAreaFieldProps extends FieldTexts {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly isRequired?: boolean
  readonly maxLength?: number
  readonly rows?: number
}

/** A field of several lines. */
export function TextAreaField({ label, hint, error, value, onChange, isRequired, ...rest }: TextAreaFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <textarea
          {...control}
          {...rest}
          required={isRequired}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}

export interface Option<Value extends string = string> {
  readonly value: Value
  readonly label: string
}

/** Options by their values, in this order. */
export const toOptions = <Value extends string>(labels: Readonly<Record<Value, string>>): Option<Value>[] =>
  Object.entries<string>(labels).map(([value, label]) => ({ value: value as Value, label }))

/** The same, after the option of no value. */
export const optionsAfter = <Value extends string>(
  none: string,
  labels: Readonly<Record<Value, string>>,
): Option<Value | ''>[] => [{ value: '', label: none }, ...toOptions(labels)]

interface SelectProps<Value extends string> extends Partial<ControlProps> {
  readonly value: Value
  readonly options: readonly Option<Value>[]
  readonly onChange: (value: Value) => void
  readonly 'aria-label'?: string
}

/** The native element: every device has its own way to choose from it. */
export function Select<Value extends string>({ value, options, onChange, ...control }: SelectProps<Value>) {
  return (
    <select {...control} value={value} onChange={({ target }) => onChange(target.value as Value)}>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
}

type SelectFieldProps<Value extends string> = FieldTexts & Pick<SelectProps<Value>, 'value' | 'options' | 'onChange'>

/** A field of one choice. */
export function SelectField<Value extends string>({ label, hint, error, ...select }: SelectFieldProps<Value>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <Select {...control} {...select} />}
    </Field>
  )
}

interface CheckFieldProps {
  readonly isChecked: boolean
  readonly isDisabled?: boolean
  readonly onChange: (isChecked: boolean) => void
  readonly children: ReactNode
}

/** A box to tick, before its label. */
export function CheckField({ isChecked, isDisabled, onChange, children }: CheckFieldProps) {
  return (
    <label className="row">
      <input
        type="checkbox"
        checked={isChecked}
        disabled={isDisabled}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span>{children}</span>
    </label>
  )
}
