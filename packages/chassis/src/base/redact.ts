import { decodePercent, redactCardNumbers } from './card-number.ts'

/**
 * **What it does.** Redacts what a log or an audit record must not show: card numbers and credentials of this platform,
 * which a client may have sent in a path or a header of no secret.
 *
 * **Guarantees.** Found in any text: values of API keys and sessions, also with a typing error; signing secrets
 * (`whsec_…`); JWTs. In a path also: tokens of links, which have no prefix, by their length. Each pattern reads a text
 * in linear time.
 *
 * **Not guaranteed.** A credential that is split, or encoded otherwise than by percent-encoding, is not found.
 */
const credentials =
  /ps[ks]_[a-z]{1,8}_[0-9A-Za-z]{8,}|whsec_[0-9A-Za-z+/=_-]{8,}|(?<![\w-])eyJ[\w-]{8,}(?:\.[\w-]*){1,2}/g

/** 128 or 256 random bits in base64url: codes of invitations to pay and of the sandbox bank, user invitations. */
const linkTokens = /(?<![\w-])(?:[\w-]{22}|[\w-]{43})(?![\w-])/g

/** The text with `[credential]` and `[card number]` in place of each credential and card number. */
export function redactSecrets(text: string): string {
  return redactCardNumbers(text.replaceAll(credentials, '[credential]'))
}

/** A path for logs and records. A percent-encoded secret is found too. */
export function redactPath(path: string): string {
  const decoded = path.includes('%') ? decodePercent(path) : path
  const redacted = redactSecrets(decoded).replaceAll(linkTokens, (run) => (isRandom(run) ? '[credential]' : run))
  return redacted === decoded ? redactSecrets(path) : encodeURI(redacted)
}

/** Random base64url has letters of both cases. Identifiers and words of paths have not. */
const isRandom = (run: string) => /[a-z]/.test(run) && /[A-Z]/.test(run)

/** The longest form of a secret that is not redacted by its beginning: a card number of 19 encoded digits. */
const secretCharactersMax = 1_024

/**
 * The first `charactersMax` characters of a redacted text of any length, without a part of a secret at the end. A
 * longer text is cut before it is redacted, so the cost is bounded.
 */
export function redactStart(text: string, charactersMax: number, redact: (text: string) => string): string {
  if (text.length <= charactersMax + secretCharactersMax) return redact(text).slice(0, charactersMax)
  const redacted = redact(text.slice(0, charactersMax + secretCharactersMax))
  return redacted.slice(0, Math.max(0, Math.min(charactersMax, redacted.length - secretCharactersMax)))
}
