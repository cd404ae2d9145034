import type { JsonSchema } from '@payments/contracts/grammar/json-schema'
import fc from 'fast-check'

/**
 * Values that violate a shape in one way each: as JSON text for a location in a body, as plain text for a path or a
 * query.
 */
export interface BrokenValue {
  readonly what: string
  readonly text: fc.Arbitrary<string>
}

const levels = 10_000

/** One text of each type of JSON, and two that are ten thousand levels deep. */
const ofEachType = [
  { type: 'null', text: 'null' },
  { type: 'boolean', text: 'true' },
  { type: 'number', text: '7' },
  { type: 'string', text: '"7"' },
  { type: 'array', text: '[]' },
  { type: 'object', text: '{}' },
  { type: 'array', text: `${'['.repeat(levels)}${']'.repeat(levels)}` },
  { type: 'object', text: `${'{"a":'.repeat(levels)}0${'}'.repeat(levels)}` },
] as const

const badUuids = [
  '',
  'not-a-uuid',
  '0',
  '01890a5d-ac96-774b-bcce-b302099a805',
  '01890a5d-ac96-774b-bcce-b302099a80577',
  '01890a5dac96774bbcceb302099a8057',
  '{01890a5d-ac96-774b-bcce-b302099a8057}',
  'urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057',
  '01890a5d-ac96-774b-bcce-b302099a805g',
  '01890a5d-ac96-774b-bcce-b302099a8057\0',
  '01890a5d-ac96-774b-bcce-b302099a8057 ',
]
const badInstants = [
  '',
  'now',
  '1700000000',
  '2026-02-30T00:00:00Z',
  '2026-01-01',
  '2026-01-01T00:00:00',
  '2026-13-01T00:00:00Z',
  '1969-12-31T23:59:59Z',
  '9999-12-31T23:59:59-23:00',
  '+275760-09-13T00:00:00Z',
]
const badEmails = ['', 'name', 'a@b', '@example.com', 'a b@example.com', 'a@example.com\0']
const badIntegers = ['NaN', 'Infinity', '-Infinity', '1e999', '1e308', '1.5', 'ten', 'null', 'true', '[]', '{}', '1,2']

/** Half a character in UTF-16, at either end and between two others. */
const loneSurrogates = ['\ud800', 'a\udfff', '\udc00b', 'a\ud83db', '\ude00\ud83d']

/** Alternatives of a shape beside null. */
export function listAlternatives(shape: JsonSchema): readonly JsonSchema[] {
  return (shape.anyOf ?? [shape]).filter(({ type }) => type !== 'null')
}

/** JSON texts that the shape rejects. */
export function brokenJson(shape: JsonSchema): BrokenValue[] {
  const taken = new Set((shape.anyOf ?? [shape]).map(readType))
  const others = ofEachType.filter(({ type }) => !taken.has(type)).map(({ text }) => text)
  const strings = brokenStrings(shape).map(({ what, text }) => ({ what, text: text.map((one) => JSON.stringify(one)) }))
  return [
    { what: 'another type', text: fc.constantFrom(...others) },
    ...strings,
    ...listAlternatives(shape).flatMap((alternative) => [...brokenNumbers(alternative), ...brokenLists(alternative)]),
  ]
}

/** Plain texts that the shape rejects in a path or a query. */
export function brokenText(shape: JsonSchema): BrokenValue[] {
  const numbers = listAlternatives(shape).flatMap(({ type, minimum = 0, maximum = Number.MAX_SAFE_INTEGER }) => {
    if (type !== 'integer') return []
    const beyond = [`${BigInt(minimum) - 1n}`, `${BigInt(maximum) + 1n}`, ...(minimum > 0 ? ['', ' '] : [])]
    return [{ what: 'no integer within its bounds', text: fc.constantFrom(...badIntegers, ...beyond) }]
  })
  // Invalid UTF-8 in percent-encoding is rejected before the fields are parsed.
  return [...brokenStrings(shape).filter(({ what }) => what !== 'a lone surrogate'), ...numbers]
}

function readType({ type, const: constant, enum: names }: JsonSchema): string {
  const known = type ?? typeof (constant ?? names?.[0])
  return known === 'integer' ? 'number' : known
}

function brokenStrings(shape: JsonSchema): BrokenValue[] {
  const strings = listAlternatives(shape).filter((alternative) => readType(alternative) === 'string')
  if (strings.length === 0) return []
  const formats = new Set(strings.map(({ format }) => format))
  const patterns = strings.flatMap(({ pattern }) => (pattern === undefined ? [] : [new RegExp(pattern)]))
  const names = strings.flatMap(({ const: constant, enum: names = [] }) => [constant, ...names])
  const isListed = strings.every((one) => one.const !== undefined || one.enum !== undefined)
  const longest = Math.max(...strings.map(({ maxLength = 0 }) => maxLength))
  return [
    { what: 'a NUL', text: fc.constantFrom('\0', 'a\0', '\0b', 'a\0b') },
    { what: 'a lone surrogate', text: fc.constantFrom(...loneSurrogates) },
    ...when(
      strings.every(({ minLength = 0 }) => minLength > 0),
      'no text',
      fc.constant(''),
    ),
    ...when(
      longest > 0,
      'too long',
      fc.integer({ min: 1, max: 1_000 }).map((more) => 'x'.repeat(longest + more)),
    ),
    ...when(formats.has('uuid'), 'no UUID', fc.constantFrom(...badUuids)),
    ...when(formats.has('date-time'), 'no instant', fc.constantFrom(...badInstants)),
    ...when(formats.has('email'), 'no address', fc.constantFrom(...badEmails)),
    ...when(
      isListed,
      'none of its names',
      fc.string().filter((text) => !names.includes(text)),
    ),
    ...when(
      patterns.length === strings.length,
      'not of its pattern',
      fc.string().filter((text) => !patterns.some((pattern) => pattern.test(text))),
    ),
  ]
}

function brokenNumbers({ type, minimum, maximum }: JsonSchema): BrokenValue[] {
  if (type === 'number') return [{ what: 'infinite', text: fc.constantFrom('1e999', '-1e999') }]
  if (type !== 'integer') return []
  const [least, most] = [BigInt(minimum ?? Number.MIN_SAFE_INTEGER), BigInt(maximum ?? Number.MAX_SAFE_INTEGER)]
  return [
    { what: 'no integer', text: fc.constantFrom('1.5', '1e-7', '0.1', '1e999', '-1e999') },
    {
      what: 'too small',
      text: fc.constantFrom(`${least - 1n}`, '-1e308', ...(least > 0n ? ['-0'] : ['-9007199254740992'])),
    },
    { what: 'too large', text: fc.constantFrom(`${most + 1n}`, '1e308', '9007199254740993') },
  ]
}

function brokenLists({ type, minItems = 0, maxItems }: JsonSchema): BrokenValue[] {
  if (type !== 'array' || maxItems === undefined) return []
  const many = fc.constantFrom('null', '"a"').map(
    (item) =>
      `[${Array(maxItems + 1)
        .fill(item)
        .join()}]`,
  )
  return [{ what: 'too many items', text: many }, ...when(minItems > 0, 'no items', fc.constant('[]'))]
}

function when(applies: boolean, what: string, text: fc.Arbitrary<string>): BrokenValue[] {
  return applies ? [{ what, text }] : []
}
