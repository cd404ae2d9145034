import { contrast, textOn } from '@payments/contracts/nouns/color-contrast'
import type { BusinessUnit } from '@payments/contracts/services/business-unit/contract'
import { oneLine, type Values } from './render.ts'
import { shortName } from './short-name.ts'

const colorDefault = '#1f2933'
/** Backgrounds of mail programs, and an edge that has a contrast of 3 to both (WCAG 2.2, 1.4.11). */
const [light, dark, visibleEdge] = ['#ffffff', '#1e1e1e', '#808080'] as const
const edgeContrastMin = 3

/** Variables that built-in templates get from the business unit. Without `unit`: for a preview. */
export function brandingVariables(unit: Pick<BusinessUnit, 'name' | 'branding'> | null): Values {
  const {
    display_name: displayName,
    logo_url: logo,
    primary_color: color,
    support_email: support,
  } = unit?.branding ?? {}
  const name = displayName ?? unit?.name ?? 'Your business'
  return {
    business_unit_name: name,
    short_name: shortName(oneLine(name)),
    ...buttonColors(color ?? colorDefault),
    ...(logo == null ? {} : { logo_url: logo }),
    ...(support == null ? {} : { support_email: support }),
  }
}

/** Fill, text and edge of the button. The text is readable on any fill, the edge visible on light and on dark. */
export function buttonColors(fill: string = colorDefault) {
  const isVisible = [light, dark].every((background) => contrast(fill, background) >= edgeContrastMin)
  return { primary_color: fill, button_text_color: textOn(fill), button_edge_color: isVisible ? fill : visibleEdge }
}

/** The sender that a recipient sees. */
export function visibleSender({ name, branding, communication }: BusinessUnit): {
  fromName: string
  replyTo: string | null
} {
  const fromName = oneLine(communication.from_name ?? branding.display_name ?? name)
  return { fromName, replyTo: communication.reply_to ?? null }
}
