import { formatLocaleOf } from '@payments/contracts/nouns/locale'
import { colorsOf } from './branding.ts'
import type { Content } from './communication.ts'
import { button, mailHtml, note, paragraph } from './mail-html.ts'
import { oneLine, render } from './render.ts'
import { shortName } from './short-name.ts'
import { messageLocale, textsOf } from './texts/by-language.ts'

/** The built-in template `user_invitation`. Only the platform sends it, so it is in no list of templates. */
export interface UserInvitation {
  readonly tenantName: string
  readonly url: string
  readonly expiresAt: Date
  /** The language that the caller names. Null: English. */
  readonly locale: string | null
}

function templateIn(locale: string) {
  const { direction, greeting, userInvitation: texts } = textsOf(locale)
  const sentences = [greeting.unnamed, texts.invited, texts.expiry]
  const blocks = [...sentences.map(paragraph), button('{{url}}', texts.button), note(texts.ignore)]
  return {
    subject: texts.subject,
    text: [...sentences, texts.line, texts.ignore].join('\n\n'),
    html: mailHtml({ locale, direction, title: texts.subject }, blocks),
  }
}

/** Throws invalid_request for a URL of another scheme than http and https. */
export function renderUserInvitation({ tenantName, url, expiresAt, locale: named }: UserInvitation): Content {
  const locale = messageLocale(named, null)
  const name = oneLine(tenantName)
  const values = {
    ...colorsOf(),
    tenant_name: name,
    short_name: shortName(name),
    url,
    expires_on: `${instantFormat(locale).format(expiresAt)} UTC`,
  }
  const variables = Object.keys(values).map((variable) => ({ name: variable, required: true, description: '' }))
  return {
    fromName: values.short_name,
    replyTo: null,
    ...render('EMAIL', { ...templateIn(locale), variables }, values),
  }
}

/** English without a region is that of Europe: the day stands before the month. */
const instantFormat = (locale: string) =>
  new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : formatLocaleOf(locale), {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
