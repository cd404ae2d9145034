import { LocaleField } from '../../layout/locale-field.tsx'
import { Field } from '../../ui/field.tsx'

export interface Texts {
  readonly name: string
  readonly locale: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

interface TextFieldsProps {
  readonly texts: Texts
  readonly isEmail: boolean
  readonly failureOf: (pointer: string) => string | undefined
  readonly onChange: (part: Partial<Texts>) => void
}

/** The texts of a template. */
export function TextFields({ texts, isEmail, failureOf, onChange }: TextFieldsProps) {
  return (
    <>
      <Field label="Name" error={failureOf('/name')}>
        {(control) => (
          <input
            {...control}
            required
            maxLength={100}
            value={texts.name}
            onChange={({ target }) => onChange({ name: target.value })}
          />
        )}
      </Field>
      <LocaleField
        label="Language"
        none="any. Templates of one name are translations of each other"
        value={texts.locale}
        onChange={(locale) => onChange({ locale })}
        error={failureOf('/locale')}
      />
      {isEmail ? (
        <Field label="Subject" error={failureOf('/subject')}>
          {(control) => (
            <input
              {...control}
              required
              maxLength={200}
              value={texts.subject}
              onChange={({ target }) => onChange({ subject: target.value })}
            />
          )}
        </Field>
      ) : null}
      <Field
        label="Text"
        hint="{{name}} is replaced by the value of the variable name. A template of invitations uses {{payment_url}}."
        error={failureOf('/text')}
      >
        {(control) => (
          <textarea
            {...control}
            required
            rows={8}
            value={texts.text}
            onChange={({ target }) => onChange({ text: target.value })}
          />
        )}
      </Field>
      {isEmail ? (
        <Field
          label="HTML"
          hint="Empty: text only. Scripts, frames and event handlers are rejected."
          error={failureOf('/html')}
        >
          {(control) => (
            <textarea
              {...control}
              rows={8}
              value={texts.html}
              onChange={({ target }) => onChange({ html: target.value })}
            />
          )}
        </Field>
      ) : null}
    </>
  )
}
