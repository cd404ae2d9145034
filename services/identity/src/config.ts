import { eventProducerConfig } from '@payments/chassis/assertion/event-keys'
import { httpsExceptInDevelopment, json, loadConfig, origin, wholeNumber } from '@payments/chassis/base/config'
import { emailDomainKey } from '@payments/contracts/grammar/email-address'
import { id } from '@payments/contracts/grammar/field'
import { allowPrivate, privateInDevelopmentOnly } from '@payments/egress/config'
import { callsConfig, serviceConfig } from '@payments/service/config'
import { vaultConfig, vaultConfigIsWhole } from '@payments/vault/config'
import { keyRing } from '@payments/vault/key-ring'
import { z } from 'zod'
import { isTokenKey } from './session/session-tokens.ts'

/** A sign-in provider (OpenID Connect). `invited`: who was invited may enter. `claims`: the provider decides. */
const signInProvider = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'id must be lower-case letters, digits and hyphens'),
    name: z.string().min(1).max(100),
    issuer: z.url({ protocol: /^https?$/ }),
    client_id: z.string().min(1).max(500),
    client_secret_file: z.string().min(1),
    scopes: z.array(z.string().min(1)).min(1).default(['openid', 'email', 'profile']),
    tenants: z.union([z.literal('*'), z.array(id).min(1).max(1_000)], {
      error: 'tenants must be a list of tenant ids, or "*" for every tenant',
    }),
    /** The claim that says whether the email address is verified: true, also as the text "true", 1 or "1". */
    email_verified_claim: z.string().min(1).default('email_verified'),
    email_domains: z.array(z.string().min(1).transform(emailDomainKey)).min(1).max(100).optional(),
    membership: z.enum(['invited', 'claims']).default('invited'),
    tenant_claim: z.string().min(1).optional(),
    roles_claim: z.string().min(1).optional(),
  })
  .refine(
    ({ membership, tenant_claim, roles_claim }) =>
      membership === 'invited' || (tenant_claim !== undefined && roles_claim !== undefined),
    'membership "claims" needs tenant_claim and roles_claim',
  )

export type SignInProviderConfig = z.output<typeof signInProvider>

const sessionTokenKey = z.string().refine(isTokenKey, 'must be base64 of a P-256 key in PKCS #8 DER')

/** Rules of a list run also where an item is not valid. */
const hrefOrText = (issuer: string) => (URL.canParse(issuer) ? new URL(issuer).href : issuer)

const isDistinct = (texts: readonly string[]) => new Set(texts).size === texts.length

export const environment = z
  .object({
    ...serviceConfig,
    ...callsConfig('rbac', 'api-key', 'communication'),
    ...eventProducerConfig,
    ...vaultConfig,
    CONSOLE_ORIGIN: origin.describe(
      'Origin of the sign-in pages and the console, which the gateway serves; https except in dev',
    ),
    SIGN_IN_PROVIDERS: json(
      z
        .array(signInProvider)
        .max(16)
        .refine((providers) => isDistinct(providers.map((one) => one.id)), 'each id once')
        // A person is issuer and subject. Two providers of one issuer would sign in the same people by different rules.
        .refine((providers) => isDistinct(providers.map(({ issuer }) => hrefOrText(issuer))), 'each issuer once'),
    )
      .default([])
      .describe(
        'Sign-in providers (OpenID Connect). JSON: [{id, name, issuer, client_id, client_secret_file, scopes, tenants, email_verified_claim, email_domains, membership, tenant_claim, roles_claim}]. tenants: ids of the tenants that the provider may sign people in to, or "*". email_verified_claim: the claim that the email address is verified, "email_verified" by default. membership: "invited" (default) or "claims"',
      ),
    SIGN_IN_ALLOW_PRIVATE_PROVIDERS: allowPrivate.describe(
      'Whether sign-in providers may be on private addresses and plain HTTP. Only in dev',
    ),
    SESSION_PEPPERS: keyRing.describe(
      'JSON: pepper id → base64 of 32 random bytes; HMAC keys of the index of sessions',
    ),
    SESSION_PEPPER_CURRENT: z.string().describe('Id of the pepper that indexes new sessions'),
    SESSION_TOKEN_KEYS: json(z.record(z.string().min(1), sessionTokenKey)).describe(
      'Private keys that sign JWTs of sessions. JSON: key id → base64 of a P-256 key in PKCS #8 DER',
    ),
    SESSION_TOKEN_KEY_CURRENT: z.string().describe('Id of the key that signs new JWTs of sessions'),
    SESSION_IDLE_MINUTES: wholeNumber(5, 60)
      .default(60)
      .describe(
        'Minutes without a request after which a session ends, 5 to 60. Gateways report requests once a minute',
      ),
    SESSION_MINUTES_MAX: wholeNumber(1, 720)
      .default(720)
      .describe('Minutes after which a session ends in any case, at most 720'),
  })
  .check(...vaultConfigIsWhole)
  .refine((config) => config.SESSION_PEPPERS.has(config.SESSION_PEPPER_CURRENT), {
    path: ['SESSION_PEPPER_CURRENT'],
    message: 'must be the id of one of SESSION_PEPPERS',
  })
  .refine((config) => config.SESSION_TOKEN_KEYS[config.SESSION_TOKEN_KEY_CURRENT] !== undefined, {
    path: ['SESSION_TOKEN_KEY_CURRENT'],
    message: 'must be the id of one of SESSION_TOKEN_KEYS',
  })
  .refine(...httpsExceptInDevelopment('CONSOLE_ORIGIN'))
  .refine(...privateInDevelopmentOnly('SIGN_IN_ALLOW_PRIVATE_PROVIDERS'))

export type Config = z.output<typeof environment>

export const readConfig = (): Config => loadConfig(environment, process.env)
