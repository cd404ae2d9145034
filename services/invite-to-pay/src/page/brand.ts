import { contrast, textOn } from '@payments/contracts/nouns/color-contrast'

/** Colors of the merchant, readable in both color schemes. */

const surfaces = { light: '#ffffff', dark: '#171b22' } as const
const edges = { light: '#68727f', dark: '#8d97a5' } as const
const defaultColor = '#2f4bd8'
/** WCAG 2.2, 1.4.11: the edge of a control against its surroundings. */
const edgeContrastMin = 3

export type ColorScheme = keyof typeof surfaces

/** Fill, text and edge of the merchant's buttons, as custom properties of CSS. */
export function brandProperties(primaryColor: string | null, scheme: ColorScheme): string {
  const fill = primaryColor !== null && /^#[0-9a-f]{6}$/i.test(primaryColor) ? primaryColor.toLowerCase() : defaultColor
  const edge = contrast(fill, surfaces[scheme]) < edgeContrastMin ? edges[scheme] : fill
  return `--surface:${surfaces[scheme]};--brand:${fill};--brand-text:${textOn(fill)};--brand-edge:${edge}`
}
