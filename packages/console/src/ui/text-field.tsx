import type { HTMLAttributes, HTMLInputTypeAttribute, ReactNode } from 'react'
import { Field } from './field.tsx'

interface TextFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly type?: HTMLInputTypeAttribute
  readonly isRequired?: boolean
  readonly inputMode?: HTMLAttributes<HTMLInputElement>['inputMode']
  readonly maxLength?: number
  /** The id of a datalist with suggestions. */
  readonly list?: string
}

/** A field of one line. A `password` is not offered to the password manager of the browser. */
export function TextField(props: TextFieldProps) {
  const {
    label,
    value,
    onChange,
    hint,
    error,
    type = 'text',
    isRequired = false,
    inputMode,
    maxLength = 2_000,
    list,
  } = props
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          {...control}
          type={type}
          required={isRequired}
          inputMode={inputMode}
          maxLength={maxLength}
          list={list}
          autoComplete={type === 'password' ? 'new-password' : 'off'}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}
