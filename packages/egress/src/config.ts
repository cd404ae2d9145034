import { Resolver } from 'node:dns'
import { z } from 'zod'
import { destinationPorts } from './destination.ts'

/** Environment variables of processes that send requests to URLs of tenants. Each process names and describes them. */
export const allowPrivate = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true')

/** The rule of a variable that is `allowPrivate`. */
export const privateInDevelopmentOnly = <const Name extends string>(
  name: Name,
): [
  (config: { readonly ENVIRONMENT: string } & Readonly<Record<Name, boolean>>) => boolean,
  { path: Name[]; message: string },
] => [
  (config) => config.ENVIRONMENT === 'dev' || !config[name],
  { path: [name], message: 'may be true only where ENVIRONMENT is dev' },
]

export const destinationPortList = z
  .string()
  .default(destinationPorts.join(','))
  .transform((written) => written.split(',').map((part) => (/^\d{1,5}$/.test(part) ? Number(part) : 0)))
  .refine((ports) => ports.every((port) => port >= 1 && port <= 65_535), 'must be ports, e.g. 443,8443')

const serversMax = 10

export const dnsServers = z
  .string()
  .default('')
  .transform((written) => (written === '' ? [] : written.split(',')))
  .refine(
    areServers,
    `must be at most ${serversMax} addresses, with a port or without, e.g. 192.0.2.53,[2001:db8::53]:5353`,
  )

export const egressProxy = z
  .url({ protocol: /^https?$/ })
  .transform((written) => new URL(written))
  .refine(hasReadableCredentials, 'must have percent-encoded credentials')
  .optional()

function areServers(servers: string[]): boolean {
  try {
    new Resolver().setServers(servers)
  } catch {
    // The resolver rejects invalid addresses; a check here would repeat its rules.
    return false
  }
  return servers.length <= serversMax
}

function hasReadableCredentials({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password)
  } catch {
    // A % that begins no encoded character.
    return false
  }
  return true
}
