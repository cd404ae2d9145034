import { describe, expect, test } from '@jest/globals'
import { Problem } from '@payments/contracts/grammar/problem'
import fc from 'fast-check'
import { requireStrictJson } from '../src/request/strict-json.ts'

/** The pointer of the error, or undefined if the text is accepted. */
function findRejection(text: string): string | undefined {
  try {
    requireStrictJson(text)
    return undefined
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    expect([error.code, error.status]).toEqual(['invalid_request', 400])
    return error.options.errors?.[0]?.pointer
  }
}

describe('requireStrictJson', () => {
  test.each([
    ['{"a":1,"a":2}', '/a'],
    ['{"a":1,"\\u0061":2}', '/a'],
    ['{"\\u0061":1,"b":{},"a":2}', '/a'],
    ['{"\\"":1,"\\u0022":2}', '/"'],
    ['{"/":1,"\\/":2}', '/~1'],
    ['{"a/b~":1,"a/b~":2}', '/a~1b~0'],
    ['{"":1,"":2}', '/'],
    ['{"__proto__":1,"__proto__":2}', '/__proto__'],
    ['{"é":1,"\\u00e9":2}', '/é'],
    ['{"😀":1,"\\ud83d\\uDE00":2}', '/😀'],
    ['{"a":{"b":[0,[],{"c":1,"d":"c","c":2}]}}', '/a/b/2/c'],
    ['[[],{"x":1},{"x":1,"y":[{}],"x":2}]', '/2/x'],
    [' {\t"a"\n:\r"a" , "a" : 2 } ', '/a'],
  ])('rejects %s with the pointer of the duplicate', (text, pointer) => {
    expect(findRejection(text)).toBe(pointer)
  })

  test.each([
    '{}',
    '"a"',
    'null',
    '{"a":"a","b":"a"}',
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":1}]',
    '["a","a"]',
    '{"a":["a",{"a":1}],"b":{"a":1}}',
    '{"a":"\\",\\"a\\":1"}',
    '{"a":1,"A":2}',
    '{"\\u00e9":1,"e\\u0301":2}',
    '{"\\\\u0061":1,"a":2}',
    '{"a":1,"a\\u0000":2}',
  ])('accepts %s', (text) => {
    expect(findRejection(text)).toBeUndefined()
  })

  test('leaves invalid JSON to the parser, and throws no other error than invalid_request', () => {
    for (const text of ['', '{', '}', '{"a', '{"a\\', '{"\\u00":1,"\\u00":2}', '{a:1}', ']]', '{"a":1]', '[}']) {
      expect(findRejection(text)).toBeUndefined()
    }
    fc.assert(fc.property(fc.stringMatching(/^[{}[\],:"\\au06 1]*$/), (text) => void findRejection(text)))
  })

  test('agrees with a parser that reports every member, on generated JSON', () => {
    const { value } = fc.letrec<{ value: string; object: string }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('0', '"a"', 'null', '"\\""'),
        tie('object'),
        fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
      ),
      object: fc
        .array(fc.tuple(fc.constantFrom('"a"', '"\\u0061"', '"b"', '"\\u0062"', '"c"'), tie('value')), { maxLength: 3 })
        .map((members) => `{${members.map(([name, value]) => `${name}:${value}`).join(',')}}`),
    }))
    fc.assert(
      fc.property(value, (text) => {
        expect(findRejection(text) !== undefined).toBe(countMembers(text) !== parsedMembers(JSON.parse(text)))
      }),
      { numRuns: 1_000 },
    )
  })

  test('rejects JSON that is nested more than 100 levels deep, at any depth', () => {
    const nested = (levels: number) => `${'{"a":['.repeat(levels / 2)}0${']}'.repeat(levels / 2)}`
    expect(findRejection(nested(100))).toBeUndefined()
    expect(findRejection(nested(102))).toBe('/a/0'.repeat(50))
    expect(findRejection('['.repeat(256 * 1024))).toBe('/0'.repeat(100))
  })

  test('truncates a long name in the pointer', () => {
    const name = 'x'.repeat(100_000)
    expect(findRejection(`{"${name}":1,"${name}":2}`)).toBe(`/${'x'.repeat(200)}`)
  })

  test('runs in linear time', () => {
    const members = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":{"k":${i}}`).join(',')}}`
    const texts = [members(4_900), `{"a":"${'\\\\'.repeat(128 * 1024)}"}`, `[${'{},'.repeat(4_900)}0]`]
    const from = performance.now()
    for (const text of texts) expect(findRejection(text)).toBeUndefined()
    // Each takes a few milliseconds; quadratic time would take minutes.
    expect(performance.now() - from).toBeLessThan(5_000)
  })
})

describe('a number', () => {
  test.each([
    ['{"amount":99.99999999999999999}', '/amount'],
    ['{"a":[0,{"b":12345678901234567890}]}', '/a/1/b'],
    ['[9007199254740993]', '/0'],
    ['[-9007199254740993]', '/0'],
    ['[1E400]', '/0'],
    ['[-1e400]', '/0'],
    ['[1e-400]', '/0'],
    ['[0.10000000000000000001]', '/0'],
    ['1e99999999999999999999', ''],
    [`[1.${'0'.repeat(100_000)}1]`, '/0'],
  ])('that a double changes is rejected: %s', (text, pointer) => {
    expect(findRejection(text)).toBe(pointer)
  })

  test.each([
    ...['0', '-0', '-0.0', '0e99999', '1e2', '1E2', '1e+2', '100.0', '100.000000000000000000', '0.1', '-1.5', '1e-7'],
    ...['9007199254740992', '4111111111111111', '1.7976931348623157e308', '5e-324', '0.30000000000000004', '1e21'],
    ...['123456789012345680000', `1${'0'.repeat(300)}`, '"99.99999999999999999"', '{"99.99999999999999999":1}'],
  ])('of the same value is accepted in any notation: %s', (text) => {
    expect(findRejection(text)).toBeUndefined()
  })

  test('of a program is accepted, whatever its value', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(findRejection(JSON.stringify([value, -value]))).toBeUndefined()
      }),
    )
  })
})

test('shows each name, string and integer decoded, before an error names it', () => {
  const seen: string[] = []
  const text = '{"a\\u0062":["\\n4111",4.111e3,-17,1.5,true],"ab":0}'
  expect(() => requireStrictJson(text, (decoded) => seen.push(decoded))).toThrow('invalid_request')
  expect(seen).toEqual(['ab', '\n4111', '4111', '17', '1', 'ab'])
})

/** Each colon of a generated text belongs to one member. */
const countMembers = (text: string) => text.split(':').length - 1

function parsedMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = Array.isArray(value) ? 0 : Object.keys(value).length
  return own + Object.values(value).reduce((sum: number, inner) => sum + parsedMembers(inner), 0)
}

test('rejects more values than a contract takes, before it has read them all', () => {
  const seen: string[] = []
  const text = `{${Array.from({ length: 20_000 }, (_, index) => `"a${index}":1`).join()}}`
  expect(() => requireStrictJson(text, (decoded) => seen.push(decoded))).toThrow('invalid_request')
  expect(seen.length).toBeLessThan(20_010)
  expect(() => requireStrictJson(`[${Array(9_000).fill('1').join()}]`)).not.toThrow()
})
