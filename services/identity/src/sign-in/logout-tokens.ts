import { hash } from 'node:crypto'
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { SignInProviderConfig } from '../config.ts'
import { SignInFailed } from '../domain/sign-in-failure.ts'
import { claimText } from './id-token.ts'
import type { LogoutRequest } from './providers.ts'

/** The algorithms of public keys: with a shared secret, the client could sign tokens itself. */
const signatureAlgorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512']
const tokenAgeMax = '10 minutes'
const clockToleranceSeconds = 60
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
/** Each token ends sessions at most once. Beyond the limit, the oldest are evicted. */
const usedMax = 10_000

type Receiver = Pick<SignInProviderConfig, 'issuer' | 'client_id'>

/**
 * Verifies logout tokens by OpenID Connect Back-Channel Logout 1.0, section 2.6. A token is used up when `work`
 * succeeds. Throws SignInFailed.
 */
export function createTokenUse(receiver: Receiver) {
  /** The SHA-256 of the `jti` of used tokens, with the time when they expire. */
  const used = new Map<string, number>()
  return async <R>(token: string, keys: JWTVerifyGetKey, work: (logout: LogoutRequest) => Promise<R>): Promise<R> => {
    const claims = await verifyToken(token, keys, receiver)
    const { jti = '', exp = 0, sub, sid, events, nonce } = claims as LogoutClaims
    if (nonce !== undefined) throw new SignInFailed('invalid', 'a logout token has no nonce')
    if (typeof events !== 'object' || events === null || !Object.hasOwn(events, logoutEvent)) {
      throw new SignInFailed('invalid', 'the token has no event of a logout')
    }
    const [subject, providerSessionId] = [claimText(sub), claimText(sid)]
    if (subject === null && providerSessionId === null) {
      throw new SignInFailed('invalid', 'the logout token names neither a subject nor a session')
    }
    const id = hash('sha256', jti, 'base64')
    if (used.has(id)) throw new SignInFailed('invalid', 'the logout token was used before')
    const done = await work({ issuer: receiver.issuer, subject, providerSessionId })
    recordUse(used, id, exp)
    return done
  }
}

type LogoutClaims = JWTPayload & { readonly sid?: unknown; readonly events?: unknown; readonly nonce?: unknown }

async function verifyToken(token: string, keys: JWTVerifyGetKey, { issuer, client_id: audience }: Receiver) {
  try {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      audience,
      typ: 'logout+jwt',
      algorithms: signatureAlgorithms,
      requiredClaims: ['iat', 'exp', 'jti'],
      maxTokenAge: tokenAgeMax,
      clockTolerance: clockToleranceSeconds,
    })
    return payload
  } catch (error) {
    if (error instanceof errors.JWKSTimeout) {
      throw new SignInFailed('provider_unavailable', 'the keys were not read', { cause: error })
    }
    if (error instanceof errors.JOSEError) throw new SignInFailed('invalid', error.message, { cause: error })
    throw error
  }
}

function recordUse(used: Map<string, number>, id: string, expiresAt: number): void {
  const now = Date.now() / 1000 - clockToleranceSeconds
  for (const [known, until] of used) {
    if (until < now || used.size >= usedMax) used.delete(known)
    else break
  }
  used.set(id, expiresAt)
}
