import type { BusinessUnit } from '@payments/contracts/services/business-unit/contract'
import { oneLine, type Values } from './render.ts'

/** Variables that built-in templates get from the business unit. */
export const brandingVariables = ['business_unit_name', 'logo_url', 'primary_color', 'support_email'] as const

const colorDefault = '#1f2933'

/** Without `unit`: for a preview. */
export function brandingOf(unit: Pick<BusinessUnit, 'name' | 'branding'> | null): Values {
  const {
    display_name: displayName,
    logo_url: logo,
    primary_color: color,
    support_email: support,
  } = unit?.branding ?? {}
  return {
    business_unit_name: displayName ?? unit?.name ?? 'Your business',
    primary_color: color ?? colorDefault,
    ...(logo == null ? {} : { logo_url: logo }),
    ...(support == null ? {} : { support_email: support }),
  }
}

/** The sender that a recipient sees. */
export function senderOf({ name, branding, communication }: BusinessUnit): {
  fromName: string
  replyTo: string | null
} {
  const fromName = oneLine(communication.from_name ?? branding?.display_name ?? name)
  return { fromName, replyTo: communication.reply_to ?? null }
}
