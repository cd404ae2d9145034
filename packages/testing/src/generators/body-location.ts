import type { JsonSchema } from '@payments/contracts/grammar/json-schema'
import fc from 'fast-check'
import { brokenJson, listAlternatives } from './broken-value.ts'

export type Path = readonly (string | number)[]

export interface BrokenLocation {
  readonly path: Path
  /** JSON texts for the location; undefined removes it. */
  readonly broken: readonly { what: string; text: fc.Arbitrary<string | undefined> }[]
}

/**
 * Every location of a body, down to the first item of each list and one key of each record. `unknown`: the names of
 * fields that no object has.
 */
export function findLocations(
  shape: JsonSchema,
  unknown: readonly string[] = ['no_such_field'],
  path: Path = [],
): BrokenLocation[] {
  const here = { path, broken: brokenJson(shape) }
  const [only, ...others] = listAlternatives(shape)
  if (only === undefined || others.length > 0) return [here]
  if (only.type === 'array' && only.items !== undefined)
    return [here, ...findLocations(only.items, unknown, [...path, 0])]
  if (only.type !== 'object') return [here]
  if (only.properties === undefined) return [here, ...findKeyLocations(only, unknown, path)]
  const { properties, required = [] } = only
  const absent = unknown.filter((name) => !Object.hasOwn(properties, name))
  return [
    here,
    ...required.map((name) => ({ path: [...path, name], broken: [{ what: 'missing', text: fc.constant(undefined) }] })),
    ...absent.map((name) => ({ path: [...path, name], broken: [{ what: 'unknown', text: fc.constant('1') }] })),
    ...Object.entries(properties).flatMap(([name, property]) => findLocations(property, unknown, [...path, name])),
  ]
}

/** A record: its values, and the names of its keys. */
function findKeyLocations(
  { additionalProperties, propertyNames = {} }: JsonSchema,
  unknown: readonly string[],
  path: Path,
): BrokenLocation[] {
  const { minLength = 0, maxLength } = propertyNames
  const names = ['__proto__', 'a\0b', '\ud800', ...(minLength > 0 ? [''] : [])]
  if (maxLength !== undefined) names.push('x'.repeat(maxLength + 1))
  return [
    ...names.map((name) => ({ path: [...path, name], broken: [{ what: 'as a key', text: fc.constant('1') }] })),
    ...(typeof additionalProperties === 'object'
      ? findLocations(additionalProperties, unknown, [...path, 'a_key'])
      : []),
  ]
}

const mark = '\u{10ffff}here\u{10ffff}'

/** The value as JSON, with `text` as it is at the end of the path. */
export function writeBody(value: unknown, path: Path, text: string | undefined): string {
  return JSON.stringify(put(value, path, text === undefined ? undefined : mark)).replace(`"${mark}"`, () => text ?? '')
}

function put(value: unknown, [step, ...rest]: Path, what: string | undefined): unknown {
  if (step === undefined) return what
  if (typeof step === 'number') return (value as unknown[]).with(step, put((value as unknown[])[step], rest, what))
  const fields = value as Record<string, unknown>
  // A computed name is an own field, whatever it is called.
  return { ...fields, [step]: put(fields[step], rest, what) }
}

export function toPointer(path: Path): string {
  return path.map((step) => `/${escapeStep(String(step))}`).join('')
}

export function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}
