/** The process `dev-sign-in`: the sign-in provider of the local stack. GET /readyz responds once it listens. */
import { readFileSync } from 'node:fs'
import { portFrom } from '../machine/ports.ts'
import { UserError } from '../machine/user-error.ts'
import { developmentPeople } from './people.ts'
import { startSignInProvider } from './provider.ts'

const variable = (name: 'ISSUER' | 'CONSOLE_ORIGIN' | 'CLIENT_SECRET_FILE' | 'KEY_FILE'): string => {
  const value = process.env[name]
  if (value === undefined || value === '') throw new UserError(`${name} is not set.`)
  return value
}

try {
  const provider = await startSignInProvider({
    port: portFrom(process.env, 'PORT', 8091),
    issuer: variable('ISSUER'),
    consoleOrigin: variable('CONSOLE_ORIGIN'),
    clientSecret: readFileSync(variable('CLIENT_SECRET_FILE'), 'utf8').trim(),
    key: readFileSync(variable('KEY_FILE'), 'utf8'),
    people: developmentPeople,
  })
  const stop = () => void provider.close().then(() => process.exit(0))
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
} catch (error) {
  console.error(error instanceof UserError ? error.message : error)
  process.exit(1)
}
