import type { RequestOf } from '@payments/contracts/grammar/contract'
import { endOfCurrency } from '@payments/contracts/grammar/currency'
import { definedMembers } from '@payments/contracts/grammar/defined-members'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import {
  type BusinessUnit,
  type businessUnitContract,
  problems,
} from '@payments/contracts/services/business-unit/contract'

export interface BusinessUnitFacts {
  readonly id: string
  readonly name: string
  readonly timezoneName: string
  readonly defaultCurrency: string | null
  readonly defaultLocale: string | null
  readonly branding: Readonly<Record<'display_name' | 'logo_url' | 'primary_color' | 'support_email', string | null>>
  readonly communication: Readonly<Record<'from_name' | 'reply_to', string | null>>
  readonly status: 'active' | 'deleted'
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** The facts that a creation sets. */
export type BusinessUnitDraft = Pick<
  BusinessUnitFacts,
  'name' | 'timezoneName' | 'defaultCurrency' | 'defaultLocale' | 'branding' | 'communication'
>

type Members<T> = { readonly [M in keyof T]?: T[M] | undefined }

/** The facts that a PATCH sets, and the members of them that it sets. */
export type BusinessUnitChange = Partial<Omit<BusinessUnitDraft, 'branding' | 'communication'>> & {
  readonly [F in 'branding' | 'communication']?: Members<BusinessUnitFacts[F]>
}

/** Merges by member (RFC 7396). */
export function mergeChange(
  before: Pick<BusinessUnitFacts, 'branding' | 'communication'>,
  { branding, communication, ...others }: BusinessUnitChange,
): Partial<BusinessUnitDraft> {
  return {
    ...others,
    ...(branding === undefined ? {} : { branding: { ...before.branding, ...definedMembers(branding) } }),
    ...(communication === undefined
      ? {}
      : { communication: { ...before.communication, ...definedMembers(communication) } }),
  }
}

export function nameTaken(): Problem {
  const errors = [{ pointer: '/name', detail: 'is the name of another business unit' }]
  return new Problem(problems.business_unit_name_taken, { errors })
}

type ChangeBody = RequestOf<typeof businessUnitContract.endpoints.updateBusinessUnit>['body']

export function toBusinessUnitChange({
  timezone_name: timezoneName,
  default_currency: defaultCurrency,
  default_locale: defaultLocale,
  ...others
}: ChangeBody): BusinessUnitChange {
  return definedMembers({ ...others, timezoneName, defaultCurrency, defaultLocale })
}

export function presentBusinessUnit(unit: BusinessUnitFacts): BusinessUnit {
  return {
    id: unit.id,
    name: unit.name,
    timezone_name: unit.timezoneName,
    default_currency: unit.defaultCurrency,
    default_locale: unit.defaultLocale,
    branding: unit.branding,
    communication: unit.communication,
    status: unit.status,
    version: unit.version,
    created_at: unit.createdAt.toISOString(),
    updated_at: unit.updatedAt.toISOString(),
  }
}

/** A unit that an operator creates for a tenant. */
export const provisionedUnit = (name: string): BusinessUnitDraft => ({
  name,
  timezoneName: 'UTC',
  defaultCurrency: null,
  defaultLocale: null,
  branding: { display_name: null, logo_url: null, primary_color: null, support_email: null },
  communication: { from_name: null, reply_to: null },
})

/** A new default currency must be in circulation. Throws invalid_request. */
export function rejectEndedCurrency(currency: string | null | undefined, now: Date): void {
  const ended = currency == null ? undefined : endOfCurrency(currency, now)
  if (ended === undefined) return
  const detail = `must be a currency in circulation: ${currency} ended on ${ended}`
  throw new Problem(commonProblems.invalid_request, { errors: [{ pointer: '/default_currency', detail }] })
}
