/** The prefixes of the secrets that we mint. */
const minted = /^(psk_(?:dev|qa|prod)_|whsec_)[0-9A-Za-z+/=_-]{24,}$/

/**
 * What may be shown of a secret: for one that we minted, its prefix and last four characters (`psk_dev_…x7Qa`); for any
 * other, nothing, since the end of a password is a good part of it.
 */
export function mask(secret: string): string {
  const prefix = minted.exec(secret)?.[1]
  return prefix === undefined ? '…' : `${prefix}…${secret.slice(-4)}`
}
