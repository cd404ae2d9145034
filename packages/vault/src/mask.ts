/** The prefixes of the secrets that the platform generates. */
const generated = /^(psk_(?:dev|qa|prod)_|whsec_)[0-9A-Za-z+/=_-]{24,}$/

/**
 * The part of a secret that may be displayed: prefix and last four characters of a secret that the platform generated
 * (`psk_dev_…x7Qa`). Any other secret is masked completely, since the end of a password reveals much of a short one.
 */
export function mask(secret: string): string {
  const prefix = generated.exec(secret)?.[1]
  return prefix === undefined ? '…' : `${prefix}…${secret.slice(-4)}`
}
