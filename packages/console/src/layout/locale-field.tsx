import { useId } from 'react'
import { languages } from '../text/message-locale.ts'
import { TextField } from '../ui/fields.tsx'

const names = new Intl.DisplayNames('en', { type: 'language' })

interface LocaleFieldProps {
  readonly label: string
  /** Meaning of an empty field. */
  readonly none: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
}

/** A language of payers, with a region if any. The list has suggestions: any language tag is a locale. */
export function LocaleField({ none, ...field }: LocaleFieldProps) {
  const list = useId()
  return (
    <>
      <TextField {...field} hint={`Such as de or pt-BR. Empty: ${none}.`} maxLength={64} list={list} />
      <datalist id={list}>
        {languages.map((language) => (
          <option key={language} value={language} label={names.of(language)} />
        ))}
      </datalist>
    </>
  )
}

/** The English name of a locale of the API, such as `Austrian German (de-AT)`. */
export function localeName(locale: string): string {
  // A browser may name no tag with extensions.
  return `${names.of(new Intl.Locale(locale).baseName)} (${locale})`
}
