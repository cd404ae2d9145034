import { readdirSync } from 'node:fs'

const services = readdirSync(new URL('../../services', import.meta.url)).sort()

/** The processes that read an environment: name, folder, and the export of its config.ts. */
export const environments = [
  ['gateway', 'gateway', 'environment'],
  ...services.flatMap((name) => [
    [name, `services/${name}`, 'environment'],
    ...(name === 'webhooks' ? [['webhooks dispatcher', 'services/webhooks', 'dispatcherEnvironment']] : []),
  ]),
  ['payctl', 'packages/payctl', 'environment'],
]
