import { type Environment, parseValue } from './key-value.ts'

/** The value of a session: like the value of an API key, with the prefix `pss`. */
export const sessionPrefix = 'pss'

/** The parts of a well-formed value; undefined for a malformed one. A session with this value need not exist. */
export const parseSessionValue = (value: string): { environment: Environment } | undefined =>
  parseValue(sessionPrefix, value)

/** The cookie of a browser session: `SameSite=Strict`. */
export const sessionCookie = '__Host-session'

/** Issuer and audience of the JWTs of sessions in an environment. */
export const sessionIssuer = (environment: Environment): string => `urn:payment-service:${environment}:sessions`
export const sessionAudience = 'payment-service'
