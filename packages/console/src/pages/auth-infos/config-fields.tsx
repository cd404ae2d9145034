import { SelectField, TextAreaField, TextField } from '../../ui/fields.tsx'
import { type Scheme, schemeNames, schemes, type Texts } from './schemes.ts'

interface ConfigFieldsProps {
  readonly scheme: Scheme
  readonly texts: Texts
  readonly fieldError: (pointer: string) => string | undefined
  readonly onScheme: (scheme: Scheme) => void
  readonly onTexts: (texts: Texts) => void
}

/** The scheme of an auth info, and the fields of its credentials. */
export function ConfigFields({ scheme, texts, fieldError, onScheme, onTexts }: ConfigFieldsProps) {
  return (
    <>
      <SelectField
        label="Scheme"
        error={fieldError('/type')}
        value={scheme}
        options={schemeNames.map((name) => ({ value: name, label: schemes[name].label }))}
        onChange={onScheme}
      />
      {schemes[scheme].fields.map(
        ({ name, label, hint, isOptional = false, isSecret = false, options, isMultiline }) => {
          const field = {
            label,
            hint,
            value: texts[name] ?? '',
            onChange: (value: string) => onTexts({ ...texts, [name]: value }),
            error: fieldError(`/config/${name}`),
          }
          const key = `${scheme} ${name}`
          if (options !== undefined) return <SelectField key={key} options={options} {...field} />
          if (isMultiline) return <TextAreaField key={key} isRequired={!isOptional} {...field} />
          return <TextField key={key} isRequired={!isOptional} type={isSecret ? 'password' : 'text'} {...field} />
        },
      )}
    </>
  )
}

/** Pointers of the fields, for the errors of the API. */
export const configPointers = [
  '/type',
  ...new Set(schemeNames.flatMap((scheme) => schemes[scheme].fields.map(({ name }) => `/config/${name}`))),
]
