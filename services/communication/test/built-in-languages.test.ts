import { describe, expect, test } from '@jest/globals'
import { languages, toFormatLocale } from '@payments/contracts/nouns/locale'
import { textsByLanguage } from '@payments/texts/by-language'
import { isReceipt } from '../src/domain/built-in-content.ts'
import { builtInTemplates } from '../src/domain/built-in-templates.ts'
import { messageLocale, textLocale } from '../src/domain/locales.ts'
import { readPlaceholders } from '../src/domain/placeholders.ts'
import { renderUserInvitation } from '../src/domain/user-invitation.ts'
import { allValues, builtIn, merchant, readWords, renderMail } from './mails.ts'

const userInvitation = (locale: string | null) => ({
  tenantName: 'Berlin Coffee',
  url: 'https://console.example.com/session/accept#token',
  expiresAt: new Date('2026-12-02T22:36:00Z'),
  locale,
  inviter: { name: 'Ada King', email: 'ada@example.com' },
  roleNames: ['admin', 'viewer'],
})
const invitationOfUser = (locale: string | null, isBare = false) =>
  renderUserInvitation({ ...userInvitation(locale), ...(isBare ? { inviter: null, roleNames: [] } : {}) })

/** Every built-in message of a language, with all values and with the required ones only. */
const messagesIn = (locale: string) => [
  ...builtInTemplates.flatMap((template) =>
    [true, false].map((isBare) => ({ template, ...renderMail(template, { locale, isBare }) })),
  ),
  { template: null, ...invitationOfUser(locale) },
  { template: null, ...invitationOfUser(locale, true) },
]

describe.each(languages)('%s', (language) => {
  test('each message is rendered with no placeholder, within its limits', () => {
    for (const { template, subject, text, html } of messagesIn(language)) {
      expect([subject ?? '', text, html ?? ''].join('\n')).not.toMatch(/[{}]|undefined|\bnull\b/)
      if (template?.communicationType === 'SMS') expect(text.length).toBeLessThan(250)
      else expect((subject as string).length).toBeLessThan(120)
    }
  })

  test('each sentence and each line begins with a capital, also without a name of the payer', () => {
    for (const { subject, text } of messagesIn(language)) {
      const starts = [subject ?? '', ...text.split('\n')].flatMap((line) => line.split(/(?<!\d)[.!?] /))
      expect(starts.filter((sentence) => /^\p{Ll}/u.test(sentence) && !sentence.startsWith('https:'))).toEqual([])
    }
  })

  test('a request for money says until which minute the link can be paid, or else until which day', () => {
    const { expires_at: minute = '', ...withDay } = allValues
    for (const template of builtInTemplates.filter(({ name }) => !isReceipt(name))) {
      const { text, html } = renderMail(template, { locale: language })
      expect([text, html ?? text]).toEqual([expect.stringContaining(minute), expect.stringContaining(minute)])
      expect(text).not.toContain(withDay['expires_on'])
      if (template.communicationType === 'SMS') continue
      expect(renderMail(template, { locale: language, values: withDay }).text).toContain(withDay['expires_on'])
    }
  })

  test('no line lacks a value', () => {
    for (const { text } of messagesIn(language)) {
      expect(text.split('\n').filter((line) => /[:,] ?$/.test(line) && !/^\p{L}+[^:]*[,:]$/u.test(line))).toEqual([])
      expect(text).not.toMatch(/ {2}|\( ?\)|\n{3}| [,.]/)
    }
  })

  test('plain text and HTML have the same content, in the language of the message', () => {
    for (const { text, html } of messagesIn(language)) {
      if (html === null) continue
      const shown = readWords(html)
      const lines = text.replaceAll('\u00a0', ' ').split('\n')
      const parts = lines.flatMap((line) => line.split(/: | : |: /))
      const lacking = parts.filter((part) => part !== '' && !part.startsWith('https://') && !shown.includes(part))
      expect(lacking).toEqual([])
      for (const [address] of text.matchAll(/https:\S+/g)) expect(html).toContain(`href="${address}"`)
      expect(html).toContain(`<html lang="${toFormatLocale(language)}" dir="${textsByLanguage[language].direction}">`)
    }
  })

  test('the texts use the variables of the English ones', () => {
    const listVariables = (value: unknown): unknown => {
      if (typeof value === 'string') return [...new Set(readPlaceholders(value).names)].sort()
      if (typeof value !== 'object' || value === null) return null
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, listVariables(part)]))
    }
    const { moreItems, ...texts } = textsByLanguage[language].messages
    const { moreItems: _, ...english } = textsByLanguage.en.messages
    expect(listVariables(texts)).toEqual(listVariables(english))
    for (const text of Object.values(moreItems)) expect(text).toContain('{{count}}')
  })

  test('more items have a text for each plural form of small numbers', () => {
    const rules = new Intl.PluralRules(language)
    const forms = new Set(Array.from({ length: 150 }, (_, index) => rules.select(index + 1)))
    expect(Object.keys(textsByLanguage[language].messages.moreItems)).toEqual(expect.arrayContaining([...forms]))
  })
})

test('French has one kind of apostrophe, and a no-break space before each mark that has one', () => {
  for (const { text } of messagesIn('fr')) {
    expect(text.replaceAll(/https:\S+|\d:\d/g, '')).not.toMatch(/[^\u00a0][:;?!]|'/)
  }
})

test('a region has the texts of its language, and is the language of the HTML', () => {
  const { text, html } = renderMail(builtIn('receipt'), { locale: 'de-AT' })
  expect(text).toContain('Guten Tag Ada Lovelace,')
  expect(html).toContain('<html lang="de-AT" dir="ltr">')
})

test('the language is that of the request, else that of the unit, else English', () => {
  const unit = { ...merchant, default_locale: 'fr' }
  expect(messageLocale('de', unit)).toBe('de')
  expect(messageLocale(null, unit)).toBe('fr')
  expect(messageLocale(null, { ...merchant, default_locale: null })).toBe('en')
  expect(messageLocale(null, null)).toBe('en')
})

test('a unit with a language of a later release has English messages', () => {
  expect(textLocale(null, { ...merchant, default_locale: 'fi' })).toBe('en')
})

test.each(languages)(
  'a subject has a long name in short, in whole characters, and the text has all of it: %s',
  (language) => {
    const name = `${'🇩🇪'.repeat(60)} GmbH`
    const unit = { ...merchant, branding: { ...merchant.branding, display_name: name } }
    const values = { amount: `EUR ${'9'.repeat(20)}.99`, payment_url: 'https://pay.example.com/pay/abc' }
    for (const kind of ['invitation', 'reminder', 'receipt', 'authorization']) {
      const { subject, text } = renderMail(builtIn(kind), { locale: language, unit, values })
      expect([subject?.includes(`${'🇩🇪'.repeat(29)}…`), text.includes(name)]).toEqual([true, true])
    }
    const { subject, fromName } = renderUserInvitation({ ...userInvitation(language), tenantName: name })
    expect([subject?.includes(`${'🇩🇪'.repeat(29)}…`), fromName]).toEqual([true, `${'🇩🇪'.repeat(29)}…`])
  },
)

test('the mail of a user invitation is in its language, with the instant as its readers write it', () => {
  expect(invitationOfUser(null).text).toContain('until 2 December 2026 at 22:36 UTC')
  const { subject, text } = invitationOfUser('de')
  expect(subject).toBe('Einladung zu Berlin Coffee')
  expect(text).toContain('Gültig bis: 2. Dezember 2026 um 22:36 UTC')
})
