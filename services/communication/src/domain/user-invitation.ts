import { toFormatLocale } from '@payments/contracts/nouns/locale'
import { chooseTexts } from '@payments/texts/by-language'
import { buttonColors } from './branding.ts'
import type { Content } from './communication.ts'
import { textLocale } from './locales.ts'
import { button, mailHtml, note, paragraph } from './mail-html.ts'
import { oneLine, render } from './render.ts'
import { shortName } from './short-name.ts'

/** The built-in template `user_invitation`. Only the platform sends it, so it is in no list of templates. */
export interface UserInvitation {
  readonly tenantName: string
  readonly url: string
  readonly expiresAt: Date
  /** The language that the caller names. Null: English. */
  readonly locale: string | null
  /** The person who invites. Null: the mail names the tenant alone. */
  readonly inviter: { readonly name: string | null; readonly email: string | null } | null
  readonly roleNames: readonly string[]
}

/** Characters of a foreign name: a longer one could be another message in our mail. */
const nameCharactersMax = 80

const shorten = (text: string) => {
  const line = Array.from(oneLine(text))
  return line.length > nameCharactersMax ? `${line.slice(0, nameCharactersMax).join('')}…` : line.join('')
}

/** Name and email address in one line; empty without both. */
function inviterIn({ inviter }: Pick<UserInvitation, 'inviter'>): string {
  const [name, email] = [shorten(inviter?.name ?? ''), oneLine(inviter?.email ?? '')]
  return name === '' || email === '' ? name + email : `${name} (${email})`
}

function templateIn(locale: string, { hasInviter, hasRoles }: { hasInviter: boolean; hasRoles: boolean }) {
  const { direction, messages } = chooseTexts(locale)
  const { greeting, userInvitation: texts } = messages
  const invited = hasInviter ? texts.invitedBy : texts.invited
  const sentences = [greeting.unnamed, invited, ...(hasRoles ? [texts.roles] : []), texts.expiry]
  const blocks = [...sentences.map(paragraph), button('{{url}}', texts.button), note(texts.ignore)]
  return {
    subject: texts.subject,
    text: [...sentences, texts.line, texts.ignore].join('\n\n'),
    html: mailHtml({ locale, direction, title: texts.subject }, blocks),
  }
}

/** Throws invalid_request for a URL of another scheme than http and https. */
export function renderUserInvitation({
  tenantName,
  url,
  expiresAt,
  locale: named,
  ...origin
}: UserInvitation): Content {
  const locale = textLocale(named, null)
  const inviter = inviterIn(origin)
  const roleNames = origin.roleNames.map(shorten).join(', ')
  const name = oneLine(tenantName)
  const values = {
    ...buttonColors(),
    tenant_name: name,
    short_name: shortName(name),
    ...(inviter === '' ? {} : { inviter }),
    ...(roleNames === '' ? {} : { role_names: roleNames }),
    url,
    expires_on: `${instantFormat(locale).format(expiresAt)} UTC`,
  }
  const variables = Object.keys(values).map((variable) => ({ name: variable, required: true, description: '' }))
  return {
    fromName: values.short_name,
    replyTo: null,
    ...render(
      'EMAIL',
      { ...templateIn(locale, { hasInviter: inviter !== '', hasRoles: roleNames !== '' }), variables },
      values,
    ),
  }
}

/** English without a region is European: the day stands before the month. */
function instantFormat(locale: string): Intl.DateTimeFormat {
  const format = toFormatLocale(locale)
  const options = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(format === 'en' ? 'en-GB' : format, options)
}
