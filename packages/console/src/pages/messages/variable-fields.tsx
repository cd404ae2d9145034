import type { TemplateVariable } from '@payments/client/schemas'
import { CheckField } from '../../ui/fields.tsx'
import { Notice } from '../../ui/notice.tsx'

interface VariableFieldsProps {
  readonly variables: readonly TemplateVariable[]
  readonly error: string | undefined
  readonly onChange: (variable: TemplateVariable) => void
}

/** The variables that the texts use, and whether each message must have their values. */
export function VariableFields({ variables, error, onChange }: VariableFieldsProps) {
  if (variables.length === 0) return null
  return (
    <fieldset className="boxes">
      <legend>Variables that each message must have</legend>
      {variables.map((variable) => (
        <CheckField
          key={variable.name}
          isChecked={variable.required === true}
          onChange={(required) => onChange({ ...variable, required })}
        >
          <code>{variable.name}</code>
        </CheckField>
      ))}
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
    </fieldset>
  )
}
