import type { RawBody } from '@payments/contracts/grammar/contract'

const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i

/** A field that the form has once. Undefined for a body that is no such form. Other fields are ignored. */
export function readField(name: string, { bytes, headers }: RawBody): string | undefined {
  if (!formType.test(headers['content-type'] ?? '')) return undefined
  const values = new URLSearchParams(bytes.toString('utf8')).getAll(name)
  return values.length === 1 ? values[0] : undefined
}
