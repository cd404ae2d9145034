import { expect, test } from '@jest/globals'
import { contracts } from '../src/edges/contracts.ts'
import { type JsonSchema, toInputSchema } from '../src/grammar/json-schema.ts'
import { nameText, referenceText, uniqueName } from '../src/grammar/name.ts'

const kinds = { nameText: nameText(20), referenceText: referenceText(20), uniqueName }
const named = Object.entries(kinds)

test.each([
  ['white space at the ends', ' A-1\t', 'A-1'],
  ['another composition', 'Cafe\u0301', 'Café'],
  ['a no-break space at the end', 'A-1\u00a0', 'A-1'],
])('names and references with %s are the same text', (_, written, text) => {
  expect(named.map(([kind, schema]) => [kind, schema.parse(written)])).toEqual(named.map(([kind]) => [kind, text]))
})

test.each([
  ['a blank text', '   '],
  ['a zero width space alone', '\u200b'],
  ['a zero width space', 'A\u200b1'],
  ['a byte order mark', 'A\ufeffB'],
  ['an escape', 'A\u001b[31m'],
  ['a NUL', 'A\0'],
  ['a line break', 'A\nB'],
  ['a line separator', 'A\u2028B'],
  ['a character that turns the text', 'A\u202eB'],
  ['an isolate', 'A\u2066B\u2069'],
  ['a soft hyphen', 'A\u00adB'],
  ['a Hangul filler', 'A\u3164'],
  ['a tag', 'A\u{e0041}'],
  ['half a surrogate pair', 'A\ud83d'],
  ['a joiner alone', '\u200d'],
  ['a joiner at the end', '👩\u200d'],
  ['a joiner between letters that do not join', 'A\u200dB'],
  ['a selector after a letter', 'A\ufe0f'],
])('%s is no name and no reference', (_, text) => {
  expect(named.map(([kind, schema]) => [kind, schema.safeParse(text).success])).toEqual(
    named.map(([kind]) => [kind, false]),
  )
})

test.each([
  ['☕\ufe0f Café', 'U+FE0F'],
  ['کتاب\u200cفروشی', 'U+200C'],
  ['A\u{e0041}\u200b', 'U+E0041'],
])('the rejection of %j names the character %s', (text, character) => {
  const detail = `must have no control, format or invisible characters: ${character}`
  for (const schema of [referenceText(200), uniqueName]) {
    expect(schema.safeParse(text).error?.issues.map(({ message }) => message)).toEqual([detail])
  }
})

test('the rejection of a name names the character that it may not have, not those before it that it may have', () => {
  const { error } = nameText(200).safeParse('❤\ufe0f Coffee\u00ad')
  expect(error?.issues.map(({ message }) => message)).toEqual([
    'must have no control, format or invisible characters: U+00AD',
  ])
})

test.each([
  '👩\u200d💻 Grace',
  '❤\ufe0f Coffee',
  '👩🏽\u200d🚀',
  '🏳\ufe0f\u200d🌈',
  '1\ufe0f\u20e3',
  'می\u200cخواهم',
  'क्\u200dष',
  'Zoë Müller',
  '株式会社',
])('a name may be %s', (name) => {
  expect(kinds.nameText.parse(name)).toBe(name.normalize('NFC'))
})

test('the length counts after normalization', () => {
  expect(kinds.referenceText.parse(` ${'e\u0301'.repeat(20)} `)).toHaveLength(20)
  expect(kinds.referenceText.safeParse('a'.repeat(21)).success).toBe(false)
})

/** Names that are no text for people: of a header, of a role in an internal call. */
const others = ['webhooks.createAuthInfo', 'webhooks.updateAuthInfo', 'communication.queueMessage', 'rbac.resolveRoles']
const isNamed = (property: string) => /^(name|label|reference|merchant_id)$|_name$|_reference$/.test(property)

/** The fields of a schema, by path, whose name says that they are a name or a reference. */
function fieldsIn(schema: JsonSchema, at = ''): [string, JsonSchema][] {
  return Object.entries(schema).flatMap(([key, value]): [string, JsonSchema][] => {
    if (typeof value !== 'object' || value === null) return []
    const found =
      key === 'properties' ? Object.entries(value as Record<string, JsonSchema>).filter(([name]) => isNamed(name)) : []
    return [
      ...found.map(([name, field]): [string, JsonSchema] => [`${at}/${name}`, field]),
      ...fieldsIn(value as JsonSchema, at),
    ]
  })
}

test('every name and every reference of a request of a tenant is of one of these kinds', () => {
  const fields = contracts.flatMap(({ service, endpoints }) =>
    Object.entries(endpoints).flatMap(([operation, { audience, body }]) =>
      audience !== 'tenant' || body === undefined
        ? []
        : fieldsIn(toInputSchema(body)).map(([path, field]) => ({ at: `${service}.${operation}${path}`, field })),
    ),
  )
  const plain = fields.filter(({ field }) => !JSON.stringify(field).includes('"pattern"'))
  expect(plain.map(({ at }) => at).filter((at) => !others.some((other) => at.startsWith(other)))).toEqual([])
  expect(fields.length).toBeGreaterThan(15)
})

test('a long text is rejected before it is normalized, which takes quadratic time', () => {
  const hostile = 'a' + '\u0301\u0316'.repeat(60_000)
  for (const schema of [nameText(200), referenceText(200), uniqueName]) {
    const before = process.cpuUsage()
    const { error } = schema.safeParse(hostile)
    const { user } = process.cpuUsage(before)
    expect(error?.issues.map(({ code }) => code)).toEqual(['too_big'])
    // Normalization takes seconds.
    expect(user / 1_000).toBeLessThan(500)
  }
})

test('a text that normalization shortens to its maximum is accepted', () => {
  expect(referenceText(100).parse(` ${'e\u0302\u0301'.repeat(100)} `)).toHaveLength(100)
})
