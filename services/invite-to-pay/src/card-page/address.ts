import { issueTicket, type TicketedCode } from './ticket.ts'

/** Address of our card page for one code. The page ignores a `locale` of a language that it does not have. */
export const cardPageUrl = (origin: string, code: TicketedCode, locale: string): string =>
  `${origin}/pay/card/stripe/${issueTicket(code)}?lang=${encodeURIComponent(locale)}`
