import type { BusinessUnit } from '@payments/contracts/services/business-unit/contract'

export interface BusinessUnitFacts {
  readonly id: string
  readonly name: string
  readonly timezoneName: string
  readonly defaultCurrency: string | null
  readonly branding: unknown
  readonly communication: unknown
  readonly status: 'active' | 'deleted'
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface BusinessUnitFields {
  readonly name: string
  readonly timezone_name: string
  readonly default_currency: string | null
  readonly branding: Readonly<Record<'display_name' | 'logo_url' | 'primary_color' | 'support_email', string | null>>
  readonly communication: Readonly<Record<'from_name' | 'reply_to', string | null>>
}

/** The fields that a PATCH contains. */
export type BusinessUnitChange = { readonly [F in keyof BusinessUnitFields]?: BusinessUnitFields[F] | undefined }

export function presentBusinessUnit(unit: BusinessUnitFacts): BusinessUnit {
  return {
    id: unit.id,
    name: unit.name,
    timezone_name: unit.timezoneName,
    default_currency: unit.defaultCurrency,
    branding: unit.branding as BusinessUnit['branding'],
    communication: unit.communication as BusinessUnit['communication'],
    status: unit.status,
    version: unit.version,
    created_at: unit.createdAt.toISOString(),
    updated_at: unit.updatedAt.toISOString(),
  }
}

/** A unit that an operator creates for a tenant. */
export const provisionedUnit = (name: string): BusinessUnitFields => ({
  name,
  timezone_name: 'UTC',
  default_currency: null,
  branding: { display_name: null, logo_url: null, primary_color: null, support_email: null },
  communication: { from_name: null, reply_to: null },
})
