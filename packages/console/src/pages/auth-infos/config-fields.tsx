import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { type Scheme, schemeNames, schemes, type Texts } from './schemes.ts'

interface ConfigFieldsProps {
  readonly scheme: Scheme
  readonly texts: Texts
  readonly errorOf: (pointer: string) => string | undefined
  readonly onScheme: (scheme: Scheme) => void
  readonly onTexts: (texts: Texts) => void
}

/** The scheme of an auth info, and the fields of its credentials. */
export function ConfigFields({ scheme, texts, errorOf, onScheme, onTexts }: ConfigFieldsProps) {
  const change = (name: string, value: string) => onTexts({ ...texts, [name]: value })
  return (
    <>
      <Field label="Scheme" error={errorOf('/type')}>
        {(control) => (
          <Select
            {...control}
            value={scheme}
            options={schemeNames.map((name) => ({ value: name, label: schemes[name].label }))}
            onChange={(name) => onScheme(name as Scheme)}
          />
        )}
      </Field>
      {schemes[scheme].fields.map(
        ({ name, label, hint, isOptional = false, isSecret = false, options, isMultiline }) => (
          <Field
            key={`${scheme} ${name}`}
            label={label}
            error={errorOf(`/config/${name}`)}
            {...(hint === undefined ? {} : { hint })}
          >
            {(control) => {
              const value = texts[name] ?? ''
              if (options !== undefined) {
                return <Select {...control} value={value} options={options} onChange={(next) => change(name, next)} />
              }
              const attributes = { ...control, value, required: !isOptional }
              if (isMultiline === true) {
                return <textarea {...attributes} onChange={({ target }) => change(name, target.value)} />
              }
              return (
                <input
                  {...attributes}
                  type={isSecret ? 'password' : 'text'}
                  autoComplete={isSecret ? 'new-password' : 'off'}
                  onChange={({ target }) => change(name, target.value)}
                />
              )
            }}
          </Field>
        ),
      )}
    </>
  )
}

/** Pointers of the fields, for the errors of the API. */
export const configPointers = [
  '/type',
  ...new Set(schemeNames.flatMap((scheme) => schemes[scheme].fields.map(({ name }) => `/config/${name}`))),
]
