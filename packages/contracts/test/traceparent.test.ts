import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { formatUuid } from '../src/grammar/field.ts'
import { formatTraceparent, parentInTrace, parseTraceparent, traceIdOfUuid } from '../src/grammar/traceparent.ts'

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'.split('')), minLength: length, maxLength: length })
const nonZero = (length: number) => digits(length).filter((text) => /[^0]/.test(text))
const context = fc.record({ traceId: nonZero(32), spanId: nonZero(16), isSampled: fc.boolean() })
const later = digits(2).filter((version) => version !== '00' && version !== 'ff')

describe('traceparent', () => {
  test('reads what it writes', () => {
    fc.assert(fc.property(context, (given) => expect(parseTraceparent(formatTraceparent(given))).toEqual(given)))
  })

  test('reads the example of the recommendation', () => {
    expect(parseTraceparent('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01')).toEqual({
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      spanId: '00f067aa0ba902b7',
      isSampled: true,
    })
  })

  test('reads only the lowest flag', () => {
    const read = fc.property(context, fc.integer({ min: 0, max: 255 }), ({ traceId, spanId }, flags) => {
      const hex = flags.toString(16).padStart(2, '0')
      expect(parseTraceparent(`00-${traceId}-${spanId}-${hex}`)?.isSampled).toBe(flags % 2 === 1)
    })
    fc.assert(read)
  })

  test('reads a later version, with further fields or without', () => {
    const read = fc.property(
      later,
      context,
      fc.constantFrom('', '-', '-00', '-what-the-future-holds'),
      (version, given, more) => {
        expect(parseTraceparent(`${version}${formatTraceparent(given).slice(2)}${more}`)).toEqual(given)
      },
    )
    fc.assert(read)
  })

  test('rejects further fields of version 00, further digits of any version, version ff, and ids of zeros', () => {
    const rejected = fc.property(later, context, (version, given) => {
      const valid = formatTraceparent(given)
      const { traceId, spanId } = given
      for (const value of [
        `${valid}-00`,
        `${valid}-`,
        `${version}${valid.slice(2)}0`,
        `ff${valid.slice(2)}`,
        `00-${'0'.repeat(32)}-${spanId}-01`,
        `00-${traceId}-${'0'.repeat(16)}-01`,
      ]) {
        expect([value, parseTraceparent(value)]).toEqual([value, undefined])
      }
    })
    fc.assert(rejected)
  })

  test('rejects a value with one character changed to one that is no lower-case hexadecimal digit', () => {
    const position = fc.integer({ min: 0, max: 54 })
    const rejected = fc.property(
      context,
      position,
      fc.constantFrom('A', 'F', 'g', ' ', '\n', 'é', ''),
      (given, at, other) => {
        const valid = formatTraceparent(given)
        expect(parseTraceparent(valid.slice(0, at) + other + valid.slice(at + 1))).toBeUndefined()
      },
    )
    fc.assert(rejected)
  })

  test('rejects any other text', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(parseTraceparent(text)).toBeUndefined()))
  })
})

test('a Trace-ID is its trace id with dashes', () => {
  fc.assert(fc.property(fc.uuid(), (uuid) => expect(formatUuid(traceIdOfUuid(uuid.toUpperCase()))).toBe(uuid)))
})

test('a header adds a parent within the trace of the assertion only, and only once', () => {
  const uuid = '4bf92f35-77b3-4da6-a3ce-929d0e0e4736'
  const header = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00'
  expect(parentInTrace(header, uuid)).toBe(header)
  expect(parentInTrace(header, uuid.toUpperCase())).toBe(header)
  expect(parentInTrace(header, '4bf92f35-77b3-4da6-a3ce-929d0e0e4737')).toBeUndefined()
  // Node joins the values of a repeated header.
  expect(parentInTrace(`${header}, ${header}`, uuid)).toBeUndefined()
  expect(parentInTrace([header, header], uuid)).toBeUndefined()
  expect(parentInTrace(undefined, uuid)).toBeUndefined()
})
