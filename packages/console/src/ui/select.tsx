import type { ControlProps } from './field.tsx'

interface Option {
  readonly value: string
  readonly label: string
}

interface SelectProps extends Partial<ControlProps> {
  readonly value: string
  readonly options: readonly Option[]
  readonly onChange: (value: string) => void
  readonly 'aria-label'?: string
}

/** The native element: every device has its own way to choose from it. */
export function Select({ value, options, onChange, ...control }: SelectProps) {
  return (
    <select {...control} value={value} onChange={(event) => onChange(event.target.value)}>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
}
