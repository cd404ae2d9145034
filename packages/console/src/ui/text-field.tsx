import type { InputHTMLAttributes } from 'react'
import { Field, type FieldTexts } from './field.tsx'

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
