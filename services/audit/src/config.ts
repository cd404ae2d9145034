import { assertionKeys } from '@payments/chassis/assertion/assertion'
import { json, loadConfig, wholeNumber } from '@payments/chassis/base/config'
import { serviceConfig } from '@payments/service/config'
import { z } from 'zod'
import type { SealKeys } from './domain/chain.ts'

export const environment = z
  .object({
    ...serviceConfig,
    AUDIT_RETENTION_DAYS: wholeNumber(7, 36_500)
      .default(400)
      .describe('days for which records are stored; their seals are stored forever'),
    AUDIT_SEAL_INTERVAL_MS: wholeNumber(100, 60_000)
      .default(5_000)
      .describe('interval between two sealings of new records, in milliseconds'),
    AUDIT_MESSAGE_KEYS: json(assertionKeys).describe(
      'JSON: {producer: base64 key}; a message is stored when the HMAC of its producer verifies. Producers named gateway or gateway-… record requests, other producers record calls of operators',
    ),
    AUDIT_SEAL_KEYS: json(assertionKeys).describe(
      'JSON: {id: base64 key of 32 bytes}; each seal is computed with one of these keys. Retain earlier keys: verification needs them',
    ),
    AUDIT_SEAL_KEY_CURRENT: z.string().min(1).describe('id of the key for new seals'),
    AUDIT_CHECKPOINT_DIRECTORY: z
      .string()
      .min(1)
      .optional()
      .describe('directory on write-once storage for checkpoints, one file each; required unless ENVIRONMENT is dev'),
    AUDIT_CHECKPOINT_INTERVAL_MS: wholeNumber(100, 24 * 60 * 60_000)
      .default(60_000)
      .describe('interval between two exports of the newest seal of every chain, in milliseconds'),
  })
  .refine(({ AUDIT_SEAL_KEYS: keys, AUDIT_SEAL_KEY_CURRENT: current }) => keys.has(current), {
    path: ['AUDIT_SEAL_KEY_CURRENT'],
    error: 'is not one of AUDIT_SEAL_KEYS',
  })
  .refine(
    ({ ENVIRONMENT, AUDIT_CHECKPOINT_DIRECTORY: directory }) => ENVIRONMENT === 'dev' || directory !== undefined,
    {
      path: ['AUDIT_CHECKPOINT_DIRECTORY'],
      error: 'is required unless ENVIRONMENT is dev',
    },
  )

export type Config = z.output<typeof environment>

export const readConfig = (): Config => loadConfig(environment, process.env)

export const toSealKeys = (config: Config): SealKeys => ({
  keys: config.AUDIT_SEAL_KEYS,
  current: config.AUDIT_SEAL_KEY_CURRENT,
})
