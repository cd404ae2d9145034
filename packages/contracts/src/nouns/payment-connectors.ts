import { z } from 'zod'

/**
 * The connectors of payment orchestrators, and the credentials and settings of each. business-unit validates and
 * stores them; the connector of payment-proxy uses them.
 */

const secret = (max: number) =>
  z
    .string()
    .min(8)
    .max(max)
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without blanks')

export const connectorCredentials = {
  /** The sandbox moves no money and needs no credentials. */
  sandbox: z.strictObject({}),
  /** docs/connectors.md describes the protocol. */
  http: z.strictObject({
    key_id: z
      .string()
      .min(1)
      .max(100)
      .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without blanks')
      .describe('Identifier of the secret at the provider.'),
    secret: secret(1024).min(32).describe('Secret of the signatures of requests and provider webhooks.'),
  }),
  stripe: z.strictObject({
    secret_key: secret(300)
      .regex(/^(sk|rk)_(test|live)_[A-Za-z0-9_]+$/, 'must be a secret or restricted key of Stripe')
      .describe('Secret or restricted API key.'),
    webhook_secret: secret(300)
      .regex(/^whsec_[A-Za-z0-9+/=_-]+$/, 'must be a signing secret of Stripe')
      .optional()
      .describe('Signing secret of the webhook endpoint.'),
  }),
} as const

/** Settings that a connector reads. Other settings are stored without an effect. */
export const connectorSettings = {
  sandbox: z.looseObject({}),
  http: z.looseObject({
    protocol_version: z
      .union([z.literal(1), z.literal(2)], 'must be 1 or 2')
      .optional()
      .describe('Version of the protocol that the adapter speaks. Default: 1.'),
  }),
  stripe: z.looseObject({
    publishable_key: z
      .string()
      .max(300)
      .regex(/^pk_(test|live)_[A-Za-z0-9]+$/, 'must be a publishable key of Stripe')
      .optional()
      .describe('Publishable key of the same account. With the key, the pay page has a card page of its own.'),
  }),
} as const

export type ConnectorName = keyof typeof connectorCredentials

export const connectorNames = Object.keys(connectorCredentials) as [ConnectorName, ...ConnectorName[]]

/** Of the credentials of a payment orchestrator, for the documentation. */
export const credentialsText =
  'Credentials at the provider. Write-only: stored encrypted, and never returned. A change is for another key of the same account. For another account, create another payment orchestrator: captures, refunds and syncs of earlier payments use this one.'
