import { id } from '@payments/contracts/grammar/field'
import { rbac } from '@payments/contracts/services/rbac/contract'
import type { SignInProviderConfig } from '../config.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import type { SignedInPerson } from './providers.ts'

/** A person may take this long from the sign-in at the provider to the callback of a step-up. */
const stepUpSecondsMax = 60
/** Between the clock of the provider and ours. */
const clockDifferenceSecondsMax = 60
/** A provider signs the ID token when it takes the code. */
const tokenAgeSecondsMax = 600
const nameCharactersMax = 200
const emailCharactersMax = 320
const roleNamesMax = 50
/** As rbac accepts it. */
const roleName = rbac.endpoints.resolveRoles.body.shape.role_names.unwrap().element

type ClaimNames = Pick<SignInProviderConfig, 'membership' | 'email_verified_claim' | 'tenant_claim' | 'roles_claim'>

/** `maxAgeSeconds`: of the request. 0: a step-up. */
type IdTokenRules = ClaimNames & { readonly maxAgeSeconds: number }

export type Claims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string }

/**
 * The person of an ID token whose signature, issuer, audience, nonce and expiry were verified. Throws SignInFailed. A
 * provider may ignore `max_age`, so `auth_time` is compared here.
 */
export function readPerson(claims: Claims, rules: IdTokenRules, now = Date.now()): SignedInPerson {
  const seconds = now / 1000
  const issuedAt = readNumber(claims, 'iat')
  const authenticatedAt = readNumber(claims, 'auth_time')
  for (const [name, instant] of Object.entries({ iat: issuedAt, auth_time: authenticatedAt })) {
    if (instant > seconds + clockDifferenceSecondsMax) {
      throw new SignInFailed('clock', `${name} is ${Math.round(instant - seconds)} s in the future`)
    }
  }
  if (issuedAt < seconds - tokenAgeSecondsMax) {
    throw new SignInFailed('clock', `iat is ${Math.round(seconds - issuedAt)} s in the past`)
  }
  const age = seconds - authenticatedAt
  if (age > (rules.maxAgeSeconds === 0 ? stepUpSecondsMax : rules.maxAgeSeconds + clockDifferenceSecondsMax)) {
    throw new SignInFailed('stale', `auth_time is ${Math.round(age)} s in the past`)
  }
  const subject = claimText(claims.sub)
  if (subject === null) throw new SignInFailed('invalid', 'sub is too long, or no printable text')
  return {
    issuer: claims.iss,
    subject,
    verifiedEmail: readVerifiedEmail(claims, rules.email_verified_claim),
    name: readName(claims),
    authenticatedAt: new Date(authenticatedAt * 1000),
    providerSessionId: claimText(claims['sid']),
    claimed: rules.membership === 'claims' ? readClaimed(claims, rules) : null,
  }
}

/** In one line, without control characters, cut between characters. */
function readName({ name }: Claims): string | null {
  if (typeof name !== 'string') return null
  const start = name.slice(0, 2 * nameCharactersMax)
  const printable = start.replaceAll(/[\s\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return Array.from(printable).slice(0, nameCharactersMax).join('') || null
}

function readNumber(claims: Claims, name: string): number {
  const value = claims[name]
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new SignInFailed('invalid', `the ID token has no ${name}`)
  }
  return value
}

/** Some providers write booleans as text or numbers. */
const isTrue: ReadonlySet<unknown> = new Set([true, 'true', 1, '1'])

function readVerifiedEmail(claims: Claims, verifiedClaim: string): string | null {
  const { email } = claims
  if (!isTrue.has(claims[verifiedClaim])) return null
  if (
    typeof email !== 'string' ||
    email.length > emailCharactersMax ||
    !/^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+$/u.test(email)
  )
    return null
  return email
}

/** Null unless both claims have the form that the configuration promises. */
function readClaimed(claims: Claims, { tenant_claim = '', roles_claim = '' }: ClaimNames): SignedInPerson['claimed'] {
  const tenant = id.safeParse(claims[tenant_claim])
  const written = claims[roles_claim]
  const roles: readonly unknown[] = Array.isArray(written) ? written : [written]
  if (!tenant.success || roles.length > roleNamesMax) return null
  if (!roles.every((role) => typeof role === 'string')) return null
  // A text of another form is the name of no role.
  return {
    tenantId: tenant.data,
    roleNames: roles.flatMap((role) => roleName.safeParse(role).data?.normalize('NFC') ?? []),
  }
}

/** OpenID Connect Core 1.0, section 2: a subject has at most 255 characters. */
const claimCharactersMax = 255

/** A claim that is a text which can be stored and compared, such as `sub`. Null for any other value. */
export function claimText(value: unknown): string | null {
  if (typeof value !== 'string' || value === '' || value.length > claimCharactersMax) return null
  // Control characters, and surrogates without their other half.
  return /[\p{Cc}\p{Cs}]/u.test(value) ? null : value
}
