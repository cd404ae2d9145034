/** The statements and definitions that an administrator applies to PostgreSQL and RabbitMQ, from the Secrets. */
import { createHash, createHmac } from 'node:crypto'
import { gatewayName } from '@payments/contracts/edges'
import type { Secrets } from './generate.ts'
import { ownerSecretOf, services } from './layout.ts'

interface Login {
  readonly user: string
  readonly password: string
  /** Database or vhost. */
  readonly path: string
}

/**
 * A script for psql: roles, databases and privileges. It can be repeated: it creates what is missing, and sets the
 * passwords and privileges again.
 */
export function postgresqlScript(secrets: Secrets): string {
  const roles = new Map<string, string>()
  const databases = services.map((service) => {
    const app = loginIn(secrets, service, 'DATABASE_URL')
    const owner = loginIn(secrets, ownerSecretOf(service), 'DATABASE_URL')
    roles.set(owner.user, owner.password).set(app.user, app.password)
    return databaseStatements(app.path, owner.user, app.user)
  })
  const owners = new Set(services.map((service) => loginIn(secrets, ownerSecretOf(service), 'DATABASE_URL').user))
  return [
    '-- Roles, databases and privileges. Run it with psql as an administrator.',
    '\\set ON_ERROR_STOP on',
    ...[...roles].flatMap(([role, password]) => roleStatements(role, password)),
    '-- An administrator without superuser rights acts as the owner.',
    ...[...owners].map((owner) => `GRANT ${identifier(owner)} TO CURRENT_USER;`),
    ...databases.flat(),
    '',
  ].join('\n')
}

function roleStatements(role: string, password: string): string[] {
  return [
    `SELECT format('CREATE ROLE %I', ${literal(role)})`,
    `WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${literal(role)})\\gexec`,
    `ALTER ROLE ${identifier(role)} LOGIN NOCREATEDB NOCREATEROLE PASSWORD ${literal(password)};`,
  ]
}

function databaseStatements(database: string, owner: string, app: string): string[] {
  const role = identifier(app)
  const defaults = 'ALTER DEFAULT PRIVILEGES IN SCHEMA public'
  return [
    '',
    `SELECT format('CREATE DATABASE %I OWNER %I', ${literal(database)}, ${literal(owner)})`,
    `WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = ${literal(database)})\\gexec`,
    `\\connect ${identifier(database)}`,
    `SET ROLE ${identifier(owner)};`,
    'REVOKE ALL ON SCHEMA public FROM PUBLIC;',
    `GRANT USAGE ON SCHEMA public TO ${role};`,
    'ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;',
    `${defaults} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role};`,
    `${defaults} GRANT USAGE, SELECT ON SEQUENCES TO ${role};`,
    `${defaults} GRANT EXECUTE ON FUNCTIONS TO ${role};`,
    `REVOKE ALL ON DATABASE ${identifier(database)} FROM PUBLIC;`,
    `GRANT CONNECT ON DATABASE ${identifier(database)} TO ${role};`,
    'RESET ROLE;',
  ]
}

/** Definitions for `rabbitmqctl import_definitions`: one user per process, with the rights of the vhost. */
export function rabbitmqDefinitions(secrets: Secrets): string {
  const logins = [gatewayName, ...services].map((name) => loginIn(secrets, name, 'AMQP_URL'))
  const all = '.*'
  const definitions = {
    vhosts: [...new Set(logins.map(({ path }) => path || '/'))].map((name) => ({ name })),
    users: logins.map(({ user, password }) => ({
      name: user,
      password_hash: passwordHash(user, password),
      hashing_algorithm: 'rabbit_password_hashing_sha256',
      tags: [],
    })),
    permissions: logins.map(({ user, path }) => ({ user, vhost: path || '/', configure: all, write: all, read: all })),
  }
  return `${JSON.stringify(definitions, null, 2)}\n`
}

/**
 * RabbitMQ: base64 of salt and SHA-256 of salt and password. The salt is derived, so the same Secrets give the same
 * file; passwords of 32 random bytes need no salt.
 */
function passwordHash(user: string, password: string): string {
  const salt = createHmac('sha256', password).update(`salt of ${user}`).digest().subarray(0, 4)
  return Buffer.concat([salt, createHash('sha256').update(salt).update(password).digest()]).toString('base64')
}

function loginIn(secrets: Secrets, secret: string, variable: string): Login {
  const { username, password, pathname } = new URL(secrets.get(secret)?.get(variable) ?? '')
  return {
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    path: decodeURIComponent(pathname.slice(1)),
  }
}

const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
