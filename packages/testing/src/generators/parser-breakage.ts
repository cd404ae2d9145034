import type { Endpoint } from '@payments/contracts/grammar/contract'
import { bodyBytesMax } from '@payments/contracts/grammar/contract'
import { toInputSchema } from '@payments/contracts/grammar/json-schema'
import fc from 'fast-check'
import { arbitraryOfShape } from './arbitrary.ts'
import { escapeStep, findLocations, type Path, toPointer, writeBody } from './body-location.ts'
import { type Breakage, type ExpectedRejection, invalid, parts, paths } from './broken-request.ts'

/**
 * Requests that the parsers of a service reject before any schema does, or because of a name that no schema knows. All
 * endpoints of a service have the same parsers, so one endpoint proves them.
 */
export function listParserBreakages(endpoint: Endpoint): Breakage[] {
  return [...undecodablePaths(endpoint), ...strangeQueries(endpoint), ...unreadableBodies(endpoint)]
}

/** Names of inherited properties, which careless code trips over. */
const strangeNames = [
  'no_such_field',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'a/b~c',
  '',
]

function undecodablePaths(endpoint: Endpoint): Breakage[] {
  const undecodable = fc.constantFrom('%', '%zz', '%ff', '%ed%a0%80', '%c0%af')
  return Object.keys(endpoint.params?.shape ?? {}).map((name) => ({
    what: `${name} in the path, bytes that are no text`,
    request: parts(endpoint, { path: undecodable.chain((one) => paths(endpoint, { [name]: one })) }),
    rejection: invalid('/path'),
  }))
}

function strangeQueries(endpoint: Endpoint): Breakage[] {
  return strangeNames
    .filter((name) => name !== '' && !Object.hasOwn(endpoint.query?.shape ?? {}, name))
    .map((name) => ({
      what: `${name} in the query, unknown`,
      request: parts(endpoint, { search: fc.constant(`${encodeURIComponent(name)}=1`) }),
      rejection: invalid(`/query/${escapeStep(name)}`),
    }))
}

function unreadableBodies(endpoint: Endpoint): Breakage[] {
  if (endpoint.body === undefined) return []
  const shape = toInputSchema(endpoint.body)
  const complete = arbitraryOfShape(shape, true)
  const locations = findLocations(shape, strangeNames)
  return [
    ...brokenWholes(complete).map(({ what, body, headers = {}, rejection }) => ({
      what: `the body ${what}`,
      request: parts(endpoint, { body, headers: fc.constant(headers) }),
      rejection,
    })),
    ...locations.flatMap(({ path, broken }) =>
      broken
        .filter(({ what }) => what === 'unknown')
        .map(({ what, text }) => ({
          what: `${toPointer(path)}, ${what}`,
          request: parts(endpoint, {
            body: fc.tuple(complete, text).map(([value, broken]) => writeBody(value, path, broken)),
          }),
          rejection: invalid(toPointer(path)),
        })),
    ),
    ...locations.flatMap(({ path }) => duplicatesAt(endpoint, complete, path)),
  ]
}

/** The member at the end of the path given twice, and a value that holds a duplicate further down. */
function duplicatesAt(endpoint: Endpoint, complete: fc.Arbitrary<unknown>, path: Path): Breakage[] {
  const name = path.at(-1)
  if (typeof name !== 'string') return []
  const escapedName = name.replaceAll(/[\s\S]/g, unicodeEscape)
  const texts = {
    'given twice': `0,${JSON.stringify(name)}:0`,
    'given twice, once escaped': `0,"${escapedName}":0`,
    'with a duplicate within': '{"list":[0,{"member":1,"other":2,"m\\u0065mber":3}]}',
  }
  return Object.entries(texts).map(([what, text]) => ({
    what: `${toPointer(path)}, ${what}`,
    request: parts(endpoint, { body: complete.map((value) => writeBody(value, path, text)) }),
    rejection: invalid(toPointer(path)),
  }))
}

const unicodeEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

interface Whole {
  readonly what: string
  readonly body: fc.Arbitrary<string | Buffer>
  readonly headers?: Readonly<Record<string, string>>
  readonly rejection: ExpectedRejection
}

function brokenWholes(complete: fc.Arbitrary<unknown>): Whole[] {
  const text = complete.map((value) => JSON.stringify(value))
  const notJson = [
    '{',
    '{}}',
    '[',
    "{'a':1}",
    '{a:1}',
    '{"a":NaN}',
    '{"a":1,}',
    '{"a":01}',
    '// nothing',
    'undefined',
    ' ',
    '"\u0001"',
    '{"a":"\\x41"}',
  ]
  const truncated = fc
    .tuple(text, fc.nat())
    .filter(([whole]) => whole.length > 1)
    .map(([whole, at]) => whole.slice(0, 1 + (at % (whole.length - 1))))
  const otherTypes = ['text/plain', 'application/xml', 'application/jsonx', 'application/x-www-form-urlencoded', '*/*']
  const charsets = ['utf-16', 'latin1', 'us-ascii', 'nonsense'].map((name) => `application/json; charset=${name}`)
  const unsupported: ExpectedRejection = { status: 415, code: 'unsupported_media_type' }
  return [
    ...[...otherTypes, ...charsets, ''].map((type) => ({
      what: `is declared as "${type}"`,
      body: text,
      headers: { 'content-type': type },
      rejection: unsupported,
    })),
    { what: 'is not JSON', body: fc.constantFrom(...notJson), rejection: invalid('') },
    { what: 'is cut off', body: truncated, rejection: invalid('') },
    {
      what: 'has bytes that are not UTF-8',
      body: fc
        .constantFrom('ff', 'c0af', 'eda080', 'f4908080', '80')
        .map((bytes) => Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes, 'hex'), Buffer.from('"}')])),
      rejection: invalid(''),
    },
    {
      what: 'has the same member twice',
      body: fc.constantFrom('{"a":1,"a":1}', '{"a":1,"b":2,"\\u0061":3}', ' { "a" : [ ] , "a" : { } } '),
      rejection: invalid('/a'),
    },
    {
      what: 'is huge',
      body: fc.integer({ min: bodyBytesMax, max: 4 * bodyBytesMax }).map((bytes) => `"${'a'.repeat(bytes)}"`),
      rejection: { status: 413, code: 'payload_too_large' },
    },
    ...['gzip', 'br', 'nonsense'].map((coding) => ({
      what: `is encoded as ${coding}`,
      body: text,
      headers: { 'content-encoding': coding },
      rejection: unsupported,
    })),
  ]
}
