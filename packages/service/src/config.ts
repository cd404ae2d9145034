import { assertionKeys } from '@payments/chassis/assertion/assertion'
import { auditProducerConfig } from '@payments/chassis/assertion/audit-producer'
import type { eventProducerConfig } from '@payments/chassis/assertion/event-keys'
import { amqpUrl, json, listenConfig, processConfig, tracingConfig } from '@payments/chassis/base/config'
import { serviceUrlsConfig, signKeysConfig } from '@payments/chassis/client/service-urls'
import { z } from 'zod'

/** Variables of every process with a database and a broker. */
export const backendConfig = {
  ...processConfig,
  ...tracingConfig,
  DATABASE_URL: z
    .string()
    .regex(/^postgres(?:ql)?:\/\//, 'must begin with postgresql://')
    .describe('URL of PostgreSQL, with a role that owns no table'),
  AMQP_URL: amqpUrl.describe('URL of RabbitMQ'),
  MESSAGING_PREFIX: z.string().default('').describe('Prefix of the names of exchanges and queues'),
}

/** Variables of every service. */
export const serviceConfig = {
  ...backendConfig,
  ...listenConfig,
  ...auditProducerConfig,
  ASSERTION_VERIFY_KEYS: json(assertionKeys).describe(
    'Keys that verify the internal assertions of each caller. JSON: {caller: base64 key of 32 bytes}',
  ),
}

/** The variables that `runService` reads. A service with `eventProducerConfig` publishes events. */
export type ServiceConfig = z.output<z.ZodObject<typeof serviceConfig>> &
  Partial<z.output<z.ZodObject<typeof eventProducerConfig>>>

/** Variables of a service that calls other services: the URL of each, and the keys of its assertions. */
export const callsConfig = <const Service extends string>(...services: readonly Service[]) => ({
  ...serviceUrlsConfig(services, z.url()),
  ...signKeysConfig,
})

/** Whether a payment may move no money. In production it would be taken for a paid one. */
export const acceptsTestMode = ({ ENVIRONMENT }: Pick<ServiceConfig, 'ENVIRONMENT'>): boolean => ENVIRONMENT !== 'prod'
