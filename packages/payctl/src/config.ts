import { assertionKeys } from '@payments/chassis/assertion'
import { json, loadConfig, processConfig } from '@payments/chassis/config'
import { z } from 'zod'

export const environment = z.object({
  ...processConfig,
  API_KEY_URL: z.url().describe('base address of the api-key service'),
  RBAC_URL: z.url().describe('base address of the rbac service'),
  WEBHOOKS_URL: z.url().describe('base address of the webhooks service'),
  AUDIT_URL: z.url().describe('base address of the audit service'),
  ASSERTION_SIGN_KEYS: json(assertionKeys).describe('JSON: service → base64 key of our assertions to it'),
  DEV_ISSUER: z.string().optional().describe('issuer of development tokens'),
  DEV_ISSUER_KEY_FILE: z.string().optional().describe('PEM file with the private key of the development issuer'),
})

export type Config = z.output<typeof environment>

export const readConfig = (): Config => loadConfig(environment, process.env)
