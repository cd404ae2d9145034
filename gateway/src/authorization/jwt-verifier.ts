import { id, text } from '@payments/contracts/grammar/field'
import type { Environment } from '@payments/contracts/grammar/key-value'
import { sessionAudience, sessionIssuer } from '@payments/contracts/grammar/session-value'
import jwt, { type Algorithm } from 'jsonwebtoken'
import { z } from 'zod'
import type { KeySet } from './jwks.ts'

/** Claims of a JWT whose signature, times, issuer and audience are verified. */
export type TokenIdentity = UserToken | SessionToken

/** A JWT of an issuer of JWT_ISSUERS, which names tenant and roles. */
interface UserToken {
  readonly tenantId: string
  readonly subject: string
  readonly roleNames: readonly string[]
  /** Its `exp`, without the allowed clock skew. */
  readonly expiresAtMs: number
}

/** A JWT of a session, which decides tenant and roles. */
export interface SessionToken extends Pick<UserToken, 'subject' | 'expiresAtMs'> {
  readonly sessionId: string
}

export interface TokenVerifier {
  /** undefined for an invalid token. Throws authorization_unavailable when the issuer's keys cannot be read. */
  verify(token: string): Promise<TokenIdentity | undefined>
}

interface Issuer {
  readonly issuer: string
  readonly audience: string
  /** Asymmetric only: a public key must not become the secret of an HMAC. */
  readonly algorithms: readonly Algorithm[]
  readonly keys: KeySet
  /** Maximum time from `iat` to `exp`. */
  readonly lifetimeSecondsMax: number
}

export interface TokenIssuer extends Issuer {
  readonly tenantClaim: string
  readonly rolesClaim: string
  /** Tenants for which the issuer may issue tokens. */
  readonly tenants: '*' | ReadonlySet<string>
}

/** Identity, which issues the JWTs of sessions of one environment. */
export function sessionTokenIssuer(environment: Environment, keys: KeySet): Issuer {
  return {
    issuer: sessionIssuer(environment),
    audience: sessionAudience,
    algorithms: ['ES256'],
    keys,
    lifetimeSecondsMax: sessionTokenSecondsMax,
  }
}

const sessionTokenSecondsMax = 15 * 60

const tokenCharactersMax = 8 * 1024
const skewSeconds = 30

const header = z.object({
  alg: z.string(),
  kid: z.string().min(1).max(256),
  /** RFC 9068 and RFC 7519. A token of another type, such as `logout+jwt`, is not a credential. */
  typ: z
    .string()
    .regex(/^(application\/)?(at\+)?jwt$/i)
    .optional(),
  crit: z.never().optional(),
})

const roleNamesMax = 50
/** Roles are stored with such names. */
const roleName = text(200).transform((name) => name.normalize('NFC'))
const roleNames = z.array(roleName).max(roleNamesMax)
const subject = text(255)

export function createTokenVerifier(issuers: readonly TokenIssuer[], sessions?: Issuer): TokenVerifier {
  const byName = new Map<string, Issuer>(issuers.map((issuer) => [issuer.issuer, issuer]))
  if (sessions !== undefined) byName.set(sessions.issuer, sessions)
  const readIdentity = (claims: unknown, issuer: Issuer) =>
    issuer === sessions ? readSessionToken(claims, issuer) : readUserToken(claims, issuer as TokenIssuer)
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
      const claims = attempt(() =>
        jwt.verify(token, key, {
          algorithms: [...issuer.algorithms],
          issuer: issuer.issuer,
          audience: issuer.audience,
          clockTolerance: skewSeconds,
        }),
      )
      return claims === undefined ? undefined : readIdentity(claims, issuer)
    },
  }
}

function decode(token: string): { header: z.output<typeof header>; issuer: string } | undefined {
  const decoded = attempt(() => jwt.decode(token, { complete: true }))
  if (decoded === undefined || decoded === null || typeof decoded !== 'object') return undefined
  const parsed = header.safeParse(decoded['header'])
  const issuer = (decoded['payload'] as { iss?: unknown } | null)?.iss
  return parsed.success && typeof issuer === 'string' ? { header: parsed.data, issuer } : undefined
}

/** undefined when `work` throws: jsonwebtoken throws errors of many types for malformed input. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/**
 * Rejects a token without `exp` or `iat`, because its lifetime is unknown. Rejects an `iat` in the future, because the
 * token would be valid for longer than from `iat` to `exp`.
 */
function readUserToken(claims: unknown, issuer: TokenIssuer): UserToken | undefined {
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
  if (!isLifetimeAllowed(data as { iat: number; exp: number }, issuer.lifetimeSecondsMax)) return undefined
  return {
    tenantId,
    subject: data['sub'] as string,
    roleNames: data[issuer.rolesClaim] as string[],
    expiresAtMs: (data['exp'] as number) * 1_000,
  }
}

const sessionClaims = z.object({ sub: id, sid: id, iat: z.number(), exp: z.number() })

function readSessionToken(claims: unknown, { lifetimeSecondsMax }: Issuer): SessionToken | undefined {
  const { data } = sessionClaims.safeParse(claims)
  if (data === undefined || !isLifetimeAllowed(data, lifetimeSecondsMax)) return undefined
  return { sessionId: data.sid, subject: data.sub, expiresAtMs: data.exp * 1_000 }
}

function isLifetimeAllowed({ iat, exp }: { iat: number; exp: number }, lifetimeSecondsMax: number): boolean {
  return iat <= Date.now() / 1_000 + skewSeconds && exp - iat <= lifetimeSecondsMax
}
