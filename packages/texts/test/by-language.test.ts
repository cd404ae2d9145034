import { expect, test } from '@jest/globals'
import { languages } from '@payments/contracts/nouns/locale'
import { chooseTexts, textsByLanguage } from '../src/by-language.ts'

test('each language of payers has its texts, in the order in which a payer chooses one', () => {
  expect(Object.keys(textsByLanguage)).toEqual([...languages])
  expect(languages.map((language) => chooseTexts(language).tag)).toEqual([...languages])
})

test('lists the languages whose texts a reader of the language has approved', () => {
  expect(languages.filter((language) => textsByLanguage[language].approvedBy !== null)).toEqual(['en'])
})

test('a locale has the texts of its language; one without texts has English', () => {
  expect([chooseTexts('de-AT').tag, chooseTexts('fi').tag]).toEqual(['de', 'en'])
})
