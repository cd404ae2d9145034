import { id, text } from '@payments/contracts/field'
import jwt, { type Algorithm } from 'jsonwebtoken'
import { z } from 'zod'
import type { KeySet } from './jwks.ts'

/** What a JWT tells, once its signature, times, issuer and audience have been found good. */
export interface TokenIdentity {
  readonly tenantId: string
  readonly subject: string
  readonly roleNames: readonly string[]
  /** Its `exp`; the skew that is allowed comes on top. */
  readonly expiresAtMs: number
}

export interface TokenVerifier {
  /** undefined for any token that is not good. Throws authorization_unavailable where its issuer's keys cannot be had. */
  verify(token: string): Promise<TokenIdentity | undefined>
}

export interface TokenIssuer {
  readonly issuer: string
  readonly audience: string
  /** Asymmetric only: a public key must never serve as the secret of an HMAC. */
  readonly algorithms: readonly Algorithm[]
  readonly keys: KeySet
  readonly tenantClaim: string
  readonly rolesClaim: string
  /** The tenants it may speak for. */
  readonly tenants: '*' | ReadonlySet<string>
  /** Longest time from `iat` to `exp`. */
  readonly lifetimeSecondsMax: number
}

const tokenCharactersMax = 8 * 1024
const skewSeconds = 30

const header = z.object({
  alg: z.string(),
  kid: z.string().min(1).max(256),
  /** RFC 9068 and RFC 7519; a token of another kind, such as `logout+jwt`, is no credential. */
  typ: z
    .string()
    .regex(/^(application\/)?(at\+)?jwt$/i)
    .optional(),
  crit: z.never().optional(),
})

const roleNamesMax = 50
const roleNames = z.array(text(200)).max(roleNamesMax)
const subject = text(255)

export function createTokenVerifier(issuers: readonly TokenIssuer[]): TokenVerifier {
  const byName = new Map(issuers.map((issuer) => [issuer.issuer, issuer]))
  return {
    async verify(token) {
      if (token.length > tokenCharactersMax) return undefined
      const unverified = decode(token)
      const issuer = unverified === undefined ? undefined : byName.get(unverified.issuer)
      if (unverified === undefined || issuer === undefined) return undefined
      const { alg, kid } = unverified.header
      if (!issuer.algorithms.includes(alg as Algorithm)) return undefined
      const key = await issuer.keys.find({ alg, kid })
      if (key === undefined) return undefined
      const claims = verified(() =>
        jwt.verify(token, key, {
          algorithms: [...issuer.algorithms],
          issuer: issuer.issuer,
          audience: issuer.audience,
          clockTolerance: skewSeconds,
        }),
      )
      return claims === undefined ? undefined : identityOf(claims, issuer)
    },
  }
}

function decode(token: string): { header: z.output<typeof header>; issuer: string } | undefined {
  const decoded = verified(() => jwt.decode(token, { complete: true }))
  if (decoded === undefined || decoded === null || typeof decoded !== 'object') return undefined
  const parsed = header.safeParse(decoded['header'])
  const issuer = (decoded['payload'] as { iss?: unknown } | null)?.iss
  return parsed.success && typeof issuer === 'string' ? { header: parsed.data, issuer } : undefined
}

/** jsonwebtoken throws errors of many kinds for what a stranger may send, from bad JSON to a signature too short. */
function verified<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/**
 * A token without `exp` or `iat` has no known lifetime. One that was issued in the future would live longer than from `iat` to `exp`.
 * Both are refused.
 */
function identityOf(claims: unknown, issuer: TokenIssuer): TokenIdentity | undefined {
  const parsed = z
    .looseObject({
      sub: subject,
      iat: z.number(),
      exp: z.number(),
      [issuer.tenantClaim]: id,
      [issuer.rolesClaim]: roleNames,
    })
    .safeParse(claims)
  if (!parsed.success) return undefined
  const { data } = parsed
  const tenantId = data[issuer.tenantClaim] as string
  if (issuer.tenants !== '*' && !issuer.tenants.has(tenantId)) return undefined
  if (!isLifetimeGood(data as { iat: number; exp: number }, issuer.lifetimeSecondsMax)) return undefined
  return {
    tenantId,
    subject: data['sub'] as string,
    roleNames: data[issuer.rolesClaim] as string[],
    expiresAtMs: (data['exp'] as number) * 1_000,
  }
}

function isLifetimeGood({ iat, exp }: { iat: number; exp: number }, lifetimeSecondsMax: number): boolean {
  return iat <= Date.now() / 1_000 + skewSeconds && exp - iat <= lifetimeSecondsMax
}
