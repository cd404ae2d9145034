import { z } from 'zod'
import { text } from '../../grammar/field.ts'

/** The common parts of the pages of payers. */

/** Any text that fits into a URL, so that every value that is no code gets the same page. */
export const codeInLink = text(4096).describe('The code in the link.')

/** Lenient: an unknown value is ignored, so that each link shows its page. */
export const linkQuery = {
  lang: z.string().optional().catch(undefined).describe('Locale that the payer chose on the page.'),
}

/** A form has less than one KiB, and a browser sends it at once. */
export const formLimits = { bodyBytesMax: 4096, bodyTimeoutMs: 3_000 } as const
