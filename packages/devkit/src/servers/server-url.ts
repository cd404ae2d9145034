import type { Environment } from '../machine/profile.ts'
import { UserError } from '../machine/user-error.ts'

const forms = {
  DATABASE_URL: { start: /^postgres(?:ql)?:\/\//, example: 'postgresql://admin:password@host/postgres' },
  AMQP_URL: { start: /^amqps?:\/\//, example: 'amqp://user:password@host' },
} as const

/** The server that a variable names; undefined without the variable. Throws a UserError without the value: a secret. */
export function serverUrl(env: Environment, variable: keyof typeof forms): string | undefined {
  const url = env[variable]
  if (!url) return undefined
  const { start, example } = forms[variable]
  if (start.test(url) && URL.canParse(url)) return url
  throw new UserError(`${variable} is not a URL of a server, such as ${example}.`)
}
