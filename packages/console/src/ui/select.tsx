import type { ControlProps } from './field.tsx'

export interface Option<Value extends string = string> {
  readonly value: Value
  readonly label: string
}

export interface SelectProps<Value extends string> extends Partial<ControlProps> {
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
