import { z } from 'zod'

/**
 * The messages of every schema in this process, in one style: a predicate about the field ("is required", "must be a
 * UUID"). A message that a schema states itself has priority. Importing this module installs the map.
 */
z.config({ customError: formatIssue })

type Issue = z.core.$ZodRawIssue

/** Exported for its test. */
function formatIssue(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : typeMessage(String(issue['expected']))
    case 'too_small':
      return sizeMessage(issue, 'at least', Number(issue['minimum']))
    case 'too_big':
      return sizeMessage(issue, 'at most', Number(issue['maximum']))
    case 'invalid_format':
      return hasSpaceForPlus(issue) ? plusInQuery : (formats[String(issue['format'])] ?? 'has an invalid format')
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : valueMessage(issue['values'] as readonly unknown[])
    case 'unrecognized_keys':
      return 'has an unknown field'
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : 'must have one of the documented shapes'
    case 'invalid_key':
      return 'has an invalid key'
    case 'not_multiple_of':
      return `must be a multiple of ${String(issue['divisor'])}`
    case 'custom':
    case 'invalid_element':
      return 'is invalid'
  }
}

const types: Readonly<Record<string, string>> = {
  string: 'must be a string',
  number: 'must be a number',
  nan: 'must be a number',
  int: 'must be an integer',
  boolean: 'must be true or false',
  array: 'must be an array',
  object: 'must be an object',
  record: 'must be an object',
  null: 'must be null',
}

function typeMessage(expected: string): string {
  return types[expected] ?? 'has the wrong type'
}

const formats: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID',
  guid: 'must be a UUID',
  email: 'must be an email address',
  url: 'must be a URL',
  datetime: 'must be an ISO 8601 instant, for example 2026-01-31T12:00:00Z',
  date: 'must be an ISO 8601 date, for example 2026-01-31',
}

const plusInQuery = 'must be an ISO 8601 instant: in a query, the + of its offset is written %2B'

const hasSpaceForPlus = ({ format, input }: Issue): boolean =>
  format === 'datetime' && typeof input === 'string' && / \d{2}:\d{2}$/.test(input)

function sizeMessage(issue: Issue, bound: 'at least' | 'at most', size: number): string {
  const { origin } = issue as { origin?: string }
  if (origin === 'string') {
    if (bound === 'at least' && size === 1) return 'must not be empty'
    return `must have ${bound} ${plural(size, 'character')}`
  }
  if (origin === 'array' || origin === 'set') return `must have ${bound} ${itemCount(size)}`
  return `must be ${bound} ${size}`
}

/** `1 item`, `20 items`. */
export const itemCount = (count: number): string => plural(count, 'item')

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function valueMessage(values: readonly unknown[]): string {
  const [only, ...others] = values
  return others.length === 0 ? `must be ${String(only)}` : `must be one of ${values.map(String).join(', ')}`
}
