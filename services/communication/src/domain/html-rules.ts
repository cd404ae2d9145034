/**
 * **What it does.** Rejects active content in the HTML part of a message, and variables at places where escaping does
 * not protect. It names the reason and changes nothing.
 *
 * **Participants.** The tenant, who writes the HTML; render.ts, which escapes values; the mail program of the payer.
 *
 * **Guarantees.** An accepted template puts a variable into text or into a quoted attribute only. So a value, which is
 * escaped, cannot end its place, add an attribute or add an element. A value at the start of a link is a web, mail or
 * telephone address.
 *
 * **Not guaranteed.** HTML that is safe in a browser: the tenant owns the markup, and mail programs filter it again.
 */
const forbiddenElement = /<\s*\/?\s*(script|iframe|object|embed|base|form)\b/i
const eventHandler = /[\s"'/]on[a-z]+\s*=/i

/** The reason why the HTML is rejected, or null. */
export function reasonAgainst(html: string): string | null {
  const element = forbiddenElement.exec(html)?.[1]
  if (element !== undefined) return `must not contain <${element.toLowerCase()}>`
  const tokens = tokensOf(html)
  if (tokens.some((token) => eventHandler.test(token))) return 'must not contain event handlers (on…=)'
  if (/(javascript|vbscript):/i.test(decoded(html))) return 'must not contain javascript: addresses'
  const misplaced = tokens.find((token) => token.includes('{{') && !wellFormedTag.test(token))
  return misplaced === undefined ? null : 'must not use a variable in a tag, except in a quoted attribute'
}

/** Without what browsers ignore in an address: references of characters, blanks and control characters. */
function decoded(html: string): string {
  return html
    .replaceAll(/&#x([0-9a-f]{1,6});?/gi, (_, digits: string) => characterOf(Number.parseInt(digits, 16)))
    .replaceAll(/&#(\d{1,7});?/g, (_, digits: string) => characterOf(Number(digits)))
    .replaceAll(/&colon;/gi, ':')
    .replaceAll(/&(tab|newline);|[\s\p{Cc}]/giu, '')
}

function characterOf(codePoint: number): string {
  return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : ''
}

/** Tags, comments and style sheets. Each character is read once. */
function tokensOf(html: string): string[] {
  const token = /<!--[\s\S]*?(?:-->|$)|<style\b[\s\S]*?(?:<\/style|$)|<[a-z/!?{](?:"[^"]*"|'[^']*'|[^"'>])*>?/gi
  return html.match(token) ?? []
}

/** Only a quoted value may have braces. */
const wellFormedTag = /^<[a-z][a-z0-9-]*(?:\s+[a-z_:][\w:.-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`{}]+))?)*\s*\/?>$/i

const link = /\b(?:href|src|action|background)\s*=\s*["']\s*\{\{([^{}]*)\}\}/gi

/** The names of variables with which a link or an image address begins. */
export function linkVariablesOf(html: string): Set<string> {
  return new Set([...html.matchAll(link)].map(([, name = '']) => name.trim()))
}

export function isLinkAddress(value: string): boolean {
  return value === '' || /^(?:https?:\/\/|mailto:|tel:)[^\s\p{Cc}]*$/iu.test(value)
}
