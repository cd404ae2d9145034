import { expect, it } from '@jest/globals'
import { languages } from '@payments/contracts/nouns/locale'
import { textsByLanguage } from '@payments/texts/by-language'
import { renderPayPage } from '../src/page/render.ts'
import { activePage, pages } from './pay-pages.ts'
import { textsIn } from './table-texts.ts'

it.each(languages)('has the same texts as in English, each with its values and none empty: %s', (language) => {
  const [texts, english] = [textsIn(textsByLanguage[language].payPage), textsIn(textsByLanguage.en.payPage)]
  expect([...texts.keys()]).toEqual([...english.keys()])
  const count = (text: string, part: string) => text.split(part).length
  for (const [path, text] of texts) {
    expect([path, text.trim()]).not.toEqual([path, ''])
    for (const part of ['<bdi>V</bdi>', '<time>', '<zone>']) {
      expect([path, part, count(text, part)]).toEqual([path, part, count(english.get(path) ?? '', part)])
    }
  }
  // Names and words of another language may be the same; sentences are not.
  const same = [...texts].filter(([path, text]) => text === english.get(path) && / \w+ \w+ /.test(text))
  expect(language === 'en' ? [] : same).toEqual([])
})

it('has one kind of apostrophe in French, and a no-break space before each mark that has one', () => {
  const faults = [...textsIn(textsByLanguage.fr.payPage)].filter(([, text]) => /[^\u00a0][:;?!](?![^<]*>)|'/.test(text))
  expect(faults).toEqual([])
})

it.each([
  ['it', /^(Paghi|Vada|Torni|Controlli di nuovo$)/],
  ['pl', /Państw|Proszę|Możesz|Tw(ój|oj)|Masz |^(Sprawdź|Otwórz|Użyj|Wprowadź|Odczekaj)[^.]*[.,]/],
] as const)('has one register on pay page and card page: %s', (language, other) => {
  const { payPage, cardPage } = textsByLanguage[language]
  const { notHere, notLoaded, pay, ...rest } = cardPage
  const ofCardPage = [...Object.values({ ...rest, ...notHere, ...notLoaded }), pay('V')]
  const all = [...textsIn(payPage).values(), ...ofCardPage]
  expect(all.filter((text) => other.test(text))).toEqual([])
})

it.each([
  ['en', 1, '1 item'],
  ['en', 12, '12 items'],
  ['pl', 3, '3 pozycje'],
  ['pl', 12, '12 pozycji'],
  ['pl', 22, '22 pozycje'],
  ['cs', 3, '3 položky'],
  ['cs', 12, '12 položek'],
  ['fr', 1, '1 article'],
  ['ja', 12, '12点'],
] as const)('counts items as %s does: %d', (language, count, text) => {
  expect(textsByLanguage[language].payPage.itemCount(count)).toBe(text)
})

it('names the language and the direction of the page, and formats for its region', () => {
  const { html: page } = renderPayPage({ ...activePage, locale: 'de-AT' })
  expect(page).toContain('<html lang="de" dir="ltr" data-state="active" data-version="1"')
  expect(page.replaceAll(/[\u00a0\u202f]/g, ' ')).toContain('€ 54,97')
})

it.each([
  ['pt', 'pt-PT'],
  ['pt-BR', 'pt'],
  ['es', 'es'],
])('names the region of the texts of a locale without one: %s', (locale, lang) => {
  expect(renderPayPage({ ...activePage, locale }).html).toContain(`<html lang="${lang}" dir="ltr"`)
})

it.each(Object.entries(pages))('offers each language on the page, the current one marked: %s', (_, model) => {
  const { html: page } = renderPayPage({ ...model, locale: 'cs' })
  const links = [
    ...page.matchAll(
      /<a href="(?:\/pay\/x)?\?lang=(\w+)" hreflang="(\w+)" lang="(\w+)"( aria-current="true")?>([^<]+)</g,
    ),
  ]
  expect(links.map(([, lang, hreflang, tag]) => [lang, hreflang, tag])).toEqual(languages.map((one) => [one, one, one]))
  expect(links.filter(([, , , , current]) => current !== undefined).map(([, lang]) => lang)).toEqual(['cs'])
  expect(links.at(-1)?.[5]).toBe('日本語')
})
