import { expect, test } from '@jest/globals'
import { files, isSource, read } from './tracked-files.ts'

/** Names of identifiers as the style guide wants them. No database, no network. */
const isCode = (file: string) => /\.(tsx?|mjs|cjs)$/.test(file) && !/(^|\/)generated\//.test(file)
const code = files.filter((file) => isCode(file) && file !== 'test/tidy-names.test.ts')

/** Code without comments, texts and templates. */
const withoutTexts = (text: string) =>
  text.replaceAll(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, ' ')

const ofTheLanguage =
  /^(?:(?:last)?indexOf|valueOf|toBeInstanceOf|(?:get|set)PrototypeOf|supportedValuesOf|(?:any|all|one)Of)$/i

/** Names that say only where a value comes from: `refundOf(payment)`. Types may end so. */
const originNames = (text: string) =>
  [...withoutTexts(text).matchAll(/(?<![\w$])#?[a-z][\w$]*Of(?![\w$])/g)]
    .map(([name]) => name)
    .filter((name) => !ofTheLanguage.test(name))

/** Words with one meaning each, and the folders that have the thing (docs/glossary.md). */
const placesOfWords: Readonly<Record<string, RegExp>> = {
  // A request or connection passes a limit.
  'admit|admits|admitted|admission':
    /^(?:gateway|services\/webhooks|services\/invite-to-pay\/src\/payment|services\/payment-proxy\/src\/connectors|packages\/messaging\/src\/outbox)\//,
  // Rows that are due are taken under a lease; a statement of a JWT.
  'claim|claims|claimed':
    /^(?:bench|gateway\/src|packages\/(?:chassis\/src\/(?:assertion|process)|devkit|messaging\/src\/outbox|testing)|services\/(?:audit|communication|identity|invite-to-pay|payment-proxy|webhooks))\//,
  'hand over|handed over': /^(?:packages\/messaging\/src\/outbox|services\/payment-proxy\/src\/operation)\//,
  // Of RabbitMQ.
  'exchange|exchanges':
    /^(?:bench\/webhooks|packages\/(?:messaging|testing|contracts\/src\/edges)|services\/(?:audit\/src|webhooks\/src))\//,
}

function strayWords(file: string, text: string): string[] {
  const names = [...withoutTexts(text).matchAll(/[A-Za-z_$][\w$]*/g)].map(([name]) => name)
  const strays = Object.entries(placesOfWords).flatMap(([words, places]) => {
    const pattern = new RegExp(`(?<![a-z])(?:${words})(?![a-z])`)
    return places.test(file) ? [] : names.filter((name) => pattern.test(splitName(name)))
  })
  return [...new Set(strays)]
}

const splitName = (name: string) =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()

test('no function is named only for where its result comes from', () => {
  expect(code.flatMap((file) => originNames(read(file)).map((name) => `${file}: ${name}`))).toEqual([])
})

test.each([
  ['function refundOf(payment: Payment) {}', ['refundOf']],
  ['const refundOf = (payment: Payment) => payment', ['refundOf']],
  ['class Book {\n  #refundOf() {}\n}', ['#refundOf']],
  ["type RefundOf = string\nconst at = text.indexOf('refundOf') // refundOf", []],
])('… and of %j reports %j', (text, names) => {
  expect(originNames(text)).toEqual(names)
})

test('a word of the glossary names one thing: it is in no identifier of another folder', () => {
  const strays = code.filter(isSource).flatMap((file) => strayWords(file, read(file)).map((name) => `${file}: ${name}`))
  expect(strays).toEqual([])
})

test.each(['admitKey()', 'const keyAdmission = 1', 'claimMail()', 'handOverMail()', 'callExchange()'])(
  '… and reports %j in a folder without the thing',
  (text) => {
    expect(strayWords('services/rbac/src/verbs/read-role.ts', `// claim\n${text}`)).toHaveLength(1)
    expect(strayWords('services/rbac/src/verbs/read-role.ts', "log.info('claim, exchange')")).toEqual([])
  },
)
