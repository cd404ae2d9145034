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

/** Black or white. One of both has a contrast of at least 4.58 to any color. */
export function textOn(color: string): '#000000' | '#ffffff' {
  return contrast(color, '#000000') > contrast(color, '#ffffff') ? '#000000' : '#ffffff'
}

/** Contrast ratio of WCAG 2.2 between two colors `#rrggbb`: 1 to 21. */
export function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((start) => Number.parseInt(color.slice(start, start + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
