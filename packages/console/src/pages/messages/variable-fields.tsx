import type { TemplateVariable } from '@payments/client/schemas'
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
        <label key={variable.name} className="row">
          <input
            type="checkbox"
            checked={variable.required === true}
            onChange={({ target }) => onChange({ ...variable, required: target.checked })}
          />
          <code>{variable.name}</code>
        </label>
      ))}
      {error === undefined ? null : <Notice tone="bad">{error}</Notice>}
    </fieldset>
  )
}
