import { hostname, userInfo } from 'node:os'
import { operatorCharactersMax } from '@payments/chassis/assertion/assertion'
import { ConfigError, loadConfig, processConfig } from '@payments/chassis/base/config'
import { serviceUrlsConfig, signKeysConfig } from '@payments/chassis/client/service-urls'
import { listEdges } from '@payments/contracts/edges/calls'
import { contracts, serviceNames } from '@payments/contracts/edges/contracts'
import { z } from 'zod'

/** The services with endpoints of operators. */
const called = serviceNames.filter((service) =>
  listEdges(contracts).some(({ issuer, audience }) => issuer === 'payctl' && audience === service),
)

export const environment = z.object({
  ...processConfig,
  ...serviceUrlsConfig(called, z.url()),
  ...signKeysConfig,
  PAYCTL_OPERATOR: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
    .max(operatorCharactersMax)
    .optional()
    .describe(
      'the person who calls, for audit records, e.g. an e-mail address; default in dev: user@host of this machine',
    ),
  DEV_ISSUER: z.string().optional().describe('issuer of development tokens'),
  DEV_ISSUER_KEY_FILE: z.string().optional().describe('PEM file with the private key of the development issuer'),
})

export type Config = z.output<typeof environment>

export const readConfig = (): Config => loadConfig(environment, process.env)

/**
 * The operator who calls the services. Throws ConfigError outside dev without a named operator: a shared machine or
 * container has one user for all operators.
 */
export function requireOperator({ PAYCTL_OPERATOR: named, ENVIRONMENT: environment }: Config): string {
  if (named !== undefined) return named
  if (environment === 'dev') return operatingSystemUser()
  throw new ConfigError('PAYCTL_OPERATOR must name you unless ENVIRONMENT is dev')
}

/** The user of this machine, `user@host`: the operator in development. */
function operatingSystemUser(): string {
  return `${userName()}@${hostname()}`.slice(0, operatorCharactersMax)
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // In a container the user may have a number and no name.
    return `uid-${process.getuid?.() ?? 'unknown'}`
  }
}
