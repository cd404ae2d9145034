import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * The ticket in the address of the card page: the id of the code, and an HMAC of it with the hash of the link as key.
 * The pay page, which has the link, issues it; the card page verifies it with the stored hash. So Stripe.js, which sees
 * the address, learns no link, and a person who knows the id of a code cannot open its card page.
 */
interface TicketedCode {
  readonly id: string
  readonly codeHash: Uint8Array
}

const idBytes = 16
const proofBytes = 16

/** 43 characters of base64url. */
export function issueTicket({ id, codeHash }: TicketedCode): string {
  return Buffer.concat([Buffer.from(id.replaceAll('-', ''), 'hex'), createProof(id, codeHash)]).toString('base64url')
}

/** The id in a ticket, without a check of its proof. Null for any other text. */
export function codeIdIn(ticket: string): string | null {
  if (!/^[\w-]{43}$/.test(ticket)) return null
  const hex = Buffer.from(ticket, 'base64url').subarray(0, idBytes).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

export function isTicketFor(ticket: string, code: TicketedCode): boolean {
  const [given, expected] = [Buffer.from(ticket), Buffer.from(issueTicket(code))]
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function createProof(id: string, codeHash: Uint8Array): Buffer {
  return createHmac('sha256', codeHash).update(`card page ${id}`).digest().subarray(0, proofBytes)
}

/** Address of our card page for one code. The page ignores a `locale` of a language that it does not have. */
export const cardPageUrl = (origin: string, code: TicketedCode, locale: string): string =>
  `${origin}/pay/card/stripe/${issueTicket(code)}?lang=${encodeURIComponent(locale)}`
