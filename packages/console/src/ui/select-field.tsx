import { Field, type FieldTexts } from './field.tsx'
import { Select, type SelectProps } from './select.tsx'

type SelectFieldProps<Value extends string> = FieldTexts & Pick<SelectProps<Value>, 'value' | 'options' | 'onChange'>

/** A field of one choice. */
export function SelectField<Value extends string>({ label, hint, error, ...select }: SelectFieldProps<Value>) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <Select {...control} {...select} />}
    </Field>
  )
}
