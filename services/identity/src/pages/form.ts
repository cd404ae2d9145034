import { readForm } from '@payments/chassis/request/form'
import type { RawBody } from '@payments/contracts/grammar/contract'

/** A field that the form has once. Undefined for a body that is no form. Other fields are ignored. */
export function readField(name: string, body: RawBody): string | undefined {
  const [value, ...others] = readForm(body)?.filter(([own]) => own === name) ?? []
  return others.length === 0 ? value?.[1] : undefined
}
