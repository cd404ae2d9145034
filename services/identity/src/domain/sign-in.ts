import { hash, randomBytes } from 'node:crypto'
import { returnToForm } from '@payments/contracts/services/identity/pages'

export const signInLifetimeMs = 10 * 60_000
/** Of the request of a sign-in. 0: a step-up. */
export const maxAgeSeconds = 12 * 60 * 60
/** Sign-ins that are stored of one browser. The next one evicts the oldest. */
export const signInsOfBrowserMax = 20
/** Sign-ins that are stored of one address, which many people may share. The next one evicts another. */
export const signInsOfAddressMax = 1_000
/** At the bound of an address, a browser with more sign-ins than these is the first that loses one. */
export const fairSignIns = 5

/** The vault binds the verifier to this purpose and the sign-in. Sign-ins belong to no tenant. */
export const verifierBinding = (signInId: string) => vaultBinding('identity.sign-in', signInId)

/** As verifierBinding, for the person who has not chosen a tenant yet. */
export const personBinding = (signInId: string) => vaultBinding('identity.signed-in-person', signInId)

const vaultBinding = (purpose: string, recordId: string) => ({
  purpose,
  tenantId: '00000000-0000-0000-0000-000000000000',
  recordId,
})

/** 256 random bits as 43 characters of base64url. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

export const isSecret = (text: string | undefined): text is string =>
  text !== undefined && /^[A-Za-z0-9_-]{43}$/.test(text)

/** A secret, also the token of an invitation, is stored as its SHA-256: a reader of the row cannot use it. */
export const hashSecret = (secret: string): Uint8Array<ArrayBuffer> => Uint8Array.from(hash('sha256', secret, 'buffer'))

/** A page of the console. Everything else could lead elsewhere, also by the segment `..`, and is ignored. */
export function readReturnTo(written: string | null | undefined): string | null {
  if (written === null || written === undefined || !returnToForm.test(written)) return null
  const base = 'https://console.invalid'
  return new URL(written, base).href === `${base}${written}` ? written : null
}

export const consolePath = '/console'

/** The path of the redirect URI of a sign-in provider. */
export const callbackPath = (providerId: string): string => `/session/callback/${providerId}`
