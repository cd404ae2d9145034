import { LocaleField } from '../../layout/locale-field.tsx'
import type { Bind } from '../../layout/values.ts'
import { TextAreaField, TextField } from '../../ui/fields.tsx'

export interface Texts {
  readonly name: string
  readonly locale: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** The texts of a template. */
export function TextFields({ isEmail, bind }: { isEmail: boolean; bind: Bind<Texts> }) {
  return (
    <>
      <TextField label="Name" isRequired maxLength={100} {...bind('name')} />
      <LocaleField
        label="Language"
        none="any. Templates of one name are translations of each other"
        {...bind('locale')}
      />
      {isEmail ? <TextField label="Subject" isRequired maxLength={200} {...bind('subject')} /> : null}
      <TextAreaField
        label="Text"
        hint="{{name}} is replaced by the value of the variable name. A template of invitations uses {{payment_url}}."
        isRequired
        rows={8}
        {...bind('text')}
      />
      {isEmail ? (
        <TextAreaField
          label="HTML"
          hint="Empty: text only. Scripts, frames and event handlers are rejected."
          rows={8}
          {...bind('html')}
        />
      ) : null}
    </>
  )
}
